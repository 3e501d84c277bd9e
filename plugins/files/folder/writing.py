"""The tools that change something: ``folder_write`` and ``folder_edit``."""

from __future__ import annotations

import contextlib
import os
import secrets

from folder.places import Folder, FolderSettings, read_whole, refuse
from homeagent_sdk import ToolContext, ToolError, tool

__all__ = ["folder_edit", "folder_write"]

_LONGEST_SHOWN = 600


@tool
async def folder_write(context: ToolContext, path: str, content: str) -> str:
    """Write a text file as UTF-8, in place of all that was in it; folders that are missing are made.

    Args:
        path: The file, e.g. "notes/shopping.txt".
        content: All that the file shall hold.
    """
    folder, parts = _file(context, path)
    before = _content(context, folder, parts)
    if before is not None:
        await _agreed(context, path, content)
    _put(folder, parts, content, path)
    return f"{'Wrote' if before is None else 'Replaced'} {'/'.join(parts)}: {len(content):,} characters"


@tool
async def folder_edit(context: ToolContext, path: str, old: str, new: str) -> str:
    """Replace one piece of a text file; the rest stays as it is.

    Args:
        path: The file.
        old: The text to replace, exactly as it stands there and only once in the file.
        new: What to put in its place; "" takes it out.
    """
    folder, parts = _file(context, path)
    before = _content(context, folder, parts)
    if before is None:
        raise ToolError("path", f"there is no {path}", "Make it with folder_write")
    count = before.count(old) if old else 0
    if count != 1:
        hint = "Read the file and copy more of the text around it" if count else "Read the file and copy it from there"
        raise ToolError("old", f"occurs {count} times in the file", hint)
    await _agreed(context, path, f"- {old}\n+ {new}")
    _put(folder, parts, before.replace(old, new), path)
    return f"Changed {'/'.join(parts)} in line {before[: before.index(old)].count(chr(10)) + 1}"


def _file(context: ToolContext, path: str) -> tuple[Folder, tuple[str, ...]]:
    folder = context.state(Folder)
    parts = folder.parts(path)
    if not parts:
        raise ToolError("path", "it is the folder itself", 'Name a file in it, e.g. "notes.txt"')
    return folder, parts


def _content(context: ToolContext, folder: Folder, parts: tuple[str, ...]) -> str | None:
    """Return the text of a file, None when it is not there."""
    name = "/".join(parts)
    try:
        with folder.opened(parts) as descriptor:
            return read_whole(descriptor, context.settings(FolderSettings).largest_kib * 1024).decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise ToolError("path", f"{name} is no text in UTF-8", "It can't be changed with this tool") from None
    except OSError as error:
        refuse(error, name)


async def _agreed(context: ToolContext, path: str, change: str) -> None:
    if not context.settings(FolderSettings).ask_before_replacing:
        return
    shown = "".join(each if each.isprintable() or each == "\n" else repr(each)[1:-1] for each in change)
    more = f"\n[... {len(shown) - _LONGEST_SHOWN:,} more characters ...]" if len(shown) > _LONGEST_SHOWN else ""
    if not await context.ask(f"Change this file? 要修改这个文件吗？\n{path}\n{shown[:_LONGEST_SHOWN]}{more}"):
        raise ToolError("path", "the person did not agree to this", "Ask what they want instead")


def _put(folder: Folder, parts: tuple[str, ...], text: str, path: str) -> None:
    """Put a text in the place of a file all at once: whoever reads it finds the old or the new, never a half."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolError("content", f"{text[error.start]!r} is half a character", "Write it without") from None
    part = f".{secrets.token_hex(8)}.part"
    try:
        with folder.entered(parts, make=True) as holder:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=holder)
            try:
                with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, parts[-1], src_dir_fd=holder, dst_dir_fd=holder)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(part, dir_fd=holder)
    except OSError as error:
        refuse(error, path)
