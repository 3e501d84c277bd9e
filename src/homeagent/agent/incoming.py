"""What comes in, and the turn it opens."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, TypeVar

from homeagent.memory import OWNER, Segment, Turn, is_owner
from homeagent_sdk import TurnInfo

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from homeagent.agent.ports import MemoryPort, PastTurn, Ui
    from homeagent.memory import Attachment, Place, TurnId
    from homeagent.memory.turn import Status
    from homeagent.models.messages import Message, Reply, Usage

__all__ = ["RESUMED", "Incoming", "OpenTurn", "Words", "speaker_of"]


T = TypeVar("T")

RESUMED: Final = "resumed"
"""In the log, the plugin of the segment that begins a turn which goes on with an interrupted one."""


@dataclass(frozen=True, slots=True)
class Words:
    """One more message of the same sender that is answered in the same turn; a segment of its own in the log."""

    text: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message for the agent. ``person`` and ``members`` are ids as the channel gives them.

    ``at`` has a zone; None is now. ``private`` leaves nothing on disk. ``injected`` says that a plugin put it in;
    ``source`` and ``external_id`` name it, so that it is answered once. ``more`` are further messages of the same
    sender. ``name`` is what he calls himself: shown to the model, nobody is known by it. ``owner`` says that the
    identity map knows him as the owner. ``tools`` are the tools the turn may use, by names or globs; None is all.
    ``resumes`` are the words of an interrupted turn that this one goes on with; ``text`` then says so to the model.
    ``guidance`` is what the program that it comes through asks of the answer; it is no part of what was said and is
    not kept.
    """

    text: str
    place: Place
    person: str = OWNER
    members: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    at: datetime | None = None
    no_memory: bool = False
    private: bool = False
    injected: bool = False
    source: str = ""
    external_id: str = ""
    more: tuple[Words, ...] = ()
    name: str = ""
    owner: bool = False
    tools: tuple[str, ...] | None = None
    resumes: str = ""
    guidance: str = ""

    @property
    def words(self) -> str:
        """Everything that was said to begin the turn, message after message, each on lines of its own."""
        return self.resumes or "\n".join((self.text, *(each.text for each in self.more)))

    @property
    def files(self) -> tuple[Attachment, ...]:
        """What came with all of it."""
        return (*self.attachments, *(each for words in self.more for each in words.attachments))

    @property
    def from_owner(self) -> bool:
        """Whether the owner himself said it, and no plugin in his name."""
        return (self.owner or is_owner(self.place.channel, self.person)) and not self.injected

    @property
    def is_typed_call(self) -> bool:
        """Whether the owner typed ``/tool name key=value``: a call that needs no model."""
        typed = not self.more and self.text.lstrip().partition(" ")[0].rstrip() == "/tool"
        return typed and self.from_owner and not self.resumes

    @property
    def speaker(self) -> str:
        """Who says it, as the model is told: a stranger who calls himself ``owner`` comes with his channel's name."""
        return speaker_of(self.place, self.person, owner=self.owner)

    def may_use(self, tool: str) -> bool:
        """Whether the turn may use a tool."""
        return self.tools is None or any(fnmatchcase(tool, each) for each in self.tools)


def speaker_of(place: Place, sender: str, *, owner: bool = False) -> str:
    """Return how the model is told of a sender: ``owner`` for the owner alone."""
    if owner or is_owner(place.channel, sender):
        return OWNER
    return sender if sender != OWNER else f"{place.channel}:{sender}"


@dataclass(slots=True)
class Spent:
    """What a turn took of the models."""

    usage: Usage | None = None
    cost: float | None = None
    currency: str = ""
    source: str = ""
    model: str = ""

    def add(self, reply: Reply) -> None:
        """Count one reply in."""
        self.source, self.model = reply.source, reply.model
        if reply.usage is not None:
            self.usage = reply.usage if self.usage is None else self.usage + reply.usage
        if reply.cost is not None:
            self.cost = reply.cost.amount + (self.cost or 0.0)
            self.currency = reply.cost.currency


def _no_room(_past: Sequence[PastTurn]) -> bool:
    return False


def _nothing_in_view() -> None:
    return None


@dataclass(slots=True)
class OpenTurn:
    """A turn under way. Every segment goes to the log at once; ``messages`` is what the model sees of it.

    ``memory`` is None for a private turn, which leaves nothing. ``segments`` are what was said so far. ``bring_back``
    shows archived turns of this chat again, at their own time, and tells whether there was room for them;
    ``look_again`` takes out of every window what was forgotten, from the next turn on.
    """

    incoming: Incoming
    info: TurnInfo
    at: datetime
    ui: Ui
    memory: MemoryPort | None
    id: TurnId | None
    status: Status = "failed"
    segments: list[Segment] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    closed: bool = False
    bring_back: Callable[[Sequence[PastTurn]], bool] = _no_room
    look_again: Callable[[], None] = _nothing_in_view

    @staticmethod
    async def open(incoming: Incoming, at: datetime, ui: Ui, memory: MemoryPort) -> OpenTurn:
        """Open a turn with the words that came in; they are on the disk when this returns."""
        # A typed call holds a tool's arguments: its policy decides about them where they are the tool's own.
        hidden = incoming.no_memory or incoming.is_typed_call
        segments = _first_segments(incoming, hidden=hidden)
        turn = Turn(
            incoming.place,
            incoming.person,
            segments,
            at=at,
            members=incoming.members,
            source=incoming.source,
            external_id=incoming.external_id,
            status="open",
        )
        kept = None if incoming.private else memory
        turn_id = None if kept is None else await _begun(turn, kept)
        place = incoming.place
        info = TurnInfo(
            turn_id or "", place.channel, place.chat, incoming.person, incoming.members, at, incoming.private
        )
        return OpenTurn(incoming, info, at, ui, kept, turn_id, segments=list(segments))

    async def add(self, segment: Segment) -> None:
        """Add a segment; it is on the disk when this returns."""
        self.segments.append(segment)
        if self.memory is not None and self.id is not None:
            await _settled(asyncio.to_thread(self.memory.append, self.id, segment))

    def interrupted(self) -> None:
        """Take note that it was stopped, unless all was said by then."""
        if self.status != "done":
            self.status = "interrupted"

    async def close(self) -> None:
        """Close the turn as what it was; once."""
        if self.closed:
            return
        self.closed = True
        if self.memory is not None and self.id is not None:
            await _settled(asyncio.to_thread(self.memory.close, self.id, self.status))


async def _settled(writing: Awaitable[T]) -> T:
    """Wait for something that is being written, to its end; a cancellation is raised after that."""
    work = asyncio.ensure_future(writing)
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait({work})
        raise


async def _begun(turn: Turn, memory: MemoryPort) -> TurnId:
    """Open a turn. When this is cancelled meanwhile the turn is closed again: nobody else knows of it."""
    opening = asyncio.ensure_future(asyncio.to_thread(memory.begin, turn))
    try:
        return await _settled(opening)
    except asyncio.CancelledError:
        if opening.done() and not opening.cancelled() and opening.exception() is None:
            await asyncio.to_thread(memory.close, opening.result(), "interrupted")
        raise


def _first_segments(incoming: Incoming, *, hidden: bool) -> tuple[Segment, ...]:
    if incoming.resumes:  # what he said stands in the turn that was interrupted
        return (Segment("system", incoming.text, plugin=RESUMED, no_memory=True),)
    first = Segment("user", incoming.text, attachments=incoming.attachments, no_memory=hidden)
    more = (Segment("user", each.text, attachments=each.attachments, no_memory=hidden) for each in incoming.more)
    return (first, *more)
