"""The tools that change files: `files_write` and `files_edit`."""

from __future__ import annotations

import contextlib
import difflib
import os
import secrets
import stat
from dataclasses import dataclass

from homeagent.builtin.consent import Question, ask_first, visible
from homeagent.builtin.files.encodings import decode, encode
from homeagent.builtin.files.folders import FileSettings, Folders, Place, entered, opened, told
from homeagent.builtin.files.reading import read_bytes
from homeagent_sdk import ToolContext, ToolError, tool
from homeagent_sdk.calling import call_function

__all__ = ["files_edit", "files_write"]

_REPLACE = Question("Change this file?", "要修改这个文件吗？")
_CREATE = Question("Make this file?", "要新建这个文件吗？")
_LONGEST_DIFF = 60
_LONGEST_COMPARED = 5_000
_MOST_LINES_NAMED = 20


@tool
async def files_write(context: ToolContext, path: str, content: str) -> str:
    """Write a text file as UTF-8, replacing all that was in it; folders that are missing are made.

    To change a part of a file use files_edit. The person may be asked first.

    Args:
        path: The file, e.g. "notes/shopping.txt".
        content: All that the file shall hold.
    """
    place = _file_place(context, path)
    data = _encoded(content, "utf-8", "content")
    before = await call_function(lambda: _current(context, place), is_async=False)
    if before is not None and before.data == data:
        return f"{visible(str(place.path))} holds just this already"
    await _agreed(context, place, before, content)
    await call_function(lambda: _replace(place, before, data), is_async=False)
    what = "Made" if before is None else "Replaced"
    return f"{what} {visible(str(place.path))}: {len(content):,} characters, {len(data):,} bytes"


@tool
async def files_edit(context: ToolContext, path: str, old: str, new: str, replace_all: bool = False) -> str:
    """Replace a piece of a text file; the rest, its encoding and its line ends stay as they are.

    The person may be asked first.

    Args:
        path: The file.
        old: The text to replace, exactly as it stands there, with enough around it that it occurs only once.
        new: What to put in its place; "" takes it out.
        replace_all: Replace every occurrence instead.
    """
    place = _file_place(context, path)
    before = await call_function(lambda: _current(context, place), is_async=False)
    if before is None:
        told(FileNotFoundError(2, "no such file"), place)
    edit = await call_function(lambda: _edited(before, old, new, replace_all=replace_all), is_async=False)
    data = _encoded(edit.text, edit.encoding, "new")
    await _agreed(context, place, before, edit.text)
    await call_function(lambda: _replace(place, before, data), is_async=False)
    places = f"{len(edit.lines)} places" if len(edit.lines) > 1 else "1 place"
    return f"Changed {places} in {visible(str(place.path))} ({_named_lines(edit.lines)})"


@dataclass(frozen=True, slots=True)
class _Current:
    """A file as it is now."""

    data: bytes
    about: os.stat_result


@dataclass(frozen=True, slots=True)
class _Edit:
    """The new text of a file, and the lines where the old piece began."""

    text: str
    encoding: str
    lines: list[int]


def _file_place(context: ToolContext, path: str) -> Place:
    place = context.state(Folders).find(path)
    if not place.parts:
        raise ToolError("path", f"{visible(str(place.path))} is a folder", "Name a file in it")
    return place


def _current(context: ToolContext, place: Place) -> _Current | None:
    try:
        with opened(place) as descriptor:
            about = os.fstat(descriptor)
            if stat.S_ISDIR(about.st_mode):
                raise ToolError("path", f"{visible(str(place.path))} is a folder", "Name a file in it")
            if not about.st_mode & 0o222:
                raise ToolError("path", f"{visible(str(place.path))} is read-only", "Ask the person")
            return _Current(read_bytes(descriptor, place, context.settings(FileSettings).largest_bytes), about)
    except FileNotFoundError:
        return None
    except OSError as error:
        told(error, place)


def _edited(current: _Current, old: str, new: str, *, replace_all: bool) -> _Edit:
    found = decode(current.data)
    if found is None or found.damaged:
        raise ToolError("path", "the file is no text, or text with damaged bytes", "Use cmd_run and another program")
    if "\r\n" in found.text and "\r" not in old:  # what a model reads and writes has plain line ends
        old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
    if not old:
        raise ToolError("old", "is empty", "Give the text to replace; a new file is made with files_write")
    if old == new:
        raise ToolError("new", "is the same as old", "Give what shall stand there instead")
    lines = _lines_of(found.text, old)
    if not lines:
        raise ToolError("old", "does not occur in the file", _nearest_line(found.text, old))
    if len(lines) > 1 and not replace_all:
        hint = "Give more of the text around the one you mean, or replace_all"
        raise ToolError("old", f"occurs {len(lines)} times ({_named_lines(lines)})", hint)
    return _Edit(found.text.replace(old, new), found.encoding, lines)


def _lines_of(text: str, piece: str) -> list[int]:
    found: list[int] = []
    line, last = 1, 0
    place = text.find(piece)
    while place >= 0:
        line += text.count("\n", last, place)
        found.append(line)
        last = place
        place = text.find(piece, place + len(piece))
    return found


def _named_lines(lines: list[int]) -> str:
    named = ", ".join(map(str, lines[:_MOST_LINES_NAMED]))
    more = f" and {len(lines) - _MOST_LINES_NAMED} more" if len(lines) > _MOST_LINES_NAMED else ""
    return f"line{'s' if len(lines) > 1 else ''} {named}{more}"


def _nearest_line(text: str, old: str) -> str:
    lines = text.splitlines()
    wanted = next((line for line in old.splitlines() if line.strip()), old)
    near = difflib.get_close_matches(wanted, lines, n=1) if len(lines) <= _LONGEST_COMPARED else []
    if not near:
        return "Read the file and copy the text from there"
    return f"The nearest is line {lines.index(near[0]) + 1}: {visible(near[0])[:200]!r}"


async def _agreed(context: ToolContext, place: Place, before: _Current | None, text: str) -> None:
    ask = context.settings(FileSettings).ask_before
    if ask == "writing" or (ask == "replacing" and before is not None):
        detail = await call_function(lambda: f"{place.path}\n{_difference(before, text)}", is_async=False)
        await ask_first(context, _REPLACE if before is not None else _CREATE, detail, "path")


def _difference(before: _Current | None, text: str) -> str:
    found = decode(before.data) if before is not None else None
    old = found.text.splitlines() if found is not None else []
    new = text.splitlines()
    if max(len(old), len(new)) > _LONGEST_COMPARED or (before is not None and found is None):
        return f"{len(before.data) if before is not None else 0:,} bytes -> {len(text):,} characters"
    lines = [line for line in difflib.unified_diff(old, new, lineterm="", n=1) if not line.startswith(("---", "+++"))]
    more = len(lines) - _LONGEST_DIFF
    return "\n".join([*lines[:_LONGEST_DIFF], *([f"[... {more:,} more lines ...]"] if more > 0 else [])])


def _encoded(text: str, encoding: str, field: str) -> bytes:
    try:
        return encode(text, encoding)
    except UnicodeEncodeError as error:
        wrong = ascii(text[error.start : error.end][:20])
        raise ToolError(field, f"{wrong} can't be written in {encoding}", "Write it without") from None


def _replace(place: Place, before: _Current | None, data: bytes) -> None:
    """Put ``data`` in the place of the file, all at once: whoever reads it finds the old or the new, never a half."""
    try:
        with entered(place, create=True) as folder:
            _check_unchanged(place, folder, before)
            temporary = f".{secrets.token_hex(8)}.tmp"
            try:
                _write_new(temporary, folder, before, data)
                os.replace(temporary, place.parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=folder)
                raise
            with contextlib.suppress(OSError):  # not every file system can
                os.fsync(folder)
    except OSError as error:
        told(error, place)


def _check_unchanged(place: Place, folder: int, before: _Current | None) -> None:
    """Raise ``ToolError`` when the file changed while the person was asked."""
    try:
        now = os.stat(place.parts[-1], dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        now = None
    known = before.about if before is not None else None
    if _version(now) != _version(known):
        raise ToolError("path", f"{visible(str(place.path))} was changed by someone else just now", "Read it again")


def _version(about: os.stat_result | None) -> tuple[int, ...]:
    return (about.st_ino, about.st_size, about.st_mtime_ns) if about is not None else ()


def _write_new(name: str, folder: int, before: _Current | None, data: bytes) -> None:
    mode = stat.S_IMODE(before.about.st_mode) if before is not None else 0o666
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode & 0o777, dir_fd=folder)
    try:
        if before is not None:
            with contextlib.suppress(PermissionError):  # only the administrator may give files away
                os.fchown(descriptor, before.about.st_uid, before.about.st_gid)
            os.fchmod(descriptor, mode)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
