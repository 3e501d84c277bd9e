"""Rows as the stores hand them out: frozen, typed, no SQL."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from homeagent.memory.compute import ComputeText
    from homeagent.memory.turn import Place, Role, Segment, Status, TurnId

__all__ = [
    "NO_CUES",
    "ChatRow",
    "Computed",
    "Decision",
    "DocumentRow",
    "Doomed",
    "Entry",
    "EntryKind",
    "IdentityRow",
    "IndexedTurn",
    "Moment",
    "OutcomeRow",
    "OutputCues",
    "Passage",
    "PassageKind",
    "PassageSize",
    "PolicyRow",
    "SegmentRow",
    "ShareRow",
    "Step",
    "Todo",
    "TurnCues",
    "TurnOutline",
    "TurnRow",
    "WriteRow",
]

EntryKind = Literal[
    "turn",
    "segment",
    "attachment",
    "blob",
    "closing",
    "policy",
    "identity",
    "write",
    "outcome",
    "share",
    "forget",
    "erasure",
]
"""What a line of the log is about."""

Step = Literal["door", "index", "embed", "distil", "document"]
"""What there is to derive: compute text of a segment; index, vectors and facts of a turn."""
Decision = Literal["whole", "cleaned", "hidden", "quote", "failed", "empty", "forgotten"]
"""What the door did with a segment."""
PassageKind = Literal["words", "output"]
"""The words of a turn, or a piece of an output."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time with the zone it was lived in: microseconds since 1970 UTC, and minutes east of UTC."""

    microseconds: int
    offset_minutes: int

    @staticmethod
    def of(at: datetime) -> Moment:
        """Return the moment of ``at``; a naive datetime is taken as UTC."""
        aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        offset = aware.utcoffset() or timedelta()
        since = aware - datetime(1970, 1, 1, tzinfo=UTC)
        return Moment(since // timedelta(microseconds=1), offset // timedelta(minutes=1))

    def datetime(self) -> datetime:
        """Return it as an aware datetime in its own zone."""
        zone = timezone(timedelta(minutes=self.offset_minutes))
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.microseconds)).astimezone(zone)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log in commit order; ``turn`` is the seq of the turn it belongs to, if any."""

    seq: int
    kind: EntryKind
    turn: int | None
    recorded_us: int


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn without its segments. ``seq`` is where it was opened; ``closed`` where it was closed, or None."""

    seq: int
    turn_id: TurnId
    source: str
    external_id: str
    place: Place
    sender: str
    members: tuple[str, ...]
    at: Moment | None
    status: Status
    closed: int | None


@dataclass(frozen=True, slots=True)
class ChatRow:
    """A chat: how many turns it has, and the seqs of the first and the last of them."""

    place: Place
    turns: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A raw segment and where it stands."""

    seq: int
    turn: int
    position: int
    segment: Segment


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One thing that was said about the memory of a tool or channel, at one time.

    ``origin`` is ``declared`` (by the plugin) or ``override`` (by the owner, ``name`` may hold globs). ``action`` is
    ``set``, ``unset`` (taken back), ``removed`` (the tool is gone: its policy stays) or ``renamed``
    (``name`` is now called ``target``).
    """

    seq: int
    kind: Literal["tool", "channel"]
    name: str
    origin: Literal["declared", "override"]
    action: Literal["set", "unset", "removed", "renamed"]
    no_memory: bool = False
    cleaner: str = ""
    returns_memory: bool = False
    target: str = ""


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """Something that happened once and can't be computed again, such as what was archived together."""

    seq: int
    kind: str
    payload: str


@dataclass(frozen=True, slots=True)
class IdentityRow:
    """A sender of a channel is a person from here on (``link``), or no longer (``unlink``)."""

    seq: int
    channel: str
    sender: str
    person: str
    action: Literal["link", "unlink"]


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A turn is shared on purpose from here on (``share``), or no longer (``unshare``).

    ``person`` is whom with; where it is empty, everybody in the chat ``place``.
    """

    seq: int
    turn: int
    person: str
    place: Place | None
    action: Literal["share", "unshare"]


@dataclass(frozen=True, slots=True)
class Doomed:
    """What an erasure deletes: the seqs of whole turns, of single outputs and of explicit writes.

    ``pins`` are ranges of other, surviving segments that stay out of computation because what they copied is gone.
    """

    turns: tuple[int, ...] = ()
    segments: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    pins: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Todo:
    """One thing to derive: a step for the log row ``seq``, under what ``fingerprint`` it was asked for."""

    seq: int
    step: Step
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Computed:
    """What the door let through of one segment, and why.

    ``raw_length`` is in characters. ``cuts`` are the character ranges of raw that were left out as quotations.
    ``fingerprint`` names the policy, cleaner and door version it was made under.
    """

    segment: int
    turn: int
    position: int
    role: Role
    tool: str | None
    decision: Decision
    reason: str
    raw_length: int
    text: ComputeText
    cuts: tuple[tuple[int, int], ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class TurnCues:
    """What the words of a turn look like to recall; worked out once, when the turn is indexed.

    ``words``: their number; ``asks``: the share of characters that stand in questions, 0 to 1; the flags tell whether
    it speaks in the first person, of a time, of a number, and whether people or only the assistant speak in it.
    """

    words: float
    asks: float
    first_person: bool
    time: bool
    number: bool
    people: bool
    assistant: bool


@dataclass(frozen=True, slots=True)
class OutputCues:
    """What a piece of a tool's output looks like to recall: most of it asks, and the flags of `TurnCues`.

    ``said_by`` is who is named in front of its words, as a transcript or an exported chat does, case-folded; else "".
    """

    asks: bool = False
    first_person: bool = False
    time: bool = False
    number: bool = False
    said_by: str = ""


NO_CUES: Final = OutputCues()
"""Those of what is no output."""


@dataclass(frozen=True, slots=True)
class IndexedTurn:
    """A turn as recall sees it: where, when, who, and the scope (chat and audience) it belongs to."""

    seq: int
    turn_id: TurnId
    source: str
    external_id: str
    place: Place
    sender: str
    at: Moment | None
    status: Status
    scope: int
    chat: int
    cues: TurnCues


@dataclass(frozen=True, slots=True)
class TurnOutline:
    """What recall keeps in memory of a turn; ``at_us`` in microseconds since 1970 UTC, None when unknown."""

    seq: int
    scope: int
    sender: str
    at_us: int | None
    cues: TurnCues


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a turn that is indexed and embedded as one: its words, or a piece of an output."""

    passage: int
    turn: int
    kind: PassageKind
    text: ComputeText


@dataclass(frozen=True, slots=True)
class PassageSize:
    """What recall keeps in memory of a passage: where it belongs, and under how many words and bigrams it is indexed.

    ``output``: it is of a tool's output; only then has it ``cues``.
    """

    passage: int
    turn: int
    scope: int
    words: int
    bigrams: int
    output: bool = False
    cues: OutputCues = NO_CUES


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """Turns that were archived together; ``outcome`` is the log row that said so first."""

    document: str
    outcome: int
    turns: tuple[int, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class WriteRow:
    """Something that was written into the memory on purpose: a fact, a correction, a merge, a document.

    ``turn`` is the seq of the turn in which that was done, if any; the row goes when the turn is erased.
    """

    seq: int
    kind: str
    turn: int | None
    payload: str
    at_us: int
