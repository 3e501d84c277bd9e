"""Turns that are asked for over the network: run, watched by whoever listens, stopped, and their questions answered."""

from __future__ import annotations

import asyncio
import contextvars
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from homeagent.agent import events
from homeagent.agent.recalling import Why
from homeagent.errors import InputError, NotFoundError
from homeagent.memory import OWNER
from homeagent.server.for_members import as_told
from homeagent.server.happenings import happening

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping

    from homeagent.agent import Event, Incoming
    from homeagent.channels import Hub as Channels
    from homeagent.errors import HomeAgentError
    from homeagent.memory import Place
    from homeagent.server.hub import Hub

__all__ = ["PRIVATE", "Asked", "Desk", "Running", "TurnView"]

PRIVATE: contextvars.ContextVar[bool] = contextvars.ContextVar("homeagent_private", default=False)
"""Whether the turn that runs here leaves nothing behind."""

_QUIET: Final = ("delta", "thinking")
"""Kinds that only the stream of the turn itself carries: there are too many of them to be kept for later."""

_WITHOUT_WORDS: Final = frozenset((
    "call", "tool", "error", "seconds", "status", "usage", "cost", "currency", "source", "model", "kind", "asked",
    "nothing", "answerable", "pending",
))  # fmt: skip
"""What the hub hears of an event. No words: it tells them again later, when they may have been forgotten or erased."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a person that waits for an answer."""

    id: str
    person: str
    place: Place
    text: str
    answer: asyncio.Future[bool]


@dataclass
class TurnView:
    """A `Ui` that writes down what happens in a turn, and tells the hub and the stream of whoever asked for it.

    ``audience`` are the persons who may hear of it. ``stream`` gets every event, and None at the end, if ``streaming``;
    ``answering`` says that whoever reads it shows questions too; ``asks`` is another way to ask. ``finished`` are the
    calls of tools that have ended.
    """

    desk: Desk
    place: Place
    person: str
    audience: frozenset[str]
    private: bool = False
    stream: asyncio.Queue[tuple[str, Mapping[str, object]] | None] = field(default_factory=asyncio.Queue)
    streaming: bool = False
    answering: bool = False
    asks: Callable[[str], Awaitable[bool]] | None = None
    finished: list[events.ToolFinished] = field(default_factory=list)
    why: Why = field(default_factory=lambda: Why("", nothing=False))
    said: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    error: HomeAgentError | None = None
    ended: events.TurnEnded | None = None
    turn: str = ""

    def show(self, event: Event) -> None:
        """Take an event."""
        if isinstance(event, events.TurnEnded):
            self.desk.ended(event)
        told = event if self.person == OWNER else as_told(event)
        if told is None:
            return
        event = told
        match event:
            case events.TurnStarted(turn=turn):
                self.turn = turn
            case events.Recalled(why=why):
                self.why = why
            case events.Said(text=text) | events.Refused(reason=text):
                self.said.append(text)
            case events.ToolStarted(tool=tool):
                self.tools.append(tool)
            case events.ToolFinished():
                self.finished.append(event)
            case events.TurnFailed(error=error):
                self.error = error
            case events.TurnEnded():
                self.ended = event
        self.tell(*happening(event))

    def tell(self, kind: str, data: Mapping[str, object]) -> None:
        """Tell those who watch; of a private turn nobody but its own stream hears."""
        if self.streaming:
            self.stream.put_nowait((kind, data))
        if kind not in _QUIET and not self.private:
            known = {key: value for key, value in data.items() if key in _WITHOUT_WORDS}
            about = {"channel": self.place.channel, "chat": self.place.chat, **known, "turn": self.turn}
            self.desk.hub.publish(kind, about, self.audience)

    async def ask(self, question: str) -> bool:
        """Ask the person, where somebody is there who can answer: a stream that shows questions, or a listener."""
        if self.asks is not None:
            return await self.asks(question)
        if not (self.answering or self.desk.hub.has_listener(self.person)):
            return False
        return await self.desk.ask(self, question)

    @property
    def answer(self) -> str:
        """Everything that was said to the person."""
        return "\n\n".join(self.said)


@dataclass(frozen=True, slots=True)
class Running:
    """A turn under way, and what shows it."""

    view: TurnView
    task: asyncio.Task[str]

    async def finished(self) -> TurnView:
        """Wait for its end, however it ends; cancelling the wait stops the turn."""
        try:
            await asyncio.shield(self.task)
        except asyncio.CancelledError:
            if not self.task.done():  # it is the wait that was cancelled
                self.task.cancel()
                await asyncio.wait({self.task})
                raise
        return self.view

    async def happenings(self) -> AsyncIterator[tuple[str, Mapping[str, object]]]:
        """Yield what happens until the end of the turn."""
        while (item := await self.view.stream.get()) is not None:
            yield item


class Desk:
    """Runs turns in the name of those who ask. All methods belong to the event loop's thread."""

    def __init__(self, channels: Channels, hub: Hub, ended: Callable[[events.TurnEnded], None]) -> None:
        self.hub = hub
        self.ended = ended
        self._channels = channels
        self._running: dict[asyncio.Task[str], Place] = {}
        self._asked: dict[str, Asked] = {}
        self._closed = False

    def start(
        self, incoming: Incoming, *, streaming: bool = False, answering: bool = False, person: str = OWNER
    ) -> Running:
        """Begin a turn in the name of ``person``; several of one chat run in the order of their beginning."""
        if self._closed:
            raise InputError("this server", "is stopping", "Try again when it has started anew")
        view = self.view(incoming.place, person, (person,), private=incoming.private)
        view.streaming, view.answering = streaming, answering
        task = asyncio.create_task(self._run(incoming, view))
        self._running[task] = incoming.place
        task.add_done_callback(lambda done: self._running.pop(done, None))
        return Running(view, task)

    def view(self, place: Place, person: str, audience: Collection[str], *, private: bool = False) -> TurnView:
        """Return a `Ui` for a turn at a place, of which ``audience`` may hear."""
        return TurnView(self, place, person, frozenset(audience), private)

    def stop(self, place: Place) -> int:
        """Stop the turns of a chat; return how many there were."""
        found = [task for task, where in self._running.items() if where == place]
        for task in found:
            task.cancel()
        return len(found)

    def is_running(self, place: Place) -> bool:
        """Whether a turn of a chat is under way."""
        return place in self._running.values()

    async def ask(self, view: TurnView, text: str) -> bool:
        """Ask a person; the answer comes by `answer`. Cancelling it takes the question back."""
        asked = Asked(secrets.token_hex(8), view.person, view.place, text, asyncio.get_running_loop().create_future())
        self._asked[asked.id] = asked
        view.tell("question", {"question": asked.id, "asked": asked.id, "text": text})
        try:
            return await asked.answer
        finally:
            self._asked.pop(asked.id, None)
            view.tell("question_closed", {"question": asked.id, "asked": asked.id})

    def answer(self, question: str, person: str, *, agree: bool) -> None:
        """Answer a question. Raises `NotFoundError` when it is not asked (any more), or not of this person."""
        asked = self._asked.get(question)
        if asked is None or asked.person != person:
            raise NotFoundError(
                f"question {question!r}", "is not asked", "It may have been answered, or its time is over"
            )
        if not asked.answer.done():
            asked.answer.set_result(agree)

    def questions(self, person: str) -> list[Asked]:
        """Return what a person is being asked."""
        return [each for each in self._asked.values() if each.person == person]

    async def close(self, seconds: float) -> None:
        """Begin no more turns; give those under way so much time to end, then stop them."""
        self._closed = True
        running = set(self._running)
        if running:
            _, left = await asyncio.wait(running, timeout=seconds)
            for task in left:
                task.cancel()
            if left:
                await asyncio.wait(left, timeout=seconds)

    async def _run(self, incoming: Incoming, view: TurnView) -> str:
        PRIVATE.set(incoming.private)
        try:
            return await self._channels.respond(incoming, view)
        finally:
            view.stream.put_nowait(None)
