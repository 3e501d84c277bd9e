"""The computed half as a SQLite file: written under the derive lease, replaced whole by a rebuild."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from homeagent.memory.store.records import IndexedTurn, Todo
from homeagent.memory.store.sqlite import derived_index, derived_places, derived_quotes, room
from homeagent.memory.store.sqlite.codec import encode
from homeagent.memory.store.sqlite.derived_file import DerivedFile
from homeagent.memory.store.sqlite.derived_graph import GRAPH_STEPS, delete_facts
from homeagent.memory.store.sqlite.derived_rows import (
    as_computed,
    as_embedded,
    as_outline,
    as_turn,
    flags_of,
    packed_spans,
)
from homeagent.memory.store.sqlite.derived_upkeep import DerivedUpkeep

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText
    from homeagent.memory.store.protocols import CopySketch, IndexedPassage, Scope
    from homeagent.memory.store.records import Computed, Passage, PassageSize, Step, TurnOutline
    from homeagent.memory.store.sqlite.database import Database

__all__ = ["SqliteDerived"]

UNCOMPACTED = "uncompacted"
"""Set in ``meta`` from when something is erased until every page was written anew."""

_TURN = """SELECT t.seq, t.turn_id, t.source, t.external_id, c.channel, c.name, t.sender, t.at_us, t.offset_minutes,
    t.status, t.scope, t.chat, t.words, t.asks, t.flags FROM turn t JOIN chat c ON c.chat = t.chat"""
_COMPUTED = """segment, turn, position, role, tool, decision, reason, raw_length, text, spans, cuts, fingerprint"""


class SqliteDerived(DerivedUpkeep):
    """`homeagent.memory.store.derived_protocol.DerivedStore` on one SQLite file."""

    def __init__(self, path: Path) -> None:
        self._file = DerivedFile(path)

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._file.path

    @property
    def _database(self) -> Database:
        return self._file.database()

    def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        """Make everything written inside the block one commit."""
        return self._database.write()

    def snapshot(self) -> AbstractContextManager[None]:
        """Let everything this thread reads inside the block be of one moment."""
        return self._file.snapshot()

    # -- progress ------------------------------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """Return a remembered value, or None."""
        with self._database.read() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
            return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        """Remember a value."""
        with self._database.write() as connection:
            connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (key, value))

    def queue(self, items: Iterable[Todo]) -> None:
        """Add things to derive; one that is queued already takes the newer fingerprint."""
        with self._database.write() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO todo(seq, step, fingerprint) VALUES (?, ?, ?)",
                ((item.seq, item.step, item.fingerprint) for item in items),
            )

    def todo(self, steps: Sequence[Step], limit: int) -> list[Todo]:
        """Return the oldest things to derive among these steps, by seq."""
        marks = ",".join("?" * len(steps))
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT seq, step, fingerprint FROM todo WHERE step IN ({marks}) ORDER BY seq, step LIMIT ?",
                (*steps, limit),
            )
            return [Todo(*row) for row in rows]

    def pending(self) -> dict[str, int]:
        """Return how many things wait that recall goes by, by step; `pending_graph` counts the others."""
        sql = "SELECT step, count(*) FROM todo WHERE step NOT IN (?, ?) GROUP BY step ORDER BY step"
        with self._database.read() as connection:
            return dict(connection.execute(sql, GRAPH_STEPS).fetchall())

    def finish(self, item: Todo) -> None:
        """Take a thing off the queue, in the transaction that did it; asked anew meanwhile, it stays."""
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM todo WHERE seq = ? AND step = ? AND fingerprint = ?",
                (item.seq, item.step, item.fingerprint),
            )

    # -- compute text --------------------------------------------------------------------------------------------

    def put_computed(self, row: Computed) -> None:
        """Store what the door let through of a segment, in place of what it let through before."""
        with self._database.write() as connection:
            connection.execute(
                f"INSERT OR REPLACE INTO computed({_COMPUTED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    row.segment, row.turn, row.position, row.role, None if row.tool is None else encode(row.tool),
                    row.decision, row.reason, row.raw_length, encode(row.text.text), packed_spans(row.text),
                    json.dumps(row.cuts), row.fingerprint,
                ),
            )  # fmt: skip

    def computed(self, segment: int) -> Computed | None:
        """Return what the door let through of a segment, or None when it has not been there yet."""
        with self._database.read() as connection:
            row = connection.execute(f"SELECT {_COMPUTED} FROM computed WHERE segment = ?", (segment,)).fetchone()
            return as_computed(row) if row else None

    def computed_of(self, turn: int) -> list[Computed]:
        """Return what the door let through of a turn's segments, in order."""
        with self._database.read() as connection:
            rows = connection.execute(f"SELECT {_COMPUTED} FROM computed WHERE turn = ? ORDER BY position", (turn,))
            return [as_computed(row) for row in rows]

    def all_computed(self) -> Iterator[Computed]:
        """Yield every computed row, oldest segment first."""
        with self._database.read() as connection:
            for row in connection.execute(f"SELECT {_COMPUTED} FROM computed ORDER BY segment").fetchall():
                yield as_computed(row)

    # -- quotes --------------------------------------------------------------------------------------------------

    def add_sketch(self, chat: int, segment: int, sketch: CopySketch, *, own: bool) -> None:
        """Remember what copying from a segment would look like."""
        with self._database.write() as connection:
            derived_quotes.insert_sketch(connection, chat, segment, sketch, own=own)

    def remove_sketch(self, chat: int, segment: int, sketch: CopySketch) -> None:
        """Take back `add_sketch`."""
        with self._database.write() as connection:
            derived_quotes.delete_sketch(connection, chat, segment, sketch)

    def remove_own_sketch(self, segment: int) -> None:
        """Take back what was remembered of a segment as the people's or the assistant's own words."""
        with self._database.write() as connection:
            derived_quotes.delete_own(connection, segment)

    def matching_runs(self, chat: int, grams: Sequence[int], before: int, *, own: bool) -> list[tuple[int, int, int]]:
        """Return (gram, context, segment) for the grams that earlier segments of the chat hold."""
        with self._database.read() as connection:
            return derived_quotes.matching_runs(connection, chat, grams, before, own=own)

    def matching_units(self, chat: int, units: Sequence[int], before: int, *, own: bool) -> set[int]:
        """Return those of the units that earlier segments of the chat hold."""
        with self._database.read() as connection:
            return derived_quotes.matching_units(connection, chat, units, before, own=own)

    # -- turns and passages --------------------------------------------------------------------------------------

    def put_turn(self, turn: IndexedTurn, scope: Scope, items: Sequence[IndexedPassage], fingerprint: str) -> None:
        """Index a turn: its row, its passages, their terms; all that it had before is replaced."""
        with self._database.write() as connection:
            before = derived_index.delete_passages(connection, turn.seq)
            moved = derived_places.is_elsewhere(connection, turn)
            derived_places.put_places(connection, turn, scope)
            at = turn.at
            connection.execute(
                "INSERT OR REPLACE INTO turn(seq, turn_id, source, external_id, chat, scope, sender, at_us,"
                " offset_minutes, status, words, asks, flags, fingerprint)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    turn.seq, turn.turn_id, turn.source, turn.external_id, turn.chat, turn.scope, encode(turn.sender),
                    at.microseconds if at else None, at.offset_minutes if at else None, turn.status, turn.cues.words,
                    turn.cues.asks, flags_of(turn.cues), fingerprint,
                ),
            )  # fmt: skip
            for item in items:
                derived_index.insert_passage(connection, item, turn.scope, " ".join(scope.terms()))
            if moved:
                derived_places.prune(connection)
            derived_index.prune_texts(connection, before)
            derived_index.note_change(connection, turn.seq)

    def remove_turn(self, seq: int) -> None:
        """Take everything computed from a turn, or a single segment, away, with names that nothing else has."""
        with self._database.write() as connection:
            rows = connection.execute("SELECT segment FROM computed WHERE turn = ?", (seq,)).fetchall()
            derived_quotes.delete_segments(connection, [seq, *(row[0] for row in rows)])
            delete_facts(connection, seq)
            derived_index.prune_texts(connection, derived_index.delete_passages(connection, seq))
            connection.execute("DELETE FROM computed WHERE turn = ? OR segment = ?", (seq, seq))
            connection.execute("DELETE FROM turn WHERE seq = ?", (seq,))
            connection.execute("DELETE FROM todo WHERE seq = ?", (seq,))
            derived_places.prune(connection)
            connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, '1')", (UNCOMPACTED,))
            derived_index.note_change(connection, seq)

    def turn(self, seq: int) -> IndexedTurn | None:
        """Return an indexed turn, or None."""
        return self.turns([seq]).get(seq)

    def turns(self, seqs: Sequence[int]) -> dict[int, IndexedTurn]:
        """Return the indexed turns among ``seqs``."""
        found: dict[int, IndexedTurn] = {}
        with self._database.read() as connection:
            for start in range(0, len(seqs), 400):
                part = seqs[start : start + 400]
                marks = ",".join("?" * len(part))
                for row in connection.execute(f"{_TURN} WHERE t.seq IN ({marks})", tuple(part)):
                    found[row[0]] = as_turn(row)
        return found

    def outlines(self, turns: Sequence[int] | None) -> list[TurnOutline]:
        """Return what recall keeps in memory of these turns, or of all, oldest first."""
        sql = "SELECT seq, scope, sender, at_us, words, asks, flags FROM turn"
        with self._database.read() as connection:
            if turns is None:
                return [as_outline(row) for row in connection.execute(f"{sql} ORDER BY seq")]
            found = (connection.execute(f"{sql} WHERE seq = ?", (turn,)).fetchone() for turn in turns)
            return [as_outline(row) for row in found if row is not None]

    def chat_turns(self, chat: int, around: int, before: int, after: int) -> list[int]:
        """Return the seqs of up to ``before`` turns of a chat before ``around`` and ``after`` after it, in order."""
        with self._database.read() as connection:
            earlier = connection.execute(
                "SELECT seq FROM turn WHERE chat = ? AND seq < ? ORDER BY seq DESC LIMIT ?", (chat, around, before)
            ).fetchall()
            later = connection.execute(
                "SELECT seq FROM turn WHERE chat = ? AND seq > ? ORDER BY seq LIMIT ?", (chat, around, after)
            ).fetchall()
        return [row[0] for row in reversed(earlier)] + [row[0] for row in later]

    def scopes(self) -> list[tuple[int, Scope]]:
        """Return every scope there is: its id, chat and audience."""
        with self._database.read() as connection:
            return derived_places.scopes(connection)

    # -- index ---------------------------------------------------------------------------------------------------

    def passages(self, ids: Sequence[int]) -> dict[int, Passage]:
        """Return the passages with these ids."""
        with self._database.read() as connection:
            return derived_index.passages(connection, ids)

    def passages_of(self, turns: Sequence[int]) -> list[Passage]:
        """Return the passages of these turns, in order."""
        with self._database.read() as connection:
            ids = [
                row[0]
                for turn in turns
                for row in connection.execute("SELECT passage FROM passage WHERE turn = ? ORDER BY passage", (turn,))
            ]
            found = derived_index.passages(connection, ids)
            return [found[passage] for passage in ids]

    def postings(self, column: str, term: str, audience: Sequence[str] | None, limit: int) -> NDArray[np.int64]:
        """Return the visible passages whose ``column`` holds ``term``, newest first."""
        with self._database.read() as connection:
            return derived_index.postings(connection, column, term, audience, limit)

    def term_counts(self, column: str, passages: Sequence[int], terms: Collection[str]) -> dict[int, dict[str, int]]:
        """Return how often each passage holds each of the terms in a column; those it does not hold are left out."""
        with self._database.read() as connection:
            return derived_index.term_counts(connection, column, passages, terms)

    def scope_counts(self) -> dict[int, int]:
        """Return how many passages each scope holds."""
        with self._database.read() as connection:
            return derived_index.scope_counts(connection)

    def changes(self, after: int) -> tuple[int, list[int]]:
        """Return the newest change number, and the turns whose passages or vectors changed after ``after``."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT change, turn FROM change WHERE change > ? ORDER BY change", (after,)
            ).fetchall()
        newest = rows[-1][0] if rows else after
        return newest, list(dict.fromkeys(turn for _, turn in rows))

    def sizes(self, turns: Sequence[int] | None) -> list[PassageSize]:
        """Return what recall keeps of the passages of these turns, or of all, by id."""
        with self._database.read() as connection:
            return derived_index.sizes(connection, turns)

    def unembedded(self, model: str, turns: Sequence[int]) -> dict[bytes, ComputeText]:
        """Return what these turns need embedded by this model and is not, by text key."""
        with self._database.read() as connection:
            return derived_index.unembedded(connection, model, turns)

    def put_vectors(self, model: str, rows: Iterable[tuple[bytes, bytes]], turns: Iterable[int] = ()) -> None:
        """Store vectors (float16, little-endian) by text key; ``turns`` are those that have them now."""
        with self._database.write() as connection:
            derived_index.put_vectors(connection, model, rows)
            for turn in turns:
                derived_index.note_change(connection, turn)

    def vectors(self, model: str, turns: Sequence[int] | None) -> Iterator[tuple[int, int, bytes]]:
        """Yield (passage, scope, vector) of the embedded passages of these turns, or of all."""
        with self._database.read() as connection:
            yield from derived_index.vector_rows(connection, model, turns)

    def adopt_vectors(self, other: Path, model: str, without: Collection[bytes]) -> None:
        """Take over the vectors that another derived file has for the same texts, but for some keys."""
        with self._database.write() as connection:
            derived_index.adopt_vectors(connection, other, model, without)

    def embedded_text(self, key: bytes) -> ComputeText | None:
        """Return the text that is embedded under ``key``, or None."""
        with self._database.read() as connection:
            row = connection.execute("SELECT text FROM embedded WHERE text_key = ?", (key,)).fetchone()
            return None if row is None else as_embedded(row[0])

    def vector_keys(self, model: str) -> list[bytes]:
        """Return the keys of every text that has a vector of this model, in order."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT text_key FROM vector WHERE model = ? ORDER BY text_key", (model,))
            return [row[0] for row in rows]

    def vector(self, model: str, key: bytes) -> bytes | None:
        """Return one vector (float16, little-endian), or None."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT data FROM vector WHERE model = ? AND text_key = ?", (model, key)
            ).fetchone()
            return None if row is None else bytes(row[0])

    # -- the file ------------------------------------------------------------------------------------------------

    def drop_other_vectors(self, model: str) -> None:
        """Delete the vectors of every model but this one."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM vector WHERE model <> ?", (model,))

    def note_all_changed(self, after: int) -> None:
        """Tell every process that keeps a copy in memory to read everything again; numbers go on after ``after``."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO change(change, turn)"
                " VALUES (1 + max(?, (SELECT coalesce(max(change), 0) FROM change)), ?)",
                (after, derived_index.EVERYTHING),
            )

    def compact(self) -> None:
        """Merge the full-text segments and write every page anew: nothing deleted stays in the file."""
        with self._database.write() as connection:
            derived_index.merge_whole(connection)
        self._database.compact()
        with self._database.write() as connection:
            connection.execute("DELETE FROM meta WHERE key = ?", (UNCOMPACTED,))

    @property
    def compacted(self) -> bool:
        """Whether nothing that was erased can be left in free pages or the WAL."""
        return self.meta(UNCOMPACTED) is None

    def layers(self) -> dict[str, int]:
        """Return the bytes that each layer takes; empty where SQLite can't tell."""
        with self._database.read() as connection:
            return room.layers(connection, room.DERIVED_LAYERS, "bookkeeping")

    def put_aside(self, why: str) -> None:
        """Begin an empty file in a damaged one's place. The caller holds the lease."""
        self._file.put_aside(why)

    def replace_by(self, path: Path) -> None:
        """Put the finished file ``path`` in this one's place. The caller holds the lease."""
        self._file.replace_by(path)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
