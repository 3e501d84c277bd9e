"""The tools that look: ``folder_read`` and ``folder_ls``."""

from __future__ import annotations

import json
import os
import stat
import time

from folder.places import Folder, FolderSettings, read_whole, refuse
from homeagent_sdk import ToolContext, ToolError, tool

__all__ = ["folder_ls", "folder_read"]

_AT_ONCE = 32_000
_MOST_ENTRIES = 500


@tool(cleaner="json(content) | head(32000)", parallel=True)
def folder_read(context: ToolContext, path: str, start: int = 0) -> str:
    """Read a text file (UTF-8): JSON with the text in "content", at most 32,000 characters of it.

    If "more" is true, go on with "next" as start.

    Args:
        path: The file, e.g. "notes/shopping.txt".
        start: How many characters to skip.
    """
    folder = context.state(Folder)
    parts = folder.parts(path)
    try:
        with folder.opened(parts) as descriptor:
            data = read_whole(descriptor, context.settings(FolderSettings).largest_kib * 1024)
    except OSError as error:
        refuse(error, path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ToolError("path", f"{path} is no text in UTF-8, {len(data):,} bytes", "Use another tool") from None
    if not 0 <= start <= len(text):
        raise ToolError("start", f"is {start}, and the text has {len(text)} characters", "Give a smaller one")
    content = text[start : start + _AT_ONCE]
    end = start + len(content)
    about: dict[str, object] = {"path": "/".join(parts), "characters": len(text), "more": end < len(text)}
    about |= {"next": end} if end < len(text) else {}
    # The text comes last: where a long answer is cut off, the rest of it is whole.
    return json.dumps(about | {"content": content}, ensure_ascii=False)


@tool(parallel=True)
def folder_ls(context: ToolContext, path: str = ".") -> str:
    """List a folder: date, size in bytes and name of each entry; folders end with "/".

    Args:
        path: The folder, the whole one if left out.
    """
    folder = context.state(Folder)
    parts = folder.parts(path)
    try:
        with folder.opened(parts) as descriptor:
            if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise ToolError("path", f"{path} is a file", "Read it with folder_read")
            with os.scandir(descriptor) as found:
                lines = [_line(entry) for entry in sorted(found, key=lambda entry: entry.name)]
    except OSError as error:
        refuse(error, path)
    more = len(lines) - _MOST_ENTRIES
    shown = [*lines[:_MOST_ENTRIES], *([f"[... {more:,} more ...]"] if more > 0 else [])]
    return "\n".join(shown) or "The folder is empty"


def _line(entry: os.DirEntry[str]) -> str:
    about = entry.stat(follow_symlinks=False)
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(about.st_mtime))
    kind = "/" if stat.S_ISDIR(about.st_mode) else " (symlink)" if stat.S_ISLNK(about.st_mode) else ""
    name = "".join(each if each.isprintable() else "?" for each in entry.name)
    return f"{when} {about.st_size:>12,} {name}{kind}"
