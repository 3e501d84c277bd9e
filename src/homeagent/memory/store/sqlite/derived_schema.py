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
CREATE INDEX todo_step ON todo(step, seq);
CREATE TABLE computed (
    segment INTEGER PRIMARY KEY, turn INTEGER NOT NULL, position INTEGER NOT NULL, role TEXT NOT NULL, tool BLOB,
    decision TEXT NOT NULL, reason TEXT NOT NULL, raw_length INTEGER NOT NULL, text BLOB NOT NULL, spans TEXT NOT NULL,
    cuts TEXT NOT NULL, fingerprint TEXT NOT NULL
) STRICT;
CREATE INDEX computed_turn ON computed(turn, position);
CREATE INDEX computed_cut ON computed(segment) WHERE cuts <> '[]';
CREATE TABLE chat (chat INTEGER PRIMARY KEY, channel BLOB NOT NULL, name BLOB NOT NULL) STRICT;
CREATE TABLE audience (
    audience INTEGER PRIMARY KEY, channel BLOB NOT NULL, members BLOB NOT NULL, shared BLOB NOT NULL
) STRICT;
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
    text BLOB NOT NULL, spans TEXT NOT NULL, text_key BLOB NOT NULL, words INTEGER NOT NULL, bigrams INTEGER NOT NULL,
    flags INTEGER NOT NULL, said_by BLOB NOT NULL
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
    chat INTEGER NOT NULL, own INTEGER NOT NULL, gram INTEGER NOT NULL, segment INTEGER NOT NULL,
    context INTEGER NOT NULL, PRIMARY KEY (chat, own, gram, segment, context)
) WITHOUT ROWID, STRICT;
CREATE TABLE copied_unit (
    chat INTEGER NOT NULL, own INTEGER NOT NULL, unit INTEGER NOT NULL, segment INTEGER NOT NULL,
    PRIMARY KEY (chat, own, unit, segment)
) WITHOUT ROWID, STRICT;
CREATE INDEX copied_run_own ON copied_run(segment) WHERE own = 1;
CREATE INDEX copied_unit_own ON copied_unit(segment) WHERE own = 1;
CREATE TABLE change (change INTEGER PRIMARY KEY AUTOINCREMENT, turn INTEGER NOT NULL) STRICT;
CREATE TABLE document (
    document TEXT PRIMARY KEY, outcome INTEGER NOT NULL, title BLOB NOT NULL, done INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE document_turn (
    document TEXT NOT NULL, position INTEGER NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (document, position)
) WITHOUT ROWID, STRICT;
CREATE INDEX document_outcome ON document(outcome);
CREATE INDEX document_of_turn ON document_turn(turn);
CREATE TABLE document_part (
    document TEXT NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL, text BLOB NOT NULL, spans TEXT NOT NULL,
    amount INTEGER NOT NULL, PRIMARY KEY (document, kind, position)
) WITHOUT ROWID, STRICT;
CREATE TABLE document_term (
    document TEXT NOT NULL, term BLOB NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (document, term)
) WITHOUT ROWID, STRICT;
CREATE INDEX document_of_term ON document_term(term);
CREATE TABLE fact (
    source INTEGER NOT NULL, position INTEGER NOT NULL, fact TEXT NOT NULL,
    subject TEXT NOT NULL, subject_kind TEXT NOT NULL, subject_anchor TEXT NOT NULL, subject_key BLOB NOT NULL,
    subject_name BLOB NOT NULL, subject_spans TEXT NOT NULL, relation TEXT NOT NULL,
    value BLOB NOT NULL, value_spans TEXT NOT NULL, value_key BLOB NOT NULL,
    object TEXT NOT NULL, object_kind TEXT NOT NULL, object_anchor TEXT NOT NULL, object_key BLOB NOT NULL,
    object_name BLOB NOT NULL, object_spans TEXT NOT NULL, negative INTEGER NOT NULL, mode TEXT NOT NULL,
    changed INTEGER NOT NULL, confidence REAL NOT NULL, voice TEXT NOT NULL, channel BLOB NOT NULL,
    sender BLOB NOT NULL, scope INTEGER NOT NULL, at_us INTEGER, offset_minutes INTEGER, days TEXT NOT NULL,
    evidence BLOB NOT NULL, evidence_spans TEXT NOT NULL, PRIMARY KEY (source, position)
) WITHOUT ROWID, STRICT;
CREATE INDEX fact_subject ON fact(subject, relation);
CREATE INDEX fact_object ON fact(object, relation) WHERE object <> '';
CREATE INDEX fact_claim ON fact(fact);
CREATE INDEX fact_relation ON fact(relation);
CREATE TABLE mention (
    source INTEGER NOT NULL, position INTEGER NOT NULL, entity TEXT NOT NULL, kind TEXT NOT NULL, anchor TEXT NOT NULL,
    key BLOB NOT NULL, name_key BLOB NOT NULL, name BLOB NOT NULL, PRIMARY KEY (source, position)
) WITHOUT ROWID, STRICT;
CREATE INDEX mention_entity ON mention(entity);
CREATE INDEX mention_name ON mention(name_key);
CREATE TABLE extracted (
    turn INTEGER NOT NULL, outcome INTEGER NOT NULL, PRIMARY KEY (turn, outcome)
) WITHOUT ROWID, STRICT
"""


def _first_tables(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";\n"):
        connection.execute(statement)


_VERSION = 6
"""Raise it with every change of a table."""

_CHECKPOINT_PAGES = 16_000
"""One kept turn writes about 60 pages: at SQLite's 1,000 every 16th `keep` would wait for the file to be written."""

DERIVED_SCHEMA = Schema(
    "derived database",
    _APPLICATION,
    (_first_tables,),
    synchronous="NORMAL",
    precious=False,
    version=_VERSION,
    checkpoint_pages=_CHECKPOINT_PAGES,
)
"""Schema of the computed half: a crash may lose the last commits, and the queue derives them again."""
