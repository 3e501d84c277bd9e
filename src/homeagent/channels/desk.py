"""What the parts of a hub share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from homeagent.channels.asking import Questions
from homeagent.channels.lanes import Lanes
from homeagent.channels.lines import Lines
from homeagent.channels.sending import Courier, Pauses
from homeagent.channels.sentences import say
from homeagent.channels.speaking import Hearing
from homeagent.channels.spool import Spool
from homeagent_sdk import Capabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from homeagent.agent import Agent, Inbox
    from homeagent.channels.exchange import Past
    from homeagent.channels.lines import Line
    from homeagent.channels.sentences import Language
    from homeagent.config import ChannelOptions
    from homeagent.memory import Place
    from homeagent.plugins import Registry

__all__ = ["Desk", "HubParts"]


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


@dataclass(frozen=True)
class HubParts:
    """What a hub is made of. ``folder`` is its own; ``lines`` are the program's own channels besides the plugins'.

    ``clock`` gives the present moment with its zone.
    """

    agent: Agent
    inbox: Inbox
    registry: Registry
    past: Past
    folder: Path
    lines: Mapping[str, Line] = field(default_factory=dict)
    pauses: Pauses = field(default_factory=Pauses)
    clock: Callable[[], datetime] = _now


class Desk:
    """The parts of a hub at work. ``options_of`` gives what the owner says of a channel."""

    def __init__(self, parts: HubParts, options_of: Callable[[str], ChannelOptions]) -> None:
        self.parts = parts
        self.options_of = options_of
        self.spool = Spool(parts.folder)
        self.lines = Lines(parts.registry, parts.lines, lambda name: options_of(name).on)
        self.courier = Courier(self.spool, self.lines.of, parts.pauses)
        self.lanes = Lanes()
        self.questions = Questions()

    def hearing(self, place: Place, language: Language, *, owner: str = "", reply_to: str = "") -> Hearing:
        """Return whom a turn in a chat speaks to. ``owner`` is the sender id of the owner who may be asked there."""
        line = self.lines.of(place.channel)

        async def ask(question: str) -> bool:
            if not owner:  # others can't agree to anything in the owner's name
                return False
            text = say("ask", language, question=question)
            if await self.courier.aside(place, text) is None:
                return False
            return await self.questions.wait(place, owner)

        can, pushes = (Capabilities(), True) if line is None else (line.can, line.pushes)
        patience = self.options_of(place.channel).status_seconds
        return Hearing(place, language, ask, can, pushes, reply_to, patience)

    async def is_owner(self, place: Place, sender: str) -> bool:
        """Whether a sender is the owner of the home."""
        return await asyncio.to_thread(self.parts.past.is_owner, place.channel, sender)
