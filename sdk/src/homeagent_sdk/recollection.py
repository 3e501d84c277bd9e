"""What a plugin may ask of the home's memory. All text here is compute text: what the policies let through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from homeagent_sdk.remembering import DocumentAccess, FactAccess

__all__ = ["ExplainedSegment", "MemoryAccess", "Recollected", "Recollection"]


@dataclass(frozen=True, slots=True)
class Recollected:
    """One remembered turn, by its best passage; ``why`` says in words what matched, ``at`` is when it was said."""

    turn: str
    text: str
    at: datetime | None
    sender: str
    channel: str
    chat: str
    why: tuple[str, ...] = ()
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Recollection:
    """What is remembered about a question, best first; ``nothing`` says that none of it is to the point.

    ``pending`` counts turns that are kept but not yet fully searchable.
    """

    hits: tuple[Recollected, ...] = ()
    nothing: bool = True
    pending: int = 0


@dataclass(frozen=True, slots=True)
class ExplainedSegment:
    """Why one segment of a turn is, or is not, in computed memory. Lengths are in characters."""

    position: int
    role: str
    tool: str
    decision: str
    reason: str
    raw_length: int
    computed_length: int


class MemoryAccess(Protocol):
    """The memory as the person in front of the tool may see it: what others said in private stays private."""

    async def recall(self, question: str, *, limit: int = 5, at: datetime | None = None) -> Recollection:
        """Return what is remembered about ``question``. ``at`` is the moment of asking, now by default."""
        ...

    async def note(self, text: str) -> str:
        """Keep an explicit note in this chat; return the id of its turn."""
        ...

    async def explain(self, turn: str) -> Sequence[ExplainedSegment]:
        """Say for each segment of a turn what of it is computed, and why. Raises ``ToolError`` for an unknown turn."""
        ...

    async def read(self, turn: str) -> str:
        """Return what is computed of a turn, whole, secrets masked. Raises ``ToolError`` where it may not be seen."""
        ...

    async def forget(self, turns: Sequence[str]) -> None:
        """Hide turns from recall; `restore` brings them back. What others said, only the owner may forget."""
        ...

    async def restore(self, turns: Sequence[str]) -> None:
        """Take `forget` back."""
        ...

    @property
    def facts(self) -> FactAccess:
        """What is known of persons and things."""
        ...

    @property
    def documents(self) -> DocumentAccess:
        """What was archived, by matter."""
        ...
