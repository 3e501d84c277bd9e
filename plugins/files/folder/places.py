"""The one folder that may be used, and the way to a file in it: no ``..``, no symlink, no race leads outside."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

from homeagent_sdk import PluginContext, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Folder", "FolderSettings", "read_whole", "refuse", "start"]

_STEP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # not blocking: a pipe would wait for its writer


@dataclass(frozen=True)
class FolderSettings:
    """Which folder, and how careful."""

    path: Annotated[str, "the folder that may be used; a folder of the plugin's own if empty"] = ""
    largest_kib: Annotated[int, "larger files are not read, in KiB"] = 4096
    ask_before_replacing: Annotated[bool, "ask before a file that is there is changed"] = True

    def __post_init__(self) -> None:
        """Refuse a path that depends on where the program was started."""
        if self.path and not Path(self.path).expanduser().is_absolute():
            raise ValueError(f"path: {self.path!r} is relative; write it from / or ~ on")


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder, with its real path."""

    root: Path

    def parts(self, path: str) -> tuple[str, ...]:
        """Return the names that lead from the folder to ``path``. Raises ``ToolError`` for a path that leads out."""
        given = Path(path).expanduser() if path.startswith("~") else Path(path)
        if "\0" in path or ".." in given.parts:
            raise ToolError("path", f"{path!r} can't be used", 'Write it from the folder on, e.g. "notes/shopping.txt"')
        if given.is_absolute():
            if not given.is_relative_to(self.root):
                raise ToolError("path", f"{path} lies outside of {self.root}", "Only that folder may be used")
            given = given.relative_to(self.root)
        return given.parts

    @contextlib.contextmanager
    def entered(self, parts: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        """Open the folder that holds the last of ``parts``, step by step and along no symlink. Raises ``OSError``."""
        here = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in parts[:-1]:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(name, dir_fd=here)
                following = os.open(name, _STEP, dir_fd=here)
                os.close(here)
                here = following
            yield here
        finally:
            os.close(here)

    @contextlib.contextmanager
    def opened(self, parts: tuple[str, ...]) -> Iterator[int]:
        """Open a file or folder for reading. Raises ``OSError``."""
        with self.entered(parts) as holder:
            found = os.open(parts[-1] if parts else ".", _READ, dir_fd=holder)
        try:
            yield found
        finally:
            os.close(found)


def start(context: PluginContext) -> Folder:
    """Return the folder of the settings. Raises ``ToolError`` when it is not there or may not be used."""
    named = context.settings(FolderSettings).path
    root = Path(named).expanduser() if named else context.data_folder / "files"
    if not named:
        root.mkdir(mode=0o700, exist_ok=True)
    try:
        next(root.iterdir(), None)
    except OSError as error:
        hint = f'Make it, and name it in the plugin\'s manifest: permissions = ["write:{named}"]'
        raise ToolError("path", f"{root} can't be used ({error.strerror})", hint) from error
    return Folder(root.resolve())


def read_whole(descriptor: int, largest: int) -> bytes:
    """Return the bytes of an open file. Raises ``ToolError`` when it is no file or has more than ``largest`` bytes."""
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        raise ToolError("path", "it is no file", "See folder_ls for what there is")
    with open(os.dup(descriptor), "rb") as file:  # noqa: PTH123 - a descriptor
        data = file.read(largest + 1)
    if len(data) > largest:
        raise ToolError("path", f"it has {about.st_size:,} bytes, at most {largest:,} are read", "Use a smaller file")
    return data


def refuse(error: OSError, path: str) -> NoReturn:
    """Raise the ``ToolError`` that says what an ``OSError`` means."""
    match error:
        case FileNotFoundError():
            raise ToolError("path", f"there is no {path}", "See folder_ls for what there is") from None
        case NotADirectoryError():
            raise ToolError("path", f"a part of {path} is no folder, or a symlink", "See folder_ls") from None
        case OSError(errno=40):  # ELOOP: a symlink where none is followed
            raise ToolError("path", f"{path} is a symlink, which is not followed", "Use the file itself") from None
    raise ToolError("path", f"{path}: {error.strerror or error}", "") from None
