"""What the agent needs of others: of the memory, and of whoever shows a turn to a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from homeagent.agent.events import Event
    from homeagent.memory import Document, Explanation, Fact, Place, Recall, Segment, Turn, TurnId, Viewer
    from homeagent.memory.turn import Status

__all__ = ["KnowledgePort", "MemoryPort", "PastTurn", "Ui"]


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn of the log as the window shows it again after a restart; ``turn`` is None for one that is not kept."""

    turn: TurnId | None
    sender: str
    injected: bool
    segments: tuple[Segment, ...]
    at: datetime | None = None


class KnowledgePort(Protocol):
    """Facts and documents of the memory. Facts and turns are named by their ids; methods raise `NotFoundError`."""

    def is_owner(self, channel: str, sender: str) -> bool:
        """Whether a sender of a channel is the owner of the home, by himself or by a link."""
        ...

    def facts(self, subject: str, relation: str, *, viewer: Viewer, at: datetime) -> Sequence[Fact]:
        """Return what ``viewer`` may know of a subject (all if empty), as of ``at``. Raises `InputError`."""
        ...

    def around(self, turns: Sequence[TurnId], *, viewer: Viewer, at: datetime) -> Sequence[Fact]:
        """Return what holds at ``at`` of the matters that these turns speak of, as far as ``viewer`` may know."""
        ...

    def pending(self) -> int:
        """Return how many turns and documents wait to be read for facts."""
        ...

    def claim(self, fact: str) -> str:
        """Return a fact in words: subject, relation, value."""
        ...

    def commit_fact(self, subject: str, relation: str, value: str, *, turn: str) -> str:
        """Write a fact in a turn; return its id. Raises `InputError`."""
        ...

    def edit_fact(self, fact: str, value: str | None, *, turn: str) -> str | None:
        """Say in a turn that a fact is wrong, and what is right; return the id of that. Raises `InputError`."""
        ...

    def merge(self, into: str, other: str, *, viewer: Viewer) -> int:
        """Say that two are one; return the event. Raises `InputError`."""
        ...

    def unmerge(self, merge: int) -> None:
        """Take a merge back."""
        ...

    def saying(self, fact: str) -> Sequence[TurnId]:
        """Return the turns that say a fact."""
        ...

    def forget_fact(self, fact: str, *, undo: bool) -> Sequence[TurnId]:
        """Hide what says a fact, or bring it back; return the turns."""
        ...

    def erase_fact(self, fact: str) -> tuple[Sequence[TurnId], Sequence[TurnId]]:
        """Delete what says a fact for good; return those turns, and the turns that stay and say, quote or cite it."""
        ...

    def speakers(self, turns: Sequence[str]) -> Sequence[tuple[Place, str, str]]:
        """Return place, sender and words of each of these turns."""
        ...

    def forget(self, turns: Sequence[str], *, undo: bool) -> None:
        """Hide turns, or bring them back."""
        ...

    def find_documents(self, text: str, *, viewer: Viewer, limit: int) -> Sequence[Document]:
        """Return the documents about a text of which ``viewer`` may see every turn."""
        ...

    def open_document(self, document: str, *, viewer: Viewer) -> tuple[Document, str]:
        """Return a document and its text, secrets masked; one that ``viewer`` may not see is not found."""
        ...

    def read(self, turn: str, *, viewer: Viewer) -> str:
        """Return what is computed of a turn, whole, secrets masked; one that ``viewer`` may not see is not found."""
        ...

    def commit_document(self, title: str, turns: Sequence[str]) -> str:
        """Make a document of these turns; return its id. Raises `InputError` for none."""
        ...

    def past(self, document: str) -> Sequence[PastTurn]:
        """Return the turns of a document as the window shows them, oldest first, without forgotten ones."""
        ...


class MemoryPort(Protocol):
    """The memory. Every method may take a while (files, models): the agent calls them off its loop."""

    def begin(self, turn: Turn) -> TurnId:
        """Open a turn with what came in; it is on the disk when this returns."""
        ...

    def append(self, turn: TurnId, segment: Segment) -> None:
        """Add a segment to an open turn; it is on the disk when this returns."""
        ...

    def close(self, turn: TurnId, status: Status = "done") -> None:
        """Close a turn for good."""
        ...

    def keep(self, turn: Turn) -> TurnId:
        """Keep a whole turn."""
        ...

    def knows(self, source: str, external_id: str) -> bool:
        """Whether a turn of this source and name was ever opened."""
        ...

    def recall(self, text: str, *, viewer: Viewer | None, at: datetime | None, limit: int) -> Recall:
        """Return what is remembered about ``text`` and ``viewer`` may see."""
        ...

    def explain(self, name: str) -> Explanation:
        """Say segment by segment what of a turn is computed. Raises `NotFoundError`."""
        ...

    def in_view(self, place: Place, limit: int) -> Sequence[PastTurn]:
        """Return the newest closed turns of a chat that were never archived or forgotten, oldest first."""
        ...

    def segments(self, turn: TurnId) -> Sequence[Segment]:
        """Return the raw segments of a turn. Raises `NotFoundError`."""
        ...

    def archive(self, turns: Sequence[TurnId]) -> None:
        """Put these turns away together: they have left the window."""
        ...

    def forget(self, name: str) -> None:
        """Hide a turn from recall and from views."""
        ...

    @property
    def knowledge(self) -> KnowledgePort:
        """Facts and documents."""
        ...


class Ui(Protocol):
    """Whoever shows one turn to a person."""

    def show(self, event: Event) -> None:
        """Take an event; it must not block."""
        ...

    async def ask(self, question: str) -> bool:
        """Ask the person for consent; False when they say no or can't be asked."""
        ...
