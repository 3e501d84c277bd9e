"""Documents as they are asked for, in short or by what they are about, and single turns whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.errors import NotFoundError
from homeagent.masking import masked
from homeagent.memory.documents.features import tags
from homeagent.memory.keeping import named_turns, the_one
from homeagent.memory.knowledge.results import Document
from homeagent.memory.people.identity import People, Visible, visible
from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from homeagent.memory.archive import Archive
    from homeagent.memory.results import Hit
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import DocumentRow, TurnRow
    from homeagent.memory.turn import Viewer

__all__ = ["Library"]

_LOOKED_AT = 60
_NEXT = 0.25
"""What a document's second turn adds to its first, and each further one to that before it."""
_TITLE = 10.0


class Library:
    """The documents of one home. Their text is a view of raw; the rest comes from what the door let through."""

    def __init__(
        self,
        log: LogStore,
        derived: DerivedStore,
        archive: Archive,
        recall: Callable[[str, Viewer | None, int], Sequence[Hit]],
    ) -> None:
        self._log = log
        self._derived = derived
        self._archive = archive
        self._recall = recall

    def document(self, document: str) -> Document:
        """Return a document in short. Raises `NotFoundError`."""
        return self._short(self._archive.row(document))

    def find(self, text: str, viewer: Viewer | None, limit: int) -> list[Document]:
        """Return the documents about ``text`` of which the viewer may see every turn, best first.

        A document ranks by the turns of it that recall finds, and by its title. Looking takes nothing away.
        """
        hits = self._recall(text, viewer, _LOOKED_AT)
        lowest = min((hit.score for hit in hits), default=0.0)
        scores = {hit.turn: 1.0 + hit.score - lowest for hit in hits}
        asked = fold_text(text).strip()
        seen = visible(viewer, self._derived.scopes(), People(self._log.identities()))
        ranked: list[tuple[float, str, DocumentRow]] = []
        for row in self._archive.documents():
            turns = self._derived.turns(row.turns)
            if seen is not None and not self._sees(row, seen):
                continue
            found = sorted((scores[turn.turn_id] for turn in turns.values() if turn.turn_id in scores), reverse=True)
            score = sum(each * _NEXT**place for place, each in enumerate(found[:4]))
            title = fold_text(row.title).strip()
            score += _TITLE if title and (title in asked or asked in title) else 0.0
            if score:
                ranked.append((-score, row.document, row))
        return [self._short(row) for _, _, row in sorted(ranked, key=lambda each: each[:2])[:limit]]

    def may_see(self, document: str, viewer: Viewer | None) -> bool:
        """Whether a viewer may see every turn of a document. Raises `NotFoundError`."""
        row = self._archive.row(document)
        seen = visible(viewer, self._derived.scopes(), People(self._log.identities()))
        return seen is None or self._sees(row, seen)

    def _sees(self, row: DocumentRow, seen: Visible) -> bool:
        """Whether every turn of a document may be seen; one of which it is not known yet may not."""
        turns = self._derived.turns(row.turns)
        return all(
            turns[seq].scope in seen.scopes if seq in turns else self._log.turn(seq) is None for seq in row.turns
        )

    def computed_text(self, turn: str, viewer: Viewer | None) -> str:
        """Return what is computed of a turn, whole, secrets masked. Raises `NotFoundError`, also for others' turns."""
        rows = named_turns(self._log, turn, None)
        seen = visible(viewer, self._derived.scopes(), People(self._log.identities()))
        if seen is not None:
            indexed = self._derived.turns([row.seq for row in rows])
            rows = [row for row in rows if row.seq in indexed and indexed[row.seq].scope in seen.scopes]
            if not rows:
                raise NotFoundError(f"turn {turn!r}", "is not among those you may see", "Search by what it is about")
        row = the_one(rows, turn)
        return masked("\n".join(each.text.text for each in self._derived.computed_of(row.seq) if each.text), said=False)

    def turns(self, document: str) -> list[TurnRow]:
        """Return the turns of a document in the order of time, without forgotten ones. Raises `NotFoundError`."""
        return self._archive.turns(document)

    def _short(self, row: DocumentRow) -> Document:
        turns = [turn for seq in row.turns if (turn := self._log.turn(seq)) is not None]
        moments = sorted((turn.at for turn in turns if turn.at is not None), key=lambda at: at.microseconds)
        made = self._derived.features(row.document)
        terms = made.terms if made is not None else ()
        frequencies = self._derived.document_frequencies([term for term, _ in terms])
        return Document(
            document=row.document,
            title=row.title,
            turns=tuple(turn.turn_id for turn in turns),
            channel=turns[0].place.channel if turns else "",
            chat=turns[0].place.chat if turns else "",
            first=moments[0].datetime() if moments else None,
            last=moments[-1].datetime() if moments else None,
            summary=tuple(text.text for text in made.summary) if made is not None else (),
            tags=tuple(tags(terms, frequencies, len(self._derived.documents()))),
            entities=tuple(name.text for name, _ in made.entities) if made is not None else (),
            pending=made is None,
        )
