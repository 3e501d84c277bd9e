"""The file behind the computed half: opened again when a rebuild put another in its place."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from homeagent.errors import DamagedError, OutdatedError
from homeagent.memory.store.sqlite.database import Database
from homeagent.memory.store.sqlite.derived_schema import DERIVED_SCHEMA
from homeagent.paths import make_private

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["DerivedFile"]

_LOG = logging.getLogger(__name__)


class DerivedFile:
    """Gives the database that ``path`` is now. A rebuild by any process renames a new file over it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._pinned = threading.local()
        self._left: list[Database] = []
        self._database: Database
        self._inode: int
        try:
            self._database, self._inode = self._opened()
        except DamagedError as error:
            self.put_aside(str(error))
        except OutdatedError as error:
            _LOG.warning("%s: %s; it is derived again", error.where, error.problem)
            self._begin_anew()

    def database(self) -> Database:
        """Return the open database; in the middle of a transaction or a `snapshot` always the same."""
        pinned: Database | None = getattr(self._pinned, "database", None)
        if pinned is not None:
            return pinned
        database = self._database
        if database.writing or self._on_disk() == self._inode:
            return database
        with self._lock:
            if self._on_disk() not in (self._inode, -1):
                self._left.append(self._database)  # another thread may be reading it
                self._database, self._inode = self._opened()
            return self._database

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let everything this thread reads in the block be of one moment, of one file."""
        database = self.database()
        with database.snapshot():
            self._pinned.database = database
            try:
                yield
            finally:
                self._pinned.database = None

    def replace_by(self, path: Path) -> None:
        """Rename the closed, finished file ``path`` over this one.

        The caller holds the lease, so nobody writes. Who still reads the old file, here or in another process, goes on
        with it until he looks again; the old file's WAL must not be taken for the new one's.
        """
        with self._lock:
            self._left.append(self._database)
            for name in ("-wal", "-shm"):
                self.path.with_name(self.path.name + name).unlink(missing_ok=True)
            path.replace(self.path)
            self._database, self._inode = self._opened()

    def close(self) -> None:
        """Close the file, and those it took the place of."""
        with self._lock:
            for database in [*self._left, self._database]:
                database.close()

    def put_aside(self, why: str) -> None:
        """Rename a damaged file away and begin an empty one: nothing in it is precious, the log gives it all again."""
        with self._lock:
            aside = self.path.with_name(f"derived.damaged-{time.time_ns()}.db")
            _LOG.warning("%s; it is put aside as %s and derived again", why, aside.name)
            self.path.replace(aside)
            self._begin_anew()

    def _begin_anew(self) -> None:
        for name in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + name).unlink(missing_ok=True)
        make_private(self.path)
        if hasattr(self, "_database"):
            self._left.append(self._database)
        self._database, self._inode = self._opened()

    def _opened(self) -> tuple[Database, int]:
        return Database(self.path, DERIVED_SCHEMA), self._on_disk()

    def _on_disk(self) -> int:
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            return -1
