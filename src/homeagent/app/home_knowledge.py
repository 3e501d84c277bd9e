"""Facts and documents as the agent asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.agent import PastTurn
from homeagent.errors import NotFoundError
from homeagent.masking import masked
from homeagent.memory import INJECTED, OWNER, TurnId
from homeagent.memory.erasing.targets import Target

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from homeagent.memory import Document, Fact, Memory, Place, Viewer
    from homeagent.memory.store.records import TurnRow

__all__ = ["HomeKnowledge", "past_turn"]

_WORDS: Final = 120


class HomeKnowledge:
    """Facts and documents of a home (`homeagent.agent.KnowledgePort`)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def is_owner(self, channel: str, sender: str) -> bool:
        """Whether a sender of a channel is the owner of the home."""
        return self._memory.people.who(channel, sender) == OWNER

    def facts(self, subject: str, relation: str, *, viewer: Viewer, at: datetime) -> Sequence[Fact]:
        """Return what ``viewer`` may know of a subject, all if it is empty."""
        return self._memory.graph.history(subject or None, relation or None, at=at, viewer=viewer)

    def around(self, turns: Sequence[TurnId], *, viewer: Viewer, at: datetime) -> Sequence[Fact]:
        """Return what holds of the matters that these turns speak of."""
        return self._memory.graph.around(turns, viewer=viewer, at=at)

    def pending(self) -> int:
        """Return how many turns and documents wait to be read."""
        return self._memory.graph.pending

    def claim(self, fact: str) -> str:
        """Return a fact in words."""
        return self._memory.graph.claim(fact)

    def commit_fact(self, subject: str, relation: str, value: str, *, turn: str) -> str:
        """Write a fact in a turn; return its id."""
        return self._memory.graph.commit_fact(subject, relation, value, turn=self._memory.find(turn))

    def edit_fact(self, fact: str, value: str | None, *, turn: str) -> str | None:
        """Say in a turn that a fact is wrong, and what is right; return the id of that."""
        return self._memory.graph.edit_fact(fact, value, turn=self._memory.find(turn))

    def merge(self, into: str, other: str, *, viewer: Viewer) -> int:
        """Say that two are one; return the event."""
        return self._memory.graph.merge_entities(into, other, viewer=viewer)

    def unmerge(self, merge: int) -> None:
        """Take a merge back."""
        self._memory.graph.unmerge(merge)

    def saying(self, fact: str) -> Sequence[TurnId]:
        """Return the turns that say a fact."""
        return _names(self._memory.forgetting.chosen(Target(fact=fact)).turns)

    def forget_fact(self, fact: str, *, undo: bool) -> Sequence[TurnId]:
        """Hide what says a fact, or bring it back; return the turns."""
        forgetting = self._memory.forgetting
        return _names((forgetting.undo if undo else forgetting.forget)(Target(fact=fact)).turns)

    def erase_fact(self, fact: str) -> tuple[Sequence[TurnId], Sequence[TurnId]]:
        """Delete what says a fact for good; return those turns, and the turns that stay and say, quote or cite it."""
        forgetting = self._memory.forgetting
        chosen = forgetting.chosen(Target(fact=fact))
        left = dict.fromkeys(TurnId(each.turn) for each in forgetting.survivors(chosen) if each.turn)
        return forgetting.erase(chosen).turns, tuple(left)

    def speakers(self, turns: Sequence[str]) -> Sequence[tuple[Place, str, str]]:
        """Return place, sender and words of each of these turns."""
        return [(row.place, row.sender, self._words(row)) for row in map(self._memory.find, turns)]

    def forget(self, turns: Sequence[str], *, undo: bool) -> None:
        """Hide turns, or bring them back."""
        forgetting = self._memory.forgetting
        (forgetting.undo if undo else forgetting.forget)(Target(tuple(turns)))

    def find_documents(self, text: str, *, viewer: Viewer, limit: int) -> Sequence[Document]:
        """Return the documents about a text of which ``viewer`` may see every turn."""
        return self._memory.find_documents(text, viewer=viewer, limit=limit)

    def open_document(self, document: str, *, viewer: Viewer) -> tuple[Document, str]:
        """Return a document and its text, secrets masked; one that ``viewer`` may not see is not found."""
        if not self._memory.library.may_see(document, viewer):
            raise NotFoundError(
                f"document {document!r}", "is not among those you may see", "Search by what it is about"
            )
        return self._memory.document(document), self._memory.document_text(document, mask=True)

    def read(self, turn: str, *, viewer: Viewer) -> str:
        """Return what is computed of a turn, whole."""
        return self._memory.library.computed_text(turn, viewer)

    def commit_document(self, title: str, turns: Sequence[str]) -> str:
        """Make a document of these turns; return its id."""
        return self._memory.commit_document(title, [self._memory.find(turn).turn_id for turn in turns]).document

    def past(self, document: str) -> Sequence[PastTurn]:
        """Return the turns of a document as the window shows them, oldest first, without forgotten ones."""
        return [past_turn(self._memory, row) for row in self._memory.library.turns(document)]

    def _words(self, row: TurnRow) -> str:
        words = " / ".join(each.segment.text for each in self._memory.segments(row)[:2])
        return masked(" ".join(words.split())[:_WORDS])


def past_turn(memory: Memory, row: TurnRow) -> PastTurn:
    """Return a turn of the log as the window shows it."""
    return PastTurn(
        row.turn_id,
        row.sender,
        row.source == INJECTED,
        tuple(each.segment for each in memory.segments(row)),
        row.at.datetime() if row.at is not None else None,
    )


def _names(rows: Sequence[TurnRow]) -> tuple[TurnId, ...]:
    return tuple(row.turn_id for row in rows)
