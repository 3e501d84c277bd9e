"""Putting a backup of the log in the place of the log, while nobody else has it open."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from homeagent.errors import DamagedError, HomeError, StoreError
from homeagent.memory.store.records import Doomed
from homeagent.memory.store.sqlite.log_erasures import erase_rows
from homeagent.memory.store.sqlite.log_schema import LOG_SCHEMA
from homeagent.paths import make_private

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["copy_checked", "count_turns", "erase_again", "let_go"]


def copy_checked(source: Path, target: Path) -> None:
    """Copy a backup to the new file ``target`` after looking through it.

    Raises `HomeError` when it can't be read, `StoreError` when it is no log of HomeAgent or a newer version's, and
    `DamagedError` when something in it is wrong.
    """
    if not source.is_file():
        raise HomeError(str(source), "is not there", "Name a file that 'homeagent memory backup' made")
    make_private(target)
    try:
        with (
            closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as backup,
            closing(sqlite3.connect(target)) as copy,
        ):
            (named,) = backup.execute("PRAGMA application_id").fetchone()
            (version,) = backup.execute("PRAGMA user_version").fetchone()
            if named != LOG_SCHEMA.application_id:
                raise StoreError(str(source), "is no backup of a HomeAgent log", "Name one that 'memory backup' made")
            if version > LOG_SCHEMA.current:
                raise StoreError(str(source), f"was made by a newer HomeAgent (format {version})", "Update HomeAgent")
            backup.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            (answer,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
            if answer != "ok":
                raise DamagedError(str(source), f"is damaged ({answer})", "Use another backup")
    except sqlite3.Error as error:
        raise DamagedError(str(source), f"is damaged or no database ({error})", "Use another backup") from error


def count_turns(path: Path) -> int:
    """Return how many turns a log file holds; 0 for an empty file."""
    with closing(sqlite3.connect(path)) as connection:
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'turn'").fetchone() is None:
            return 0
        return int(connection.execute("SELECT count(*) FROM turn").fetchone()[0])


def let_go(path: Path) -> None:
    """Fold the WAL into the file, which only works when no other process has it open. Raises `StoreError`."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=1.0)) as connection:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        except sqlite3.OperationalError:
            mode = "wal"
        if mode != "delete":
            raise StoreError(
                str(path), "is open in another process", "Close every HomeAgent on this home and try again"
            )


def erase_again(old: Path, new: Path, now_us: int) -> int:
    """Erase from ``new``, an older state of the log ``old``, what was erased from ``old`` since; return the turns.

    The two are the same log where they have the same lines at the same places: lines of its order are never deleted.
    """
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("ATTACH ? AS old", (str(old),))
        if connection.execute("SELECT 1 FROM old.sqlite_schema WHERE name = 'erased'").fetchone() is None:
            return 0
        connection.execute("BEGIN IMMEDIATE")
        gone = (
            "SELECT d.seq FROM old.erased d JOIN old.entry o ON o.seq = d.seq"
            " JOIN main.entry n ON n.seq = o.seq AND n.kind = o.kind AND n.recorded_us = o.recorded_us"
        )
        kinds = {
            kind: tuple(seq for (seq,) in connection.execute(f"SELECT seq FROM main.{kind} WHERE seq IN ({gone})"))
            for kind in ("turn", "segment", "explicit_write")
        }
        pins = _pins_to_carry(connection)
        doomed = Doomed(kinds["turn"], kinds["segment"], kinds["explicit_write"], pins)
        if any(kinds.values()) or pins:
            erase_rows(connection, doomed, "restore", now_us)
        connection.execute("COMMIT")
        connection.execute("DETACH old")
        connection.execute("VACUUM")
    return len(doomed.turns)


def _pins_to_carry(connection: sqlite3.Connection) -> dict[int, list[tuple[int, int]]]:
    """Return what the erasures of ``old`` keep out of segments that ``main`` holds too: what those copied is gone."""
    same = (
        "SELECT n.seq FROM old.entry o JOIN main.entry n ON n.seq = o.seq AND n.kind = o.kind"
        " AND n.recorded_us = o.recorded_us JOIN main.segment s ON s.seq = n.seq"
    )
    here = {seq for (seq,) in connection.execute(same)}
    found: dict[int, list[tuple[int, int]]] = {}
    for (stored,) in connection.execute("SELECT pins FROM old.erasure ORDER BY seq"):
        for segment, parts in json.loads(stored).items():
            if int(segment) in here:
                found.setdefault(int(segment), []).extend((start, end) for start, end in parts)
    return found
