"""Facts, who and what they speak of, and documents, in ``derived.db``: written a turn or a document at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.store.graph_records import DocumentFeatures
from homeagent.memory.store.records import DocumentRow
from homeagent.memory.store.sqlite.codec import encode
from homeagent.memory.store.sqlite.derived_graph_rows import (
    FACT_COLUMNS,
    as_fact,
    as_feature,
    as_mention,
    fact_values,
    mention_values,
)
from homeagent.memory.store.sqlite.derived_hiding import DerivedHiding
from homeagent.memory.store.sqlite.derived_rows import packed_spans

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence

    from homeagent.memory.store.graph_records import EntityRef, FactRow
    from homeagent.memory.store.records import Step, Todo

__all__ = ["GRAPH_STEPS", "DerivedGraph", "delete_facts"]

GRAPH_STEPS = ("distil", "document")
"""The steps that recall need not wait for."""

_PART = 400
_FACTS = f"SELECT {FACT_COLUMNS} FROM fact"


class DerivedGraph(DerivedHiding):
    """The part of the derived store that is `homeagent.memory.store.graph_protocol.GraphStore`."""

    # -- progress ------------------------------------------------------------------------------------------------

    def waits(self, item: Todo) -> bool:
        """Whether a thing is still on the queue as it was asked for."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT 1 FROM todo WHERE seq = ? AND step = ? AND fingerprint = ?",
                (item.seq, item.step, item.fingerprint),
            ).fetchone()
            return row is not None

    def pending_graph(self) -> int:
        """Return how many turns and documents wait for their facts and features."""
        marks = ",".join("?" * len(GRAPH_STEPS))
        with self._database.read() as connection:
            row = connection.execute(f"SELECT count(*) FROM todo WHERE step IN ({marks})", GRAPH_STEPS).fetchone()
            return int(row[0])

    def drop(self, seq: int, step: Step) -> None:
        """Take a thing off the queue whatever it was asked for: it will be asked for anew."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM todo WHERE seq = ? AND step = ?", (seq, step))

    # -- what a model found --------------------------------------------------------------------------------------

    def put_extracted(self, turn: int, outcome: int) -> None:
        """Remember that ``outcome`` of the log holds facts that a model found in a turn."""
        with self._database.write() as connection:
            connection.execute("INSERT OR IGNORE INTO extracted(turn, outcome) VALUES (?, ?)", (turn, outcome))

    def extracted(self, turn: int) -> list[int]:
        """Return the outcomes that hold facts a model found in a turn, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT outcome FROM extracted WHERE turn = ? ORDER BY outcome", (turn,))
            return [row[0] for row in rows]

    def remove_extracted(self, turn: int) -> None:
        """Forget which outcomes hold facts of a turn."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM extracted WHERE turn = ?", (turn,))

    # -- facts ---------------------------------------------------------------------------------------------------

    def put_facts(self, source: int, rows: Sequence[FactRow], names: Sequence[EntityRef]) -> None:
        """Store the facts of a turn or explicit write, and the names it gives, in place of those it had."""
        mentions = [each for row in rows for each in (row.subject, row.object) if each is not None]
        distinct = dict.fromkeys((each.kind, each.anchor, each.key, each.name.text) for each in (*mentions, *names))
        by_name = {(each.kind, each.anchor, each.key, each.name.text): each for each in (*mentions, *names)}
        with self._database.write() as connection:
            delete_facts(connection, source)
            marks = ",".join("?" * len(FACT_COLUMNS.split(",")))
            connection.executemany(
                f"INSERT INTO fact({FACT_COLUMNS}) VALUES ({marks})", (fact_values(row) for row in rows)
            )
            connection.executemany(
                "INSERT INTO mention(source, position, entity, kind, anchor, key, name_key, name)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                ((source, at, *mention_values(by_name[key])) for at, key in enumerate(distinct)),
            )

    def remove_facts(self, source: int) -> None:
        """Take the facts of a turn or explicit write away."""
        with self._database.write() as connection:
            delete_facts(connection, source)

    def facts_about(self, entities: Collection[str], relation: str | None = None) -> list[FactRow]:
        """Return the facts whose subject is one of these entities, oldest source first."""
        return self._facts("subject", entities, relation)

    def facts_naming(self, entities: Collection[str], relation: str | None = None) -> list[FactRow]:
        """Return the facts whose object is one of these entities, oldest source first."""
        return self._facts("object", entities, relation)

    def facts_in(self, sources: Collection[int] | None) -> list[FactRow]:
        """Return the facts of these turns and explicit writes, or all, oldest source first."""
        if sources is not None:
            return self._facts("source", sources, None)
        with self._database.read() as connection:
            rows = connection.execute(f"{_FACTS} ORDER BY source, position").fetchall()
        return [as_fact(row) for row in rows]

    def facts_claiming(self, claim: str) -> list[FactRow]:
        """Return every time that a claim was made, oldest source first."""
        return self._facts("fact", [claim], None)

    def facts_of_relation(self, relation: str) -> list[FactRow]:
        """Return the facts of a relation, oldest source first."""
        return self._facts("relation", [relation], None)

    def _facts(self, column: str, values: Collection[str] | Collection[int], relation: str | None) -> list[FactRow]:
        wanted = sorted(set(values), key=str)
        found: list[tuple[object, ...]] = []
        with self._database.read() as connection:
            for start in range(0, len(wanted), _PART):
                part = wanted[start : start + _PART]
                sql = f"{_FACTS} WHERE {column} IN ({','.join('?' * len(part))})"
                asked: tuple[object, ...] = tuple(part)
                if relation is not None:
                    sql, asked = f"{sql} AND relation = ?", (*asked, relation)
                found += connection.execute(sql, asked).fetchall()
        rows = [as_fact(row) for row in found]
        return sorted(rows, key=lambda row: (row.source, row.position))

    # -- entities ------------------------------------------------------------------------------------------------

    def named(self, key: str) -> list[str]:
        """Return the entities that were ever called so; ``key`` is a folded name."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT DISTINCT entity FROM mention WHERE name_key = ? ORDER BY entity", (encode(key),)
            )
            return [row[0] for row in rows]

    def mentions(self) -> list[tuple[EntityRef, int]]:
        """Return every entity, once for each name it goes by, with how often it does."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT kind, anchor, key, name, count(*) FROM mention GROUP BY entity, name ORDER BY entity, name"
            ).fetchall()
        return [(as_mention(row[:4]), row[4]) for row in rows]

    def entity(self, entity: str) -> list[EntityRef]:
        """Return an entity by each name it goes by, the most used first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT kind, anchor, key, name FROM mention WHERE entity = ? GROUP BY name"
                " ORDER BY count(*) DESC, max(source) DESC, name",
                (entity,),
            ).fetchall()
        return [as_mention(row) for row in rows]

    # -- documents -----------------------------------------------------------------------------------------------

    def put_document(self, row: DocumentRow) -> None:
        """Store which turns are one document, in place of what was known of that; its features go."""
        with self._database.write() as connection:
            _delete_document(connection, row.outcome)
            connection.execute(
                "INSERT INTO document(document, outcome, title) VALUES (?, ?, ?)",
                (row.document, row.outcome, encode(row.title)),
            )
            connection.executemany(
                "INSERT INTO document_turn(document, position, turn) VALUES (?, ?, ?)",
                ((row.document, position, turn) for position, turn in enumerate(row.turns)),
            )

    def remove_document(self, outcome: int) -> None:
        """Take a document away."""
        with self._database.write() as connection:
            _delete_document(connection, outcome)

    def documents(self) -> list[DocumentRow]:
        """Return every document, oldest first."""
        with self._database.read() as connection:
            return _documents(connection, "1 = 1", ())

    def document_at(self, outcome: int) -> DocumentRow | None:
        """Return the document that the log row ``outcome`` began."""
        with self._database.read() as connection:
            return next(iter(_documents(connection, "outcome = ?", (outcome,))), None)

    def documents_with(self, turns: Collection[int]) -> list[DocumentRow]:
        """Return the documents that hold one of these turns, oldest first."""
        found: dict[int, DocumentRow] = {}
        wanted = sorted(set(turns))
        with self._database.read() as connection:
            for start in range(0, len(wanted), _PART):
                part = wanted[start : start + _PART]
                marks = ",".join("?" * len(part))
                where = f"document IN (SELECT document FROM document_turn WHERE turn IN ({marks}))"
                found.update((row.outcome, row) for row in _documents(connection, where, part))
        return [found[outcome] for outcome in sorted(found)]

    def newest_archived(self, chat: int) -> int | None:
        """Return the newest turn of a chat that is in a document."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT seq FROM turn WHERE chat = ? AND EXISTS (SELECT 1 FROM document_turn d WHERE d.turn = turn.seq)"
                " ORDER BY seq DESC LIMIT 1",
                (chat,),
            ).fetchone()
            return None if row is None else int(row[0])

    def put_features(self, document: str, features: DocumentFeatures) -> None:
        """Store what was worked out of a document, in place of what was before."""
        with self._database.write() as connection:
            _delete_features(connection, document)
            connection.execute("UPDATE document SET done = 1 WHERE document = ?", (document,))
            connection.executemany(
                "INSERT INTO document_part(document, kind, position, text, spans, amount) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    *((document, "summary", at, encode(text.text), packed_spans(text), 0)
                      for at, text in enumerate(features.summary)),
                    *((document, "entity", at, encode(name.text), packed_spans(name), count)
                      for at, (name, count) in enumerate(features.entities)),
                ],
            )  # fmt: skip
            connection.executemany(
                "INSERT INTO document_term(document, term, amount) VALUES (?, ?, ?)",
                ((document, encode(term), count) for term, count in features.terms),
            )

    def remove_features(self, document: str) -> None:
        """Take what was worked out of a document away."""
        with self._database.write() as connection:
            _delete_features(connection, document)

    def features(self, document: str) -> DocumentFeatures | None:
        """Return what was worked out of a document, or None while it waits."""
        with self._database.read() as connection:
            done = connection.execute("SELECT done FROM document WHERE document = ?", (document,)).fetchone()
            if done is None or not done[0]:
                return None
            parts = connection.execute(
                "SELECT kind, text, spans, amount FROM document_part WHERE document = ? ORDER BY kind, position",
                (document,),
            ).fetchall()
            terms = connection.execute(
                "SELECT term, amount FROM document_term WHERE document = ? ORDER BY amount DESC, term", (document,)
            ).fetchall()
        return DocumentFeatures(
            tuple(as_feature(text, spans) for kind, text, spans, _ in parts if kind == "summary"),
            tuple((term.decode("utf-8", "surrogatepass"), amount) for term, amount in terms),
            tuple((as_feature(text, spans), amount) for kind, text, spans, amount in parts if kind == "entity"),
        )

    def document_frequencies(self, terms: Collection[str]) -> dict[str, int]:
        """Return in how many documents each of the terms occurs."""
        with self._database.read() as connection:
            return {
                term: connection.execute(
                    "SELECT count(*) FROM document_term WHERE term = ?", (encode(term),)
                ).fetchone()[0]
                for term in terms
            }


def delete_facts(connection: sqlite3.Connection, source: int) -> None:
    """Take the facts and names of a turn or explicit write away."""
    connection.execute("DELETE FROM fact WHERE source = ?", (source,))
    connection.execute("DELETE FROM mention WHERE source = ?", (source,))


def _delete_document(connection: sqlite3.Connection, outcome: int) -> None:
    for (document,) in connection.execute("SELECT document FROM document WHERE outcome = ?", (outcome,)).fetchall():
        _delete_features(connection, document)
        connection.execute("DELETE FROM document_turn WHERE document = ?", (document,))
        connection.execute("DELETE FROM document WHERE document = ?", (document,))


def _delete_features(connection: sqlite3.Connection, document: str) -> None:
    connection.execute("UPDATE document SET done = 0 WHERE document = ?", (document,))
    connection.execute("DELETE FROM document_part WHERE document = ?", (document,))
    connection.execute("DELETE FROM document_term WHERE document = ?", (document,))


def _documents(connection: sqlite3.Connection, where: str, values: Sequence[int]) -> list[DocumentRow]:
    rows = connection.execute(
        f"SELECT document, outcome, title FROM document WHERE {where} ORDER BY outcome, document", tuple(values)
    ).fetchall()
    turns = "SELECT turn FROM document_turn WHERE document = ? ORDER BY position"
    return [
        DocumentRow(
            document,
            outcome,
            tuple(turn for (turn,) in connection.execute(turns, (document,))),
            bytes(title).decode("utf-8", "surrogatepass"),
        )
        for document, outcome, title in rows
    ]
