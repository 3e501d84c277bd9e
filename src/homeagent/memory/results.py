"""What recall and explain hand out. All text here is compute text; raw is shown only when it is asked for by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from homeagent.memory.store.records import Decision
    from homeagent.memory.turn import Place, Role, Status, TurnId

__all__ = ["Explanation", "Hit", "Neighbour", "PolicyChange", "Recall", "SegmentExplanation"]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A turn next to a hit in the same chat; ``offset`` is -1 for the one before, 1 for the one after."""

    turn: TurnId
    external_id: str
    offset: int
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One remembered turn, by its best passage.

    ``segment`` is the position of the passage's first segment in its turn; ``span`` its character range in that
    segment's raw text, or None where a cleaner rewrote it. ``score`` only orders hits of one question. ``why`` says in
    words what matched. ``superseded`` marks an older value of the same thing.
    """

    turn: TurnId
    source: str
    external_id: str
    text: str
    score: float
    why: tuple[str, ...]
    segment: int
    span: tuple[int, int] | None
    place: Place
    sender: str
    at: datetime | None
    neighbours: tuple[Neighbour, ...] = ()
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Recall:
    """Ranked hits, best first, at most one a turn.

    ``answerable`` is the probability, 0 to 1, that the memory holds an answer; ``nothing`` says it has nothing to the
    point. Hits are given all the same. ``pending`` counts turns that are kept but not yet fully derived.
    """

    hits: tuple[Hit, ...]
    answerable: float
    nothing: bool
    pending: int


@dataclass(frozen=True, slots=True)
class SegmentExplanation:
    """Why a segment is, or is not, in computed memory. Lengths are in characters; ``cuts`` are ranges of raw."""

    position: int
    role: Role
    tool: str | None
    decision: Decision | None
    reason: str
    raw_length: int
    computed_length: int
    cuts: tuple[tuple[int, int], ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """A turn, segment by segment: what was kept, what was computed of it, and why."""

    turn: TurnId
    source: str
    external_id: str
    place: Place
    sender: str
    at: datetime | None
    status: Status
    segments: tuple[SegmentExplanation, ...]


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """What a change of policy would do: segments and characters that come into computation or leave it."""

    segments: int
    characters_before: int
    characters_after: int
    examples: tuple[SegmentExplanation, ...]
