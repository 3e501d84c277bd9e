"""Tables of ``log.db`` and the numbered steps that made them. Rows are only ever added; triggers see to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.store.sqlite.database import Schema

if TYPE_CHECKING:
    import sqlite3

__all__ = ["LOG_SCHEMA"]

_APPLICATION = 0x48414C47  # "HALG"

_TABLES = """
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn INTEGER, recorded_us INTEGER NOT NULL
) STRICT;
CREATE TABLE turn (
    seq INTEGER PRIMARY KEY, turn_id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, external_id TEXT NOT NULL,
    channel BLOB NOT NULL, chat BLOB NOT NULL, sender BLOB NOT NULL, members BLOB NOT NULL,
    at_us INTEGER, offset_minutes INTEGER, writer TEXT NOT NULL
) STRICT;
CREATE INDEX turn_chat ON turn(channel, chat);
CREATE UNIQUE INDEX turn_external ON turn(source, external_id) WHERE external_id <> '';
CREATE TABLE segment (
    seq INTEGER PRIMARY KEY, turn INTEGER NOT NULL, position INTEGER NOT NULL, role TEXT NOT NULL,
    text BLOB, blob INTEGER, tool BLOB, call_id BLOB, arguments BLOB, error INTEGER NOT NULL,
    plugin TEXT NOT NULL, plugin_version TEXT NOT NULL, cites BLOB NOT NULL, no_memory INTEGER NOT NULL,
    UNIQUE (turn, position)
) STRICT;
CREATE INDEX segment_tool ON segment(tool) WHERE tool IS NOT NULL;
CREATE TABLE attachment (
    seq INTEGER PRIMARY KEY, segment INTEGER NOT NULL, position INTEGER NOT NULL,
    media_type TEXT NOT NULL, name BLOB NOT NULL, blob INTEGER NOT NULL
) STRICT;
CREATE INDEX attachment_segment ON attachment(segment);
CREATE TABLE blob (
    seq INTEGER PRIMARY KEY, sha256 BLOB NOT NULL UNIQUE, codec TEXT NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL
) STRICT;
CREATE TABLE closing (
    seq INTEGER PRIMARY KEY, turn INTEGER NOT NULL UNIQUE, status TEXT NOT NULL, at_us INTEGER NOT NULL
) STRICT;
CREATE TABLE policy (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, name BLOB NOT NULL, origin TEXT NOT NULL, action TEXT NOT NULL,
    no_memory INTEGER NOT NULL, cleaner BLOB NOT NULL, returns_memory INTEGER NOT NULL, target BLOB NOT NULL
) STRICT;
CREATE TABLE identity (
    seq INTEGER PRIMARY KEY, channel BLOB NOT NULL, sender BLOB NOT NULL, person TEXT NOT NULL, action TEXT NOT NULL
) STRICT;
CREATE TABLE explicit_write (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, turn INTEGER, payload BLOB NOT NULL
) STRICT;
CREATE TABLE outcome (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, payload BLOB NOT NULL) STRICT;
CREATE TABLE share (
    seq INTEGER PRIMARY KEY, turn INTEGER NOT NULL, audience BLOB NOT NULL, action TEXT NOT NULL
) STRICT;
CREATE TABLE forget (seq INTEGER PRIMARY KEY, turn INTEGER NOT NULL, action TEXT NOT NULL) STRICT;
CREATE TABLE erasure (
    seq INTEGER PRIMARY KEY, at_us INTEGER NOT NULL, by TEXT NOT NULL, pins BLOB NOT NULL
) STRICT;
CREATE TABLE erased (seq INTEGER PRIMARY KEY, erasure INTEGER NOT NULL) STRICT;
"""

_GUARDED = (
    "turn",
    "segment",
    "attachment",
    "blob",
    "closing",
    "policy",
    "identity",
    "explicit_write",
    "outcome",
    "share",
    "forget",
    "erasure",
    "erased",
    "entry",
)


_UNIQUE = {
    "turn": "turn_id = NEW.turn_id OR (external_id <> '' AND source = NEW.source AND external_id = NEW.external_id)",
    "segment": "turn = NEW.turn AND position = NEW.position",
    "closing": "turn = NEW.turn",
    "blob": "sha256 = NEW.sha256",
}
"""What else than its seq makes a row the same: INSERT OR REPLACE would delete it without firing a delete trigger."""

_NEVER_DELETED = ("entry", "erasure", "erased", "finished")


def _append_only(table: str) -> tuple[str, ...]:
    same = f"seq = NEW.seq OR {_UNIQUE[table]}" if table in _UNIQUE else "seq = NEW.seq"
    unless = "" if table in _NEVER_DELETED else "WHEN NOT EXISTS " + _ERASED
    final = f"the log is append-only: rows of {table} are never changed"
    stays = f"the log is append-only: rows of {table} go only by an erasure"
    known = f"the log is append-only: this row of {table} is there"
    refuse = f"RAISE(ABORT, '{known}')"
    is_there = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"
    return (
        f"CREATE TRIGGER {table}_is_final BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, '{final}'); END",
        f"CREATE TRIGGER {table}_stays BEFORE DELETE ON {table} {unless} BEGIN SELECT RAISE(ABORT, '{stays}'); END",
        f"CREATE TRIGGER {table}_is_new BEFORE INSERT ON {table} WHEN {is_there} BEGIN SELECT {refuse}; END",
    )


_ERASED = "(SELECT 1 FROM erased JOIN erasure ON erasure.seq = erased.erasure WHERE erased.seq = OLD.seq)"


def _m001_first_tables(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    for table in _GUARDED:
        for statement in _append_only(table):
            connection.execute(statement)


def _m002_finished_erasures(connection: sqlite3.Connection) -> None:
    """Remember which erasures left nothing in any file: one that was cut off before is finished at the next start."""
    connection.execute("CREATE TABLE finished (seq INTEGER PRIMARY KEY, at_us INTEGER NOT NULL) STRICT")
    for statement in _append_only("finished"):
        connection.execute(statement)


LOG_SCHEMA = Schema("log", _APPLICATION, (_m001_first_tables, _m002_finished_erasures), synchronous="FULL")
"""Schema of the raw half: every commit is on the disk before it is acknowledged."""
