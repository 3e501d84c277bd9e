"""The folders that the file tools may use, and no way out of them: not by ``..``, not by a symlink, not by a race."""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

from homeagent.builtin.consent import visible
from homeagent_sdk import PluginContext, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["FileSettings", "Folders", "Place", "entered", "opened", "start", "told"]

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not blocking: opening a named pipe would wait for whoever writes into it.
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class FileSettings:
    """Which files may be used, and what is asked first."""

    roots: Annotated[
        tuple[str, ...], "folders whose files may be read and written; a folder of the agent's own if none is named"
    ] = ()
    ask_before: Annotated[
        Literal["nothing", "replacing", "writing"],
        "what the person is asked about: nothing, changing a file that exists, or all writing",
    ] = "writing"
    largest_bytes: Annotated[int, "larger files are not read"] = 32 * 1024 * 1024

    def __post_init__(self) -> None:
        """Refuse what can't work."""
        for root in self.roots:
            try:
                is_absolute = Path(root).expanduser().is_absolute()
            except RuntimeError as error:
                raise ValueError(f"roots: {root!r} can't be read: {error}") from None
            if not is_absolute:
                raise ValueError(f"roots: {root!r} is relative; write it from / or ~ on")


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder: the real folder that it may not leave, and the names that lead from there to it."""

    root: Path
    parts: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The whole path."""
        return self.root.joinpath(*self.parts)


class Folders:
    """The folders that may be used. ``home`` is where the agent keeps itself, which no wider folder opens up."""

    def __init__(self, roots: Sequence[Path], home: Path | None = None) -> None:
        self.roots = tuple(root.resolve() for root in roots)
        self._home = home.resolve() if home is not None else None

    def find(self, path: str) -> Place:
        """Return the place that a path means, symlinks resolved; a relative path starts in one of the folders.

        Raises ``ToolError`` when it lies or leads outside.
        """
        try:
            os.fsencode(path)
            given = Path(path).expanduser()
        except (UnicodeEncodeError, RuntimeError):
            raise ToolError("path", f"{visible(repr(path))} can't be a path", "Write it again") from None
        if "\0" in path:
            raise ToolError("path", "holds a NUL character", "Write it without")
        starts = [root / given for root in self.roots]
        start = next((each for each in starts if os.path.lexists(each)), starts[0])
        real = Path(os.path.realpath(start))
        within = [root for root in self.roots if real.is_relative_to(root) and not self._is_own(real, root)]
        if not within:
            names = ", ".join(map(str, self.roots))
            reason = f"{visible(path)} lies outside the folders that may be used"
            raise ToolError("path", reason, f"Use a path in {names}; the person can allow more in the settings")
        root = max(within, key=lambda each: len(each.parts))
        return Place(root, real.relative_to(root).parts)

    def _is_own(self, real: Path, root: Path) -> bool:
        home = self._home
        return home is not None and real.is_relative_to(home) and (root == home or not root.is_relative_to(home))


def start(context: PluginContext) -> Folders:
    """Return the folders of the settings; the plugin's own is made."""
    own = context.data_folder / "files"
    named = [Path(root).expanduser() for root in context.settings(FileSettings).roots]
    if not named:
        own.mkdir(mode=0o700, exist_ok=True)
    home = next((folder for folder in context.data_folder.resolve().parents if (folder / "log.db").exists()), None)
    return Folders(named or [own], home)


@contextlib.contextmanager
def entered(place: Place, *, create: bool = False) -> Iterator[int]:
    """Open the folder that holds a place and hand out its descriptor; ``create`` makes the folders that are missing.

    Each step is taken from the folder before and follows no symlink, so that nobody can turn the path elsewhere in
    between. Raises ``OSError``.
    """
    current = os.open(place.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in place.parts[:-1]:
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, dir_fd=current)
            following = os.open(name, _FOLDER_FLAGS, dir_fd=current)
            os.close(current)
            current = following
        yield current
    finally:
        os.close(current)


@contextlib.contextmanager
def opened(place: Place) -> Iterator[int]:
    """Open a place for reading and hand out its descriptor: a file, a folder or something else. Raises ``OSError``."""
    with entered(place) as folder:
        found = os.open(place.parts[-1] if place.parts else ".", _FILE_FLAGS, dir_fd=folder)
    try:
        yield found
    finally:
        os.close(found)


def told(error: OSError, place: Place) -> NoReturn:
    """Raise the ``ToolError`` that says what an ``OSError`` means for a place."""
    shown = visible(str(place.path))
    match error.errno:
        case errno.ENOENT:
            raise ToolError("path", f"there is no {shown}", _nearest(place)) from None
        case errno.ELOOP:
            raise ToolError("path", f"{shown} is a symlink that leads nowhere good", "Use another file") from None
        case errno.ENOTDIR:
            raise ToolError("path", f"{shown}: a part of it is no folder", "See files_ls") from None
        case errno.EACCES | errno.EPERM | errno.EROFS:
            raise ToolError("path", f"{shown}: {error.strerror}", "Ask the person to allow it") from None
    raise ToolError("path", f"{shown}: {error.strerror or error}", "") from None


def _nearest(place: Place) -> str:
    with contextlib.suppress(OSError):
        for depth, name in enumerate(place.parts):
            folder = place.root.joinpath(*place.parts[:depth])
            if not (folder / name).exists():
                near = difflib.get_close_matches(name, [entry.name for entry in folder.iterdir()], n=3)
                if near:
                    return f"Did you mean {visible(' or '.join(str(folder / each) for each in near))}?"
                break
    return "See files_ls for what there is"
