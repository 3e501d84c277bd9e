"""What comes in by a channel: let in or turned away, kept at once, put together, answered in the lane of its chat."""

from __future__ import annotations

import asyncio
import logging
import secrets
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from homeagent.agent import Incoming, Words
from homeagent.channels.admission import members_of, verdict
from homeagent.channels.exchange import Exchange
from homeagent.channels.gathering import Gathering, Group
from homeagent.channels.lanes import Job
from homeagent.channels.sentences import language_of, say
from homeagent.channels.spool import name_of
from homeagent.memory import Attachment, Place

if TYPE_CHECKING:
    from homeagent.channels.desk import Desk
    from homeagent.channels.speaking import Hearing
    from homeagent.channels.spool import Received
    from homeagent_sdk import Arrival

__all__ = ["Intake", "Taken", "source_of"]

_ONCE_SECONDS: Final = 24 * 3600.0
_MOST_TOLD: Final = 10_000
_log = logging.getLogger("homeagent.channels")


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a message that came in: whether it is answered, why not, its name in its channel.

    ``exchange`` answers it; None for one that is not answered, or was in an earlier run of the program.
    """

    accepted: bool
    why: str = ""
    name: str = ""
    exchange: Exchange | None = None


class Intake:
    """Takes messages."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._gathering = Gathering(self._exchange, self._ready)
        self._open: dict[tuple[str, str], Exchange] = {}
        self._taking = asyncio.Lock()
        self._told: dict[tuple[str, str], float] = {}

    async def take(self, channel: str, arrival: Arrival) -> Taken:
        """Take a message; it is on the disk, or turned away, when this returns. Raises `HomeError` for a full disk."""
        options, place = self._desk.options_of(channel), Place(channel, arrival.chat)
        at = arrival.at or self._desk.parts.clock()
        arrival = replace(arrival, id=arrival.id or f"r{secrets.token_hex(8)}", at=at if at.tzinfo else at.astimezone())
        judged = verdict(arrival, options)
        if judged != "answer":
            await self._turn_away(place, arrival, judged)
            return Taken(accepted=False, why=judged)
        name = name_of(arrival)
        async with self._taking:
            known = self._open.get((channel, name))
            if known is not None or await asyncio.to_thread(self._is_known, channel, name):
                return Taken(accepted=False, why="known", name=name, exchange=known)
            if self._desk.questions.answered(place, arrival.sender, arrival.text):
                return Taken(accepted=True, why="an answer to a question", name=name)
            received = await asyncio.to_thread(self._desk.spool.take, channel, arrival)
            line = self._desk.lines.of(channel)
            patience = options.merge_seconds if line is None or line.pushes else 0.0  # somebody waits for the answer
            group = self._gathering.add(place, arrival.sender, received, patience)
            self._open[channel, name] = group.exchange
        return Taken(accepted=True, name=name, exchange=group.exchange)

    async def take_up(self) -> None:
        """Answer what came in before the program ended."""
        for received in await asyncio.to_thread(self._desk.spool.waiting):
            exchange = self._exchange([received])
            self._open.update(dict.fromkeys(((received.channel, name) for name in received.ids), exchange))
            self._desk.lanes.put(_place_of(received), Job(exchange.run))

    def stop(self) -> None:
        """Take nothing more up; what waits is on the disk."""
        self._gathering.stop()

    def _is_known(self, channel: str, name: str) -> bool:
        source = source_of(channel)
        return self._desk.spool.knows(channel, name) or self._desk.parts.past.outcome(source, name) is not None

    async def _turn_away(self, place: Place, arrival: Arrival, why: str) -> None:
        """Say in the log who may be let in, and perhaps a line to him, once a day."""
        if why == "not for us":
            return
        key, now = (place.channel, arrival.chat if arrival.group else arrival.sender), asyncio.get_running_loop().time()
        before = self._told.get(key)
        if before is not None and now - before < _ONCE_SECONDS:
            return
        if len(self._told) > _MOST_TOLD:
            self._told.clear()
        self._told[key] = now
        what = "groups" if arrival.group else "members"
        _log.warning("channel %s: a message is not answered; to allow it: %s = [%r]", place.channel, what, key[1])
        options = self._desk.options_of(place.channel)
        if why == "stranger" and options.strangers == "polite":
            await self._desk.courier.aside(place, say("stranger", language_of(arrival.text, options)))

    def _exchange(self, parts: list[Received]) -> Exchange:
        joined: list[Received] = []
        parts_of_hub = self._desk.parts
        return Exchange(
            parts_of_hub.agent,
            self._desk.courier,
            parts_of_hub.past,
            partial(self._prepare, parts, joined),
            partial(self._over, joined),
        )

    def _ready(self, place: Place, group: Group) -> None:
        self._desk.lanes.put(place, Job(group.exchange.run))

    async def _prepare(self, parts: list[Received], joined: list[Received]) -> tuple[Incoming, Hearing]:
        """Make one file of the messages, so that they stay together from now on, and one message of them."""
        if not joined:
            joined.append(await asyncio.to_thread(self._desk.spool.join, parts))
        (received,) = joined
        place, first = _place_of(received), received.arrivals[0]
        options = self._desk.options_of(place.channel)
        owner = await self._desk.is_owner(place, first.sender)
        incoming = Incoming(
            first.text,
            place,
            first.sender,
            members_of(received.arrivals[-1]),
            _attachments(first),
            first.at,
            source=source_of(received.channel),
            external_id=received.ids[0],
            more=tuple(Words(each.text, _attachments(each)) for each in received.arrivals[1:]),
            name=first.sender_name,
            owner=owner,
            tools=None if owner else options.guest_tools,
        )
        language = language_of(incoming.words, options)
        reply_to = received.arrivals[-1].id if first.group else ""
        asked = first.sender if owner else ""
        return incoming, self._desk.hearing(place, language, owner=asked, reply_to=reply_to)

    async def _over(self, joined: list[Received]) -> None:
        for received in joined:
            await asyncio.to_thread(self._desk.spool.done, received)
            for name in received.ids:
                self._open.pop((received.channel, name), None)


def source_of(channel: str) -> str:
    """Return the source under which the log knows the messages of a channel by their names."""
    return f"channel {channel}"


def _place_of(received: Received) -> Place:
    return Place(received.channel, received.arrivals[0].chat)


def _attachments(arrival: Arrival) -> tuple[Attachment, ...]:
    return tuple(Attachment(each.media_type, each.data, each.name) for each in arrival.attachments)
