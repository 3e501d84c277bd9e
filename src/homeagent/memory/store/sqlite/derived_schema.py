"""Tables of ``derived.db``. Nothing here is precious: a new version of the schema means a rebuild, not a migration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.store.sqlite.database import Schema

if TYPE_CHECKING:
    import sqlite3

__all__ = ["DERIVED_SCHEMA", "TERM_COLUMNS"]

_APPLICATION = 0x48414445  # "HADE"

TERM_COLUMNS = ("words", "bigrams", "symbols", "days", "speaker", "audience")
"""Columns of the full-text table, in the order in which ``bm25()`` takes their weights."""

# Tokens are made in Python and joined with spaces; for FTS5 everything but white space is part of a token.
_PUNCTUATION = "!\"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~"

_TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE todo (
    seq INTEGER NOT NULL, step TEXT NOT NULL, fingerprint TEXT NOT NULL, PRIMARY KEY (seq, step)
) WITHOUT ROWID, STRICT;
CREATE TABLE computed (
    segment INTEGER PRIMARY KEY, turn INTEGER NOT NULL, position INTEGER NOT NULL, role TEXT NOT NULL, tool BLOB,
    decision TEXT NOT NULL, reason TEXT NOT NULL, raw_length INTEGER NOT NULL, text BLOB NOT NULL, spans TEXT NOT NULL,
    cuts TEXT NOT NULL, fingerprint TEXT NOT NULL
) STRICT;
CREATE INDEX computed_turn ON computed(turn, position);
CREATE TABLE chat (chat INTEGER PRIMARY KEY, channel BLOB NOT NULL, name BLOB NOT NULL) STRICT;
CREATE TABLE audience (audience INTEGER PRIMARY KEY, channel BLOB NOT NULL, members BLOB NOT NULL) STRICT;
CREATE TABLE scope (scope INTEGER PRIMARY KEY, chat INTEGER NOT NULL, audience INTEGER NOT NULL) STRICT;
CREATE TABLE turn (
    seq INTEGER PRIMARY KEY, turn_id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, external_id TEXT NOT NULL,
    chat INTEGER NOT NULL, scope INTEGER NOT NULL, sender BLOB NOT NULL, at_us INTEGER, offset_minutes INTEGER,
    status TEXT NOT NULL, words REAL NOT NULL, asks REAL NOT NULL, flags INTEGER NOT NULL, fingerprint TEXT NOT NULL
) STRICT;
CREATE INDEX turn_chat ON turn(chat, seq);
CREATE INDEX turn_speaker ON turn(scope, sender);
CREATE INDEX turn_external ON turn(external_id) WHERE external_id <> '';
CREATE TABLE passage (
    passage INTEGER PRIMARY KEY, turn INTEGER NOT NULL, scope INTEGER NOT NULL, kind TEXT NOT NULL,
    text BLOB NOT NULL, spans TEXT NOT NULL, text_key BLOB NOT NULL, words INTEGER NOT NULL, bigrams INTEGER NOT NULL
) STRICT;
CREATE INDEX passage_turn ON passage(turn);
CREATE INDEX passage_scope ON passage(scope);
CREATE INDEX passage_key ON passage(text_key);
CREATE VIRTUAL TABLE terms USING fts5(
    {", ".join(TERM_COLUMNS)}, tokenize="ascii tokenchars '{_PUNCTUATION.replace('"', '""')}'"
);
CREATE TABLE embedded (text_key BLOB PRIMARY KEY, text BLOB NOT NULL) WITHOUT ROWID, STRICT;
CREATE TABLE vector (
    model TEXT NOT NULL, text_key BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (model, text_key)
) WITHOUT ROWID, STRICT;
CREATE TABLE copied_run (
    chat INTEGER NOT NULL, gram INTEGER NOT NULL, context INTEGER NOT NULL, segment INTEGER NOT NULL,
    own INTEGER NOT NULL, PRIMARY KEY (chat, gram, own, segment, context)
) WITHOUT ROWID, STRICT;
CREATE TABLE copied_unit (
    chat INTEGER NOT NULL, unit INTEGER NOT NULL, segment INTEGER NOT NULL, own INTEGER NOT NULL,
    PRIMARY KEY (chat, unit, own, segment)
) WITHOUT ROWID, STRICT;
CREATE TABLE change (change INTEGER PRIMARY KEY AUTOINCREMENT, turn INTEGER NOT NULL) STRICT;
CREATE TABLE document (document TEXT PRIMARY KEY, outcome INTEGER NOT NULL) STRICT;
CREATE TABLE document_turn (
    document TEXT NOT NULL, position INTEGER NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (document, position)
) WITHOUT ROWID, STRICT;
CREATE INDEX document_of_turn ON document_turn(turn)
"""


def _first_tables(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";\n"):
        connection.execute(statement)


DERIVED_SCHEMA = Schema("derived database", _APPLICATION, (_first_tables,), synchronous="NORMAL")
"""Schema of the computed half: a crash may lose the last commits, and the queue derives them again."""
