"""Archiving: which turns were put away together is said once, in the log; a document is a view of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from homeagent.errors import InputError, NotFoundError
from homeagent.memory.documents.grouping import continues, grouped
from homeagent.memory.documents.topics import topic_of
from homeagent.memory.store.protocols import chat_key
from homeagent.memory.store.records import DocumentRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from homeagent.memory.documents.topics import Topic
    from homeagent.memory.lease import Lease
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import OutcomeRow, SegmentRow, TurnRow, WriteRow

__all__ = ["ARCHIVED", "COMMITTED", "Archive", "added_to", "documents", "first_event"]

ARCHIVED = "archived"
"""The kind of outcome that says what was archived together."""

COMMITTED = "document"
"""The kind of explicit write that makes a document of chosen turns."""


def added_to(row: OutcomeRow | WriteRow, log: LogStore, known: DocumentRow | None) -> DocumentRow | None:
    """Return the document that an event of the log begins, or goes on with; None where no turn of it is left.

    ``known`` is the document as the events before left it. Turns that were erased are left out. Its id was made of the
    ids of its first turns when it was begun, so a rebuild gives the same one.
    """
    said: dict[str, object] = json.loads(row.payload)
    turns = said.get("turns")
    seqs = [seq for seq in turns if isinstance(seq, int)] if isinstance(turns, list) else []
    alive = [turn for seq in seqs if (turn := log.turn(seq)) is not None]
    of = said.get("of")
    if known is not None:
        return replace(known, turns=(*known.turns, *(turn.seq for turn in alive)))
    if not alive:
        return None
    name = said.get("document")
    return DocumentRow(
        document=name if isinstance(name, str) else document_id(alive),
        outcome=of if isinstance(of, int) else row.seq,
        turns=tuple(turn.seq for turn in alive),
        title=str(said.get("title", "")),
    )


def first_event(row: OutcomeRow | WriteRow) -> int:
    """Return the seq of the event that began the document which this one is about."""
    of = json.loads(row.payload).get("of")
    return of if isinstance(of, int) else row.seq


def document_id(turns: Sequence[TurnRow]) -> str:
    """Return the id of a document that begins with these turns."""
    name = hashlib.blake2b("\n".join(turn.turn_id for turn in turns).encode(), digest_size=10).hexdigest()
    return f"d{name}"


def documents(log: LogStore) -> list[DocumentRow]:
    """Return every document that the log tells of, oldest first."""
    events: list[OutcomeRow | WriteRow] = [row for row in log.outcomes() if row.kind == ARCHIVED]
    events += [row for row in log.writes() if row.kind == COMMITTED]
    found: dict[int, DocumentRow] = {}
    for row in sorted(events, key=lambda row: row.seq):
        first = first_event(row)
        document = added_to(row, log, found.get(first))
        if document is not None:
            found[first] = document
    return [found[first] for first in sorted(found)]


class Archive:
    """Puts turns away in documents and shows documents as text."""

    def __init__(self, log: LogStore, derived: DerivedStore, model: str, lease: Lease) -> None:
        self._log = log
        self._derived = derived
        self._model = model
        self._lease = lease

    def archive(self, turns: Sequence[TurnRow] | None = None) -> list[DocumentRow]:
        """Archive closed turns that are in no document yet, those of ``turns`` or all; return what is new or grew.

        A chat's turns are put together by matter; they go on with its last document where they belong to it.
        """
        with self._lease.held():
            chats: dict[int, list[TurnRow]] = {}
            rows = [turn for turn in (self._log.turns() if turns is None else turns) if turn.closed is not None]
            archived = {seq for row in self._derived.documents_with([turn.seq for turn in rows]) for seq in row.turns}
            for turn in rows:
                if turn.seq not in archived:
                    chats.setdefault(chat_key(turn.place), []).append(turn)
            with self._log.transaction():
                made = [row for chat, left in chats.items() for row in self._put_away(left, self._last(chat))]
        return sorted(made, key=lambda row: row.outcome)

    def commit(self, title: str, turns: Sequence[TurnRow]) -> DocumentRow:
        """Make a document of these turns, whatever else they are in. Raises `InputError` for none."""
        if not turns:
            raise InputError("a document", "has no turns", "Name at least one turn")
        chosen = sorted(turns, key=_moment)
        name = f"c{document_id(chosen)[1:]}"
        payload = {"document": name, "turns": [turn.seq for turn in chosen], "title": title}
        seq = self._log.add_write(COMMITTED, json.dumps(payload, ensure_ascii=False), chosen[0].seq)
        return DocumentRow(name, seq, tuple(turn.seq for turn in chosen), title)

    def documents(self) -> list[DocumentRow]:
        """Return every document, oldest first."""
        return documents(self._log)

    def row(self, document: str) -> DocumentRow:
        """Return one document. Raises `NotFoundError`."""
        for row in self.documents():
            if row.document == document:
                return row
        raise NotFoundError(
            f"document {document!r}", "is not in this home", "List them with 'homeagent memory archive'"
        )

    def text(self, document: str) -> str:
        """Return a document's raw segments, whole, in the order of time. Raises `NotFoundError`."""
        return "\n\n".join(self._turn_text(turn) for turn in self.turns(document))

    def turns(self, document: str) -> list[TurnRow]:
        """Return a document's turns in the order of time; forgotten ones are left out. Raises `NotFoundError`."""
        hidden = self._log.forgotten()
        rows = [turn for seq in self.row(document).turns if (turn := self._log.turn(seq)) is not None]
        return sorted((turn for turn in rows if turn.seq not in hidden), key=_moment)

    def _put_away(self, rows: Sequence[TurnRow], last: DocumentRow | None) -> list[DocumentRow]:
        """Write the events that put one chat's turns away; return the documents that begin or grow."""
        by_seq = {row.seq: row for row in rows}
        groups = grouped(self._topics(sorted(rows, key=_moment)))
        opening = self._topics(self._rows(last.turns)) if last is not None else []
        made: list[DocumentRow] = []
        for number, group in enumerate(groups):
            turns = [by_seq[topic.seq] for topic in group]
            seqs = tuple(turn.seq for turn in turns)
            payload: dict[str, object] = {"turns": seqs}
            if number == 0 and last is not None and continues(opening, group):
                payload |= {"document": last.document, "of": last.outcome}
                self._log.add_outcome(ARCHIVED, json.dumps(payload))
                made.append(replace(last, turns=(*last.turns, *seqs)))
            else:
                name = document_id(turns)
                seq = self._log.add_outcome(ARCHIVED, json.dumps(payload | {"document": name}))
                made.append(DocumentRow(name, seq, seqs))
        return made

    def _last(self, chat: int) -> DocumentRow | None:
        """Return the document that holds the newest archived turn of a chat, if it was not made on purpose."""
        newest = self._derived.newest_archived(chat)
        rows = self._derived.documents_with([newest]) if newest is not None else []
        return next((row for row in reversed(rows) if row.document.startswith("d")), None)

    def _rows(self, seqs: Iterable[int]) -> list[TurnRow]:
        return [turn for seq in seqs if (turn := self._log.turn(seq)) is not None]

    def _topics(self, rows: Sequence[TurnRow]) -> list[Topic]:
        return [
            topic_of(
                row.seq,
                row.at.microseconds if row.at is not None else None,
                [each.text for each in self._derived.computed_of(row.seq) if each.role != "tool"],
                self._vector(row.seq),
            )
            for row in rows
        ]

    def _vector(self, turn: int) -> NDArray[np.float32] | None:
        """Return the mean of a turn's vectors, ``float32, (dimensions,)``, or None where it has none yet."""
        rows = [np.frombuffer(data, "<f2") for _, _, data in self._derived.vectors(self._model, [turn])]
        return np.mean(rows, axis=0, dtype=np.float32) if rows else None

    def _turn_text(self, turn: TurnRow) -> str:
        when = turn.at.datetime().isoformat() if turn.at is not None else "?"
        head = f"[{when}] {turn.place.channel}/{turn.place.chat}"
        return "\n".join([head, *(_line(turn, row) for row in self._log.segments(turn.seq))])


def _moment(turn: TurnRow) -> tuple[int, int]:
    return (turn.at.microseconds if turn.at is not None else 0, turn.seq)


def _line(turn: TurnRow, row: SegmentRow) -> str:
    segment = row.segment
    match segment.role:
        case "tool":
            return f"{segment.tool} {segment.arguments or ''}: {segment.text}"
        case "user":
            return f"{turn.sender}: {segment.text}"
        case _:
            return f"{segment.role}: {segment.text}"
