"""Who has turns open: one lock file for each process that does, so that a killed one is told from a living one."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING

from homeagent.memory.lease import held_lock, is_held, remove_unheld

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Writers"]


class Writers:
    """The lock files in one folder, and this process's own, made when it opens its first turn."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = ""
        self._lock = -1

    def mine(self) -> str:
        """Return the name under which this process opens turns; held until `release` or its death."""
        if self._lock < 0:
            self._name = secrets.token_hex(8)
            self._lock = held_lock(self._path(self._name))
        return self._name

    def is_gone(self, name: str) -> bool:
        """Whether the process that opened turns under ``name`` is no more."""
        return not name or not is_held(self._path(name))

    def sweep(self) -> None:
        """Remove the lock files of processes that are gone."""
        for path in self._folder.glob("*.lock"):
            remove_unheld(path)

    def release(self) -> None:
        """Let go of this process's own lock file."""
        if self._lock >= 0:
            with contextlib.suppress(FileNotFoundError):
                self._path(self._name).unlink()
            os.close(self._lock)
            self._lock = -1

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.lock"
