"""What recall and explain hand out. All text here is compute text; raw is shown only when it is asked for by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from homeagent.memory.store.records import Decision
    from homeagent.memory.turn import Place, Role, Status, TurnId

__all__ = [
    "Explanation",
    "Hit",
    "Neighbour",
    "PolicyChange",
    "PolicyExample",
    "PolicyInForce",
    "Recall",
    "SegmentExplanation",
]


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

    ``text`` is the passage; of a tool's output, what stands around it too, some 600 characters. ``segment`` is the
    position of the passage's first segment in its turn; ``span`` its character range in that segment's raw text, or
    None where a cleaner rewrote it. ``score`` only orders hits of one question. ``why`` says in words what matched.
    ``superseded`` marks an older value of the same thing.
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
class PolicyInForce:
    """What happens to one tool's outputs, or one channel's words, and what they left behind.

    ``origin`` is "declared", "override" (the owner's word for ``pattern``), "returns_memory" or "default". Segments are
    those derived so far; ``raw`` and ``computed`` are their characters, as said and as computed.
    """

    kind: Literal["tool", "channel"]
    name: str
    treatment: str
    cleaner: str
    why: str
    origin: str
    pattern: str
    segments: int
    raw: int
    computed: int


@dataclass(frozen=True, slots=True)
class PolicyExample:
    """One segment as it is computed now and as it would be: ``before`` and ``after`` are what is computed of it."""

    turn: TurnId
    external_id: str
    position: int
    role: Role
    tool: str | None
    decision: Decision
    reason: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """What a change of policy would do. Lengths are in characters of compute text.

    ``segments`` are those whose policy differs: outputs, for a channel what people said. ``replies`` are those of which
    more or less is left out as a quotation. ``facts_going`` and ``facts_coming`` are claims, each counted where it was
    made.
    """

    segments: int
    characters_before: int
    characters_after: int
    replies: int
    reply_characters_before: int
    reply_characters_after: int
    facts_going: int
    facts_coming: int
    examples: tuple[PolicyExample, ...]
