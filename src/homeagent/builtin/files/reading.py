"""The tools that look at files: `files_read` and `files_ls`."""

from __future__ import annotations

import json
import os
import stat
import time
from fnmatch import fnmatchcase

from homeagent.builtin.consent import visible
from homeagent.builtin.files.encodings import DecodedText, decode, media_type
from homeagent.builtin.files.folders import FileSettings, Folders, Place, opened, told
from homeagent_sdk import ToolContext, ToolError, tool

__all__ = ["files_ls", "files_read", "read_bytes", "read_text"]

LONGEST_READ = 200_000
_READ_AT_ONCE = 32_000
_MOST_ENTRIES = 1_000


@tool(cleaner=f"json(content) | head({_READ_AT_ONCE})", parallel=True)
def files_read(context: ToolContext, path: str, offset: int = 0, limit: int = _READ_AT_ONCE) -> str:
    """Read a text file: JSON with the text in "content"; of a folder the names in it, one a line.

    If "truncated" is true there is more: call again with "next_offset" as offset.

    Args:
        path: The file, e.g. "notes/shopping.txt".
        offset: How many characters to skip; -2000 begins 2,000 characters before the end.
        limit: How many characters to read, at most 200000.
    """
    if not 1 <= limit <= LONGEST_READ:
        raise ToolError("limit", f"is {limit}", f"Give 1 to {LONGEST_READ}")
    place = context.state(Folders).find(path)
    found = read_text(place, context.settings(FileSettings).largest_bytes)
    total = len(found.text)
    start = max(total + offset, 0) if offset < 0 else offset
    if start > total:
        raise ToolError("offset", f"is {offset}, and the text has {total} characters", "Give a smaller one")
    content = found.text[start : start + limit]
    end = start + len(content)
    answer: dict[str, object] = {"path": str(place.path)}
    answer |= {"encoding": found.encoding} if found.encoding else {"folder": True}
    if found.damaged:
        answer["damaged_bytes"] = found.damaged
    answer |= {"characters": total, "lines": _count_lines(found.text), "offset": start, "limit": limit}
    answer |= {"truncated": end < total}
    if end < total:
        answer["next_offset"] = end
    # Last, so that a cut in a long answer leaves the rest whole. A path may hold bytes that are no text.
    return _sendable(json.dumps(answer | {"content": content}, ensure_ascii=False))


@tool(parallel=True)
def files_ls(context: ToolContext, path: str = ".", pattern: str = "*") -> str:
    """List a folder: date, size in bytes and name of each entry; folders end with "/".

    Args:
        path: The folder; the usual one if left out.
        pattern: Only names like this, e.g. "*.pdf".
    """
    folders = context.state(Folders)
    place = folders.find(path)
    try:
        with opened(place) as descriptor:
            if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise ToolError("path", f"{visible(str(place.path))} is a file", "Read it with files_read")
            lines = [_entry_line(entry) for entry in _entries(descriptor) if fnmatchcase(entry.name, pattern)]
    except OSError as error:
        told(error, place)
    like = f" like {visible(pattern)}" if pattern != "*" else ""
    title = f"{visible(str(place.path))}: {len(lines) or 'no'} {'entry' if len(lines) == 1 else 'entries'}{like}"
    shown = [title, *lines[:_MOST_ENTRIES]]
    if len(lines) > _MOST_ENTRIES:
        shown.append(f"[... {len(lines) - _MOST_ENTRIES:,} more; give a pattern ...]")
    others = [str(root) for root in folders.roots if root != place.root]
    if path == "." and others:
        shown.append(f"Other folders that may be used: {', '.join(others)}")
    return "\n".join(shown)


def read_text(place: Place, largest: int) -> DecodedText:
    """Return the text at a place; of a folder its names, in no encoding.

    Raises ``ToolError`` for what is too large or no text.
    """
    try:
        with opened(place) as descriptor:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                names = [_shown_name(entry) for entry in _entries(descriptor)]
                return DecodedText("".join(f"{name}\n" for name in names), "")
            data = read_bytes(descriptor, place, largest)
    except OSError as error:
        told(error, place)
    found = decode(data)
    if found is None:
        kind = media_type(data, place.path.name)
        reason = f"{visible(str(place.path))} is no text but {kind}, {len(data):,} bytes"
        raise ToolError("path", reason, "Use a program made for this kind of file")
    return found


def read_bytes(descriptor: int, place: Place, largest: int) -> bytes:
    """Return the content of an open file. Raises ``ToolError`` when it is no file or too large, and ``OSError``."""
    about = os.fstat(descriptor)
    shown = visible(str(place.path))
    if not stat.S_ISREG(about.st_mode):
        raise ToolError("path", f"{shown} is neither a file nor a folder", "Use another one")
    pieces, total = [], 0
    while piece := os.read(descriptor, 1 << 20):
        total += len(piece)
        if total > largest:
            size = f"{max(about.st_size, total):,} bytes"
            hint = "Read a part of it with cmd_run and head, tail or grep"
            raise ToolError("path", f"{shown} has {size}, at most {largest:,} are read", hint)
        pieces.append(piece)
    return b"".join(pieces)


def _entries(descriptor: int) -> list[os.DirEntry[str]]:
    with os.scandir(descriptor) as found:
        return sorted(found, key=lambda entry: entry.name)


def _entry_line(entry: os.DirEntry[str]) -> str:
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:  # gone since the folder was read
        return f"{'?':16}  {'?':>13}  {_shown_name(entry)}"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(about.st_mtime))
    size = f"{about.st_size:,}" if stat.S_ISREG(about.st_mode) else "-"
    return f"{when}  {size:>13}  {_shown_name(entry)}"


def _shown_name(entry: os.DirEntry[str]) -> str:
    name = visible(entry.name).replace("\n", "\\n")
    if entry.is_symlink():
        return f"{name} (symlink)"
    return f"{name}/" if entry.is_dir(follow_symlinks=False) else name


def _count_lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and bool(text))


def _sendable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
