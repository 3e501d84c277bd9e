"""What the agent needs of others: of the memory, and of whoever shows a turn to a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from homeagent.agent.events import Event
    from homeagent.memory import Explanation, Place, Recall, Segment, Turn, TurnId, Viewer
    from homeagent.memory.turn import Status

__all__ = ["MemoryPort", "PastTurn", "Ui"]


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn of the log as the window shows it again after a restart."""

    turn: TurnId
    sender: str
    injected: bool
    segments: tuple[Segment, ...]


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


class Ui(Protocol):
    """Whoever shows one turn to a person."""

    def show(self, event: Event) -> None:
        """Take an event; it must not block."""
        ...

    async def ask(self, question: str) -> bool:
        """Ask the person for consent; False when they say no or can't be asked."""
        ...
