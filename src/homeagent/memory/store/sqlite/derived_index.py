"""Passages, their terms and vectors in ``derived.db``: written a turn at a time, searched by scope."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.store.sqlite.codec import encode
from homeagent.memory.store.sqlite.derived_rows import as_embedded, as_passage, as_size, output_flags, packed_spans
from homeagent.memory.store.sqlite.derived_schema import TERM_COLUMNS
from homeagent.memory.store.sqlite.fts_pages import index_levels

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText
    from homeagent.memory.store.protocols import IndexedPassage
    from homeagent.memory.store.records import Passage, PassageSize

__all__ = [
    "EVERYTHING",
    "UNMERGED",
    "adopt_vectors",
    "damages",
    "delete_passages",
    "insert_passage",
    "is_unmerged",
    "merge_terms",
    "merge_whole",
    "note_change",
    "passages",
    "postings",
    "prune_texts",
    "put_vectors",
    "scope_counts",
    "sizes",
    "term_counts",
    "text_key",
    "unembedded",
    "vector_rows",
]

_MATCH_TERMS = 400

UNMERGED = "unmerged"
"""Set in ``meta`` while FTS5's segments still hold terms of deleted rows: it only marks them until they are merged."""

_STRUCTURE = 10
_MOST_LEVELS = 1000
"""Each merge of everything adds a level to an FTS5 index; SQLite takes one with more than 2,000 for damaged."""

EVERYTHING = -1
"""In ``change``: not one turn changed but possibly all."""


def text_key(text: ComputeText) -> bytes:
    """Return the name of a text among the vectors: 16 bytes, the same for the same characters."""
    return hashlib.blake2b(encode(text.text), digest_size=16).digest()


def insert_passage(connection: sqlite3.Connection, item: IndexedPassage, scope: int, audience: str) -> None:
    """Add one passage with its index terms; ``audience`` are the terms that say who may find it."""
    passage = item.passage
    connection.execute(
        "INSERT INTO passage(passage, turn, scope, kind, text, spans, text_key, words, bigrams, flags, said_by)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            passage.passage, passage.turn, scope, passage.kind, encode(passage.text.text),
            packed_spans(passage.text), text_key(item.embedded),
            len(item.terms.get("words", ())), len(item.terms.get("bigrams", ())),
            output_flags(item.cues), encode(item.cues.said_by),
        ),
    )  # fmt: skip
    columns = ", ".join(TERM_COLUMNS)
    marks = ", ".join("?" * len(TERM_COLUMNS))
    values = [" ".join(item.terms.get(column, ())) for column in TERM_COLUMNS[:-1]]
    connection.execute(f"INSERT INTO terms(rowid, {columns}) VALUES (?, {marks})", (passage.passage, *values, audience))
    connection.execute(
        "INSERT OR IGNORE INTO embedded(text_key, text) VALUES (?, ?)",
        (text_key(item.embedded), encode(item.embedded.text)),
    )


def delete_passages(connection: sqlite3.Connection, turn: int) -> set[bytes]:
    """Take a turn's passages out of every index; return the keys of their texts, for `prune_texts`."""
    rows = connection.execute("SELECT passage, text_key FROM passage WHERE turn = ?", (turn,)).fetchall()
    for passage, _ in rows:
        connection.execute("DELETE FROM terms WHERE rowid = ?", (passage,))
    if rows:
        connection.execute("DELETE FROM passage WHERE turn = ?", (turn,))
        connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, '1')", (UNMERGED,))
    return {key for _, key in rows}


def prune_texts(connection: sqlite3.Connection, keys: Iterable[bytes]) -> None:
    """Delete the embedded texts and vectors that no passage uses any more."""
    models: list[str] | None = None
    for key in keys:
        if connection.execute("SELECT 1 FROM passage WHERE text_key = ? LIMIT 1", (key,)).fetchone() is None:
            models = _models(connection) if models is None else models
            connection.execute("DELETE FROM embedded WHERE text_key = ?", (key,))
            for model in models:  # without its name every vector would be looked at
                connection.execute("DELETE FROM vector WHERE model = ? AND text_key = ?", (model, key))


def _models(connection: sqlite3.Connection) -> list[str]:
    """Return the models that vectors are stored of, each found by one step into the index."""
    found: list[str] = []
    while True:
        last = found[-1] if found else ""
        (model,) = connection.execute("SELECT min(model) FROM vector WHERE model > ?", (last,)).fetchone()
        if model is None:
            return found
        found.append(model)


def is_unmerged(connection: sqlite3.Connection) -> bool:
    """Return whether the full-text index still holds terms of deleted rows."""
    return connection.execute("SELECT 1 FROM meta WHERE key = ?", (UNMERGED,)).fetchone() is not None


def merge_terms(connection: sqlite3.Connection) -> bool:
    """Write the full-text index anew where it still holds terms of deleted rows; say whether it did."""
    if not is_unmerged(connection):
        return False
    merge_whole(connection)
    connection.execute("DELETE FROM meta WHERE key = ?", (UNMERGED,))
    return True


def merge_whole(connection: sqlite3.Connection) -> None:
    """Write the full-text index as one segment; all of it anew, from its rows, once it has grown too many levels."""
    row = connection.execute("SELECT block FROM terms_data WHERE id = ?", (_STRUCTURE,)).fetchone()
    many = row is not None and index_levels(bytes(row[0])) >= _MOST_LEVELS
    connection.execute("INSERT INTO terms(terms) VALUES (?)", ("rebuild" if many else "optimize",))


def damages(connection: sqlite3.Connection) -> list[str]:
    """Return what is wrong inside the full-text index."""
    try:
        connection.execute("INSERT INTO terms(terms, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        return [f"terms: the full-text index does not fit its rows ({error})"]
    return []


def passages(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, Passage]:
    """Return the passages with these ids, in no order."""
    found: dict[int, Passage] = {}
    for start in range(0, len(ids), _MATCH_TERMS):
        part = ids[start : start + _MATCH_TERMS]
        marks = ",".join("?" * len(part))
        sql = f"SELECT passage, turn, kind, text, spans FROM passage WHERE passage IN ({marks})"
        for row in connection.execute(sql, tuple(part)):
            found[row[0]] = as_passage(row)
    return found


def scope_counts(connection: sqlite3.Connection) -> dict[int, int]:
    """Return how many passages each scope holds."""
    return dict(connection.execute("SELECT scope, count(*) FROM passage GROUP BY scope").fetchall())


def postings(
    connection: sqlite3.Connection, column: str, term: str, audience: Sequence[str] | None, limit: int
) -> NDArray[np.int64]:
    """Return the passages whose ``column`` holds ``term`` and that one of the ``audience`` terms may find.

    None for ``audience`` means the owner's view of everything. At most ``limit``, newest first.
    """
    match = f"{column} : {_quoted(term)}"
    if audience is not None:
        names = " OR ".join(_quoted(name) for name in audience)
        match = f"({match}) AND audience : ({names})"
    # One text of all of them: to make a row of each takes Python three times as long as the search.
    sql = "SELECT group_concat(rowid) FROM (SELECT rowid FROM terms WHERE terms MATCH ? ORDER BY rowid DESC LIMIT ?)"
    (found,) = connection.execute(sql, (match, limit)).fetchone()
    return np.fromstring(found or "", np.int64, sep=",")


def term_counts(
    connection: sqlite3.Connection, column: str, passages: Sequence[int], terms: Collection[str]
) -> dict[int, dict[str, int]]:
    """Return how often each passage holds each of the terms in ``column``."""
    counts: dict[int, dict[str, int]] = {}
    place = f"c{TERM_COLUMNS.index(column)}"  # FTS5's own table: asked by way of the index it takes twice as long
    for start in range(0, len(passages), _MATCH_TERMS):
        part = passages[start : start + _MATCH_TERMS]
        marks = ",".join("?" * len(part))
        for passage, text in connection.execute(f"SELECT id, {place} FROM terms_content WHERE id IN ({marks})", part):
            held: dict[str, int] = {}
            for term in text.split(" "):
                if term in terms:
                    held[term] = held.get(term, 0) + 1
            counts[passage] = held
    return counts


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


def unembedded(connection: sqlite3.Connection, model: str, turns: Sequence[int]) -> dict[bytes, ComputeText]:
    """Return key and text of what these turns need embedded and has no vector of this model yet."""
    missing: dict[bytes, ComputeText] = {}
    for turn in turns:
        rows = connection.execute(
            "SELECT e.text_key, e.text FROM passage p JOIN embedded e ON e.text_key = p.text_key"
            " LEFT JOIN vector v ON v.text_key = p.text_key AND v.model = ?"
            " WHERE p.turn = ? AND v.text_key IS NULL",
            (model, turn),
        )
        missing.update((key, as_embedded(text)) for key, text in rows)
    return missing


def put_vectors(connection: sqlite3.Connection, model: str, rows: Iterable[tuple[bytes, bytes]]) -> None:
    """Store vectors (float16, little-endian) by text key; a text that has left the memory meanwhile is skipped."""
    connection.executemany(
        "INSERT OR REPLACE INTO vector(model, text_key, data) SELECT ?, text_key, ? FROM embedded WHERE text_key = ?",
        ((model, data, key) for key, data in rows),
    )


def note_change(connection: sqlite3.Connection, turn: int) -> None:
    """Tell every process that keeps a copy in memory that this turn's passages or vectors changed."""
    connection.execute("INSERT INTO change(turn) VALUES (?)", (turn,))


def vector_rows(
    connection: sqlite3.Connection, model: str, turns: Sequence[int] | None
) -> Iterator[tuple[int, int, bytes]]:
    """Yield (passage, scope, vector) of the embedded passages of these turns, or of all, in id order."""
    sql = "SELECT p.passage, p.scope, v.data FROM passage p JOIN vector v ON v.text_key = p.text_key AND v.model = ?"
    if turns is None:
        yield from connection.execute(f"{sql} ORDER BY p.passage", (model,))
        return
    for turn in turns:
        yield from connection.execute(f"{sql} WHERE p.turn = ? ORDER BY p.passage", (model, turn))


def adopt_vectors(connection: sqlite3.Connection, other: Path, model: str, without: Collection[bytes]) -> None:
    """Copy the vectors of ``other`` for the texts that are here too, but for the keys in ``without``."""
    source = sqlite3.connect(f"file:{other}?mode=ro", uri=True)
    try:
        rows = source.execute("SELECT text_key, data FROM vector WHERE model = ?", (model,))
        put_vectors(connection, model, ((key, data) for key, data in rows if key not in without))
    finally:
        source.close()


def sizes(connection: sqlite3.Connection, turns: Sequence[int] | None) -> list[PassageSize]:
    """Return the passages of these turns, or of all, by id."""
    sql = "SELECT passage, turn, scope, words, bigrams, kind, flags, said_by FROM passage"
    if turns is None:
        return [as_size(row) for row in connection.execute(f"{sql} ORDER BY passage")]
    return [
        as_size(row)
        for turn in turns
        for row in connection.execute(f"{sql} WHERE turn = ? ORDER BY passage", (turn,)).fetchall()
    ]
