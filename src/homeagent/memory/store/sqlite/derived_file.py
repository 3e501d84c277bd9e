"""The file behind the computed half: opened again when a rebuild put another in its place."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from homeagent.errors import DamagedError
from homeagent.memory.store.sqlite.database import Database
from homeagent.memory.store.sqlite.derived_schema import DERIVED_SCHEMA
from homeagent.paths import make_private

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DerivedFile"]

_LOG = logging.getLogger(__name__)


class DerivedFile:
    """Gives the database that ``path`` is now. A rebuild by any process renames a new file over it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._left: list[Database] = []
        self._database, self._inode = self._opened()

    def database(self) -> Database:
        """Return the open database; in the middle of a transaction always the same."""
        database = self._database
        if database.writing or self._on_disk() == self._inode:
            return database
        with self._lock:
            if self._on_disk() not in (self._inode, -1):
                self._left.append(self._database)  # another thread may be reading it
                self._database, self._inode = self._opened()
            return self._database

    def replace_by(self, path: Path) -> None:
        """Rename the closed, finished file ``path`` over this one.

        The caller holds the lease, so nobody writes; who still reads the old file goes on with it until he looks again.
        The old file's WAL must not be taken for the new one's.
        """
        with self._lock:
            self._database.close()
            for name in ("-wal", "-shm"):
                self.path.with_name(self.path.name + name).unlink(missing_ok=True)
            path.replace(self.path)
            self._database, self._inode = self._opened()

    def close(self) -> None:
        """Close the file, and those it took the place of."""
        with self._lock:
            for database in [*self._left, self._database]:
                database.close()

    def _opened(self) -> tuple[Database, int]:
        try:
            database = Database(self.path, DERIVED_SCHEMA)
        except DamagedError as error:
            # Nothing in it is precious: it is put aside, and derived again from the log.
            aside = self.path.with_name(f"derived.damaged-{time.time_ns()}.db")
            _LOG.warning("%s; it is put aside as %s and derived again", error, aside.name)
            self.path.replace(aside)
            for name in ("-wal", "-shm"):
                self.path.with_name(self.path.name + name).unlink(missing_ok=True)
            make_private(self.path)
            database = Database(self.path, DERIVED_SCHEMA)
        return database, self._on_disk()

    def _on_disk(self) -> int:
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            return -1
