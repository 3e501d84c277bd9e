"""Where things are: the home folder and its files, the cache, and their permissions."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from homeagent.errors import HomeError

__all__ = ["Home", "cache_folder", "default_home", "make_private"]

_PRIVATE_FOLDER = 0o700
_PRIVATE_FILE = 0o600


def default_home() -> Path:
    """Return the home folder used when none is named: ``$HOMEAGENT_HOME``, else the user's data folder."""
    named = os.environ.get("HOMEAGENT_HOME")
    return Path(named).expanduser() if named else Path(platformdirs.user_data_dir("homeagent", appauthor=False))


def cache_folder() -> Path:
    """Return the folder for what can be made again at any time: ``$HOMEAGENT_CACHE``, else the user's cache."""
    named = os.environ.get("HOMEAGENT_CACHE")
    return Path(named).expanduser() if named else Path(platformdirs.user_cache_dir("homeagent", appauthor=False))


@dataclass(frozen=True, slots=True)
class Home:
    """One home folder: the log, everything computed from it, and the configuration."""

    root: Path

    @property
    def log(self) -> Path:
        """The raw half, the only file a backup needs."""
        return self.root / "log.db"

    @property
    def derived(self) -> Path:
        """The computed half, disposable."""
        return self.root / "derived.db"

    @property
    def config(self) -> Path:
        """The owner's settings."""
        return self.root / "config.toml"

    @property
    def lease(self) -> Path:
        """Lock file: whoever holds it may derive."""
        return self.root / "derive.lock"

    @property
    def writers(self) -> Path:
        """Folder of lock files, one for each process that has turns open."""
        return self.root / "writers"

    @property
    def backups(self) -> Path:
        """Folder of the copies that the owner's rule makes."""
        return self.root / "backups"

    def prepare(self) -> None:
        """Make the folder if it is not there, private to its owner; raise `HomeError` when it can't be used."""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
            self.writers.mkdir(exist_ok=True, mode=_PRIVATE_FOLDER)
            if stat.S_IMODE(self.root.stat().st_mode) & 0o077:
                self.root.chmod(_PRIVATE_FOLDER)
            for path in (self.log, self.derived, self.lease):
                make_private(path)
        except OSError as error:
            raise HomeError(str(self.root), _reason(error), _advice(error)) from error


def make_private(path: Path) -> None:
    """Create ``path`` empty with mode 600 when it is not there; narrow its mode when others could read it."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE_FILE))
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "the file can't be written", str(path))
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(_PRIVATE_FILE)


def _reason(error: OSError) -> str:
    return f"the home folder can't be used ({error.strerror or error})"


def _advice(error: OSError) -> str:
    match error.errno:
        case 30:
            return "The file system is read-only: mount it writable, or name another folder with --home"
        case 28:
            return "The disk is full: free some space and try again, nothing was lost"
        case 13 | 1:
            return "Give your user write access to it, or name another folder with --home"
        case 20 | 17:
            return "A file is in the way: name a folder with --home"
        case _:
            return "Name another folder with --home"
