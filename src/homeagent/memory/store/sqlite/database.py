"""One SQLite file: private, in WAL mode, one writer at a time, readers per thread, errors a person can act on."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.errors import DamagedError, HomeError, OutdatedError, StoreError
from homeagent.paths import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

__all__ = ["Database", "Schema"]

_BUSY_SECONDS = 60.0
_CLOSE_SECONDS = 10.0
_COMMITS = 64
_CHECKPOINT_TRIES = 200
_CHECKPOINT_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Schema:
    """What a file holds: ``application_id`` tells ours from others, ``steps[n]`` takes version n to n + 1.

    A ``precious`` file is copied before a step changes it, as ``log.v1.db`` for version 1. One that is not precious is
    never changed from version to version: it is made again, by the one step there is, as ``version``.
    ``checkpoint_pages`` is how long the WAL grows, in pages of 4 KiB, before a commit folds it into the file; `fold`
    is to be called long before, in a quiet moment.
    """

    name: str
    application_id: int
    steps: Sequence[Callable[[sqlite3.Connection], None]]
    synchronous: str
    precious: bool = True
    version: int = 0
    checkpoint_pages: int = 4000

    @property
    def current(self) -> int:
        """The version that a file has after every step."""
        return self.version or len(self.steps)


class Database:
    """A SQLite file opened for one process.

    Writes go through one connection under a lock and ``BEGIN IMMEDIATE``, so two writers wait for each other instead
    of failing; every reading thread has a connection of its own.
    """

    def __init__(self, path: Path, schema: Schema) -> None:
        self.path = path
        self._schema = schema
        self._lock = threading.RLock()
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._closed = False
        self._users = 0
        self._commits = 0
        self._in_use = threading.Condition()
        with self._translated():
            self._refuse_foreign()
            self._writer = self._connect()
            self._migrate()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        _use_wal(connection)
        connection.execute(f"PRAGMA synchronous = {self._schema.synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA cache_size = -16384")
        connection.execute(f"PRAGMA wal_autocheckpoint = {self._schema.checkpoint_pages}")
        return connection

    def _refuse_foreign(self) -> None:
        """Raise `StoreError` for another program's database, before anything in it changes."""
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            connection.execute("BEGIN")  # both of one moment: another process may be making the file
            (named,) = connection.execute("PRAGMA application_id").fetchone()
            empty = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None
            if named == self._schema.application_id or (named == 0 and empty):
                return
        finally:
            connection.close()
        raise StoreError(
            str(self.path),
            f"is a SQLite file, but not a HomeAgent {self._schema.name}",
            "Name another home with --home",
        )

    def _migrate(self) -> None:
        schema = self._schema
        if self._version() == schema.current and self._application() == schema.application_id:
            return
        with self.write() as connection:
            found = self._version()
            if found > schema.current:
                raise StoreError(
                    str(self.path),
                    f"was written by a newer HomeAgent (format {found}, this one knows {schema.current})",
                    "Update HomeAgent, or open a backup made by this version",
                )
            if found and not schema.precious:
                raise OutdatedError(
                    str(self.path),
                    f"was written by an older HomeAgent (format {found}, this one writes {schema.current})",
                    "Run 'homeagent memory rebuild'",
                )
            if found:
                self._copy_before(found)
            for step in schema.steps[found:]:
                step(connection)
            connection.execute(f"PRAGMA user_version = {schema.current}")
            connection.execute(f"PRAGMA application_id = {schema.application_id}")

    def _copy_before(self, version: int) -> None:
        """Copy the file as it was committed last beside it, named with its version; this process holds the lock."""
        target = self.path.with_name(f"{self.path.stem}.v{version}.db")
        part = target.with_name(f".{target.name}.part")
        part.unlink(missing_ok=True)
        make_private(part)
        source, copy = sqlite3.connect(self.path, isolation_level=None), sqlite3.connect(part, isolation_level=None)
        try:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        finally:
            copy.close()
            source.close()
        part.replace(target)

    def _version(self) -> int:
        return int(self._writer.execute("PRAGMA user_version").fetchone()[0])

    def _application(self) -> int:
        return int(self._writer.execute("PRAGMA application_id").fetchone()[0])

    def write(self) -> AbstractContextManager[sqlite3.Connection]:
        """Hold the write lock of the file for the block: all of it is committed, or nothing.

        A block inside a block joins the outer one; what is read inside sees what was written inside.
        """
        return nullcontext(self._writer) if self.writing else self._transaction()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._translated():
            self._writer.execute("BEGIN IMMEDIATE")
            self._local.writing = True
            try:
                yield self._writer
                self._writer.execute("COMMIT")
                self._commits += 1
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._local.writing = False

    def _roll_back(self) -> None:
        if self._writer.in_transaction:  # some errors, a full disk among them, have rolled back already
            self._writer.execute("ROLLBACK")

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a `write` block."""
        return bool(getattr(self._local, "writing", False))

    def read(self) -> AbstractContextManager[sqlite3.Connection]:
        """Give this thread's reading connection; one snapshot per statement, or that of the `snapshot` around it."""
        if self.writing:
            return nullcontext(self._writer)
        pinned: sqlite3.Connection | None = getattr(self._local, "pinned", None)
        return self._reading() if pinned is None else nullcontext(pinned)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._in_use:
            self._users += 1
        try:
            with self._translated():
                yield self._reader()
        finally:
            with self._in_use:
                self._users -= 1
                self._in_use.notify_all()

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
            with self._in_use:  # not the writer's lock: a thread's first question would wait for a long transaction
                self._readers.append(connection)
        return connection

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Give a reading connection that sees one state of the file for the whole block."""
        with self.read() as connection:
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            self._local.pinned = connection
            try:
                yield connection
            finally:
                self._local.pinned = None
                connection.execute("COMMIT")

    def fold(self) -> None:
        """Write what the WAL holds into the file while others go on, as far as nobody reads it.

        Nothing until this process has committed some dozens of times: pages are written together, not one by one.
        """
        if self._commits < _COMMITS:
            return
        self._commits = 0
        with self.read() as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()

    def compact(self) -> None:
        """Write every page anew and empty the WAL, so that nothing deleted is left in free space.

        Raises `StoreError` when a reader keeps the WAL from being emptied: then old pages are still in it.
        """
        with self._lock, self._translated():
            self._writer.execute("VACUUM")
            for _ in range(_CHECKPOINT_TRIES):
                if not self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                    return
                time.sleep(_CHECKPOINT_PAUSE_SECONDS)
        raise StoreError(
            f"{self.path}-wal",
            "still holds pages of what was deleted, because another program is reading the database",
            "Close that program, then erase anything or run 'homeagent memory rebuild' to finish",
        )

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy of the file to ``target`` while others go on using this one."""
        with self._translated():
            make_private(target)
            copy = sqlite3.connect(target, isolation_level=None)
            try:
                with self.read() as connection:
                    connection.backup(copy, pages=1024, sleep=0.01)
                copy.execute("PRAGMA journal_mode = DELETE")
            finally:
                copy.close()

    def close(self) -> None:
        """Close every connection; the WAL is folded into the file by the last process that does.

        Threads that are reading have some seconds to end; a connection in use is never closed, it would crash SQLite.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            with self._in_use:
                unused = self._in_use.wait_for(lambda: not self._users, _CLOSE_SECONDS)
            for connection in [*(self._readers if unused else ()), self._writer]:
                connection.close()
            self._readers.clear()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _explained(self.path, error) from error


def _use_wal(connection: sqlite3.Connection) -> None:
    """Change to WAL mode, waiting for whoever makes the file just now: for this change SQLite itself does not wait."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(_CHECKPOINT_PAUSE_SECONDS)
        else:
            return


def _explained(path: Path, error: sqlite3.Error) -> HomeError | StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    where = str(path)
    match code:
        case sqlite3.SQLITE_FULL:
            return HomeError(where, "the disk is full, nothing of this was written", "Free some space and try again")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return HomeError(where, f"can't be written ({error})", "Check the folder's permissions, or use --home")
        case sqlite3.SQLITE_IOERR:
            return HomeError(
                where, f"the disk failed or is full ({error})", "Free some space, check the disk, try again"
            )
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return DamagedError(where, f"is damaged or no database ({error})", _cure(path))
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(
                where,
                f"was in use by another program for {_BUSY_SECONDS:.0f} s",
                "Close that program and try again",
            )
        case _:
            return StoreError(
                where, f"{type(error).__name__}: {error}", "Run 'homeagent doctor' and report what it says"
            )


def _cure(path: Path) -> str:
    if path.name.startswith("derived"):
        return "It can be made again: run 'homeagent memory rebuild'"
    return "Restore the newest backup of log.db; everything else is computed from it"
