"""One message and its answer. Whatever happened to it before - an interruption, a crash - is read from the log.

A turn that was interrupted is closed with all that was said and done in it. It is gone on with in a turn of its own,
named like it with ``#2``, ``#3``...: its model sees the first one, and nobody's words stand in the log twice.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

from homeagent.channels.sentences import say
from homeagent.channels.speaking import ChatUi, deliver

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from homeagent.agent import Agent, Incoming, Ui
    from homeagent.channels.sending import Courier
    from homeagent.channels.sentences import Language
    from homeagent.channels.speaking import Hearing
    from homeagent.memory import Place
    from homeagent.memory.turn import Status

__all__ = ["Company", "Direct", "Exchange", "Outcome", "Past", "resumed"]

_MOST_ATTEMPTS: Final = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a turn: its id, how it stands, and what was said in it to the person."""

    turn: str
    status: Status
    replies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Company:
    """Who was in a chat when somebody last spoke there; ``owner_only`` says that nobody else than the owner was."""

    sender: str
    members: tuple[str, ...]
    owner_only: bool


class Past(Protocol):
    """What the hub asks of the memory. Every method may take a while: it is called off the loop."""

    def outcome(self, source: str, external_id: str) -> Outcome | None:
        """Return what became of a turn, None when it was never opened."""
        ...

    def is_owner(self, channel: str, sender: str) -> bool:
        """Whether a sender of a channel is the owner of the home."""
        ...

    def company(self, place: Place) -> Company | None:
        """Return who was in a chat when somebody last spoke there; None when nobody did."""
        ...

    def set_owner(self, channel: str, sender: str, *, linked: bool) -> None:
        """Say that a sender of a channel is the owner, or is not any more."""
        ...


def resumed(incoming: Incoming, language: Language, attempt: int) -> Incoming:
    """Return the message that goes on with an interrupted turn."""
    name = f"{incoming.external_id}#{attempt}" if incoming.external_id else ""
    note = say("resume", language, words=incoming.words)
    return replace(incoming, text=note, more=(), attachments=(), at=None, resumes=incoming.words, external_id=name)


@dataclass(eq=False)
class Exchange:
    """A message of a chat, or one that was put in, and its answer. `run` may be called again after an interruption.

    ``prepare`` gives what came in and whom the answer is for, ``over`` is called once it is answered. ``shown`` may
    give a `Ui` beside the chat's own. ``replies`` and ``status`` are what came of it.
    """

    agent: Agent
    courier: Courier
    past: Past
    prepare: Callable[[], Awaitable[tuple[Incoming, Hearing]]]
    over: Callable[[], Awaitable[None]]
    ui: Ui | None = None
    replies: tuple[str, ...] = ()
    turn: str = ""
    status: str = "open"
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Answer, unless it was answered; go on with it, if it was begun."""
        incoming, hearing = await self.prepare()
        attempt, last = await self._last(incoming)
        if last is None:
            await self._respond(incoming, hearing)
        elif last.status == "interrupted" and attempt < _MOST_ATTEMPTS and not incoming.is_typed_call:
            await self._respond(resumed(incoming, hearing.language, attempt + 1), hearing)
        elif last.status == "interrupted":
            await self._tell(hearing, say("given_up", hearing.language), f"{last.turn}.given_up")
            self.status = "failed"
        elif last.status == "open":
            return  # another process answers it
        else:
            for number, text in enumerate(last.replies):
                await self._tell(hearing, text, f"{last.turn}.{number}")
            self.replies, self.status, self.turn = last.replies, last.status, last.turn
        await self.over()
        self.ended.set()

    async def _last(self, incoming: Incoming) -> tuple[int, Outcome | None]:
        """Return the last attempt at it, and its number."""
        attempt, last = 0, None
        while attempt < _MOST_ATTEMPTS:
            name = f"{incoming.external_id}#{attempt + 1}" if attempt else incoming.external_id
            found = await asyncio.to_thread(self.past.outcome, incoming.source, name)
            if found is None:
                break
            attempt, last = attempt + 1, found
        return attempt, last

    async def _respond(self, incoming: Incoming, hearing: Hearing) -> None:
        if self.ui is not None:
            await self.agent.respond(incoming, self.ui)
            self.status = "done"
            return
        async with ChatUi(self.courier, hearing) as ui:
            await self.agent.respond(incoming, ui)
        self.replies, self.status, self.turn = tuple(ui.replies), ui.status, ui.turn

    async def _tell(self, hearing: Hearing, text: str, key: str) -> None:
        self.replies = (*self.replies, text)
        if hearing.pushes and self.ui is None:
            await deliver(self.courier, hearing, text, key)


class Direct:
    """A message whose asker waits for the answer: the terminal, the page. `run` goes on after an interruption."""

    def __init__(self, agent: Agent, incoming: Incoming, ui: Ui, language: Language) -> None:
        self._agent = agent
        self._incoming = incoming
        self._ui = ui
        self._language = language
        self._attempt = 0
        self.outcome: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Answer, or go on with the answer; the outcome is what `Agent.respond` returned or raised."""
        self._attempt += 1
        incoming = self._incoming
        if self._attempt > 1 and not incoming.is_typed_call:
            incoming = resumed(incoming, self._language, self._attempt)
        elif self._attempt > 1:
            self.outcome.set_result("")  # nobody wants a command run twice
            return
        responding = asyncio.ensure_future(self._agent.respond(incoming, self._ui))
        try:
            await asyncio.wait({responding})
        except asyncio.CancelledError:
            responding.cancel()
            await asyncio.wait({responding})
            raise
        if responding.cancelled():
            self.outcome.cancel()
        elif (error := responding.exception()) is not None:
            self.outcome.set_exception(error)
        else:
            self.outcome.set_result(responding.result())
