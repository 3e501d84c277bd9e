"""Archiving: which turns were put away together is said once, in the log; a document is a view of them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from homeagent.errors import NotFoundError
from homeagent.memory.store.records import DocumentRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from homeagent.memory.lease import Lease
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import OutcomeRow, SegmentRow, TurnRow

__all__ = ["Archive", "document_of"]

_KIND = "archived"


def document_of(row: OutcomeRow, turns: Iterable[TurnRow | None]) -> DocumentRow | None:
    """Return the document that an outcome of the log describes, without turns that were erased; None for no document.

    Its id is a hash of its turns' ids, so that a rebuild gives the same one.
    """
    if row.kind != _KIND:
        return None
    alive = [turn for turn in turns if turn is not None]
    if not alive:
        return None
    name = hashlib.blake2b("\n".join(turn.turn_id for turn in alive).encode(), digest_size=10).hexdigest()
    return DocumentRow(f"d{name}", row.seq, tuple(turn.seq for turn in alive))


class Archive:
    """Puts turns away in documents and shows documents as text."""

    def __init__(self, log: LogStore, lease: Lease) -> None:
        self._log = log
        self._lease = lease

    def archive(self) -> list[DocumentRow]:
        """Archive every closed turn that is in no document yet, one document a chat; return the new documents."""
        with self._lease.held():
            archived = {turn for document in self.documents() for turn in document.turns}
            groups: dict[tuple[str, str], list[TurnRow]] = {}
            for turn in self._log.turns():
                if turn.closed is not None and turn.seq not in archived:
                    groups.setdefault((turn.place.channel, turn.place.chat), []).append(turn)
            with self._log.transaction():
                seqs = {
                    self._log.add_outcome(_KIND, json.dumps({"turns": [turn.seq for turn in turns]}))
                    for turns in groups.values()
                }
        return [document for document in self.documents() if document.outcome in seqs]

    def documents(self) -> list[DocumentRow]:
        """Return every document, oldest first."""
        return list(documents(self._log))

    def text(self, document: str) -> str:
        """Return a document's raw segments, whole, in the order of time. Raises `NotFoundError`."""
        for row in self.documents():
            if row.document == document:
                found = [turn for seq in row.turns if (turn := self._log.turn(seq)) is not None]
                found.sort(key=lambda turn: (turn.at.microseconds if turn.at else 0, turn.seq))
                return "\n\n".join(self._turn_text(turn) for turn in found)
        raise NotFoundError(
            f"document {document!r}", "is not in this home", "List them with 'homeagent memory archive'"
        )

    def _turn_text(self, turn: TurnRow) -> str:
        when = turn.at.datetime().isoformat() if turn.at is not None else "?"
        head = f"[{when}] {turn.place.channel}/{turn.place.chat}"
        return "\n".join([head, *(_line(turn, row) for row in self._log.segments(turn.seq))])


def documents(log: LogStore) -> Iterator[DocumentRow]:
    """Yield every document the log tells of, oldest first."""
    for row in log.outcomes():
        if row.kind == _KIND:
            document = document_of(row, (log.turn(seq) for seq in json.loads(row.payload)["turns"]))
            if document is not None:
                yield document


def _line(turn: TurnRow, row: SegmentRow) -> str:
    segment = row.segment
    match segment.role:
        case "tool":
            return f"{segment.tool} {segment.arguments or ''}: {segment.text}"
        case "user":
            return f"{turn.sender}: {segment.text}"
        case _:
            return f"{segment.role}: {segment.text}"
