"""Sending: one queue for each chat, in order, tried again with growing pauses until it works, over restarts too."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from homeagent.errors import HomeAgentError
from homeagent.plugins import Failure, guarded
from homeagent_sdk import Outgoing, RefusedError

if TYPE_CHECKING:
    from homeagent.channels.lines import LineOf
    from homeagent.channels.spool import Spool, ToSend
    from homeagent.memory import Place

__all__ = ["Courier", "Pauses"]

_SEND_SECONDS: Final = 60.0
_ASIDE_SECONDS: Final = 15.0
_log = logging.getLogger("homeagent.channels")


@dataclass(frozen=True, slots=True)
class Pauses:
    """How long to wait, in seconds: after the first failure, at most, and until a message is given up."""

    first: float = 1.0
    longest: float = 60.0
    give_up: float = 24 * 3600.0

    def after(self, tries: int) -> float:
        """Return the pause after so many failures."""
        return min(self.longest, self.first * 2.0 ** min(tries, 30))


@dataclass
class _Queue:
    waiting: list[ToSend] = field(default_factory=list)
    worker: asyncio.Task[None] | None = None


class Courier:
    """Sends what waits in the spool. ``lines`` gives the line of a channel, None while there is none."""

    def __init__(self, spool: Spool, lines: LineOf, pauses: Pauses) -> None:
        self._spool = spool
        self._lines = lines
        self._pauses = pauses
        self._queues: dict[tuple[str, str], _Queue] = {}
        self._running = False

    async def start(self) -> None:
        """Begin to send, what is left of an earlier run first."""
        self._running = True
        for waiting in await asyncio.to_thread(self._spool.to_send):
            self._push(waiting)

    async def queue(self, place: Place, message: Outgoing) -> None:
        """Send a message when those before it in its chat have gone; it is on the disk when this returns."""
        waiting = await asyncio.to_thread(self._spool.queue, place.channel, message)
        if waiting is not None and self._running:
            self._push(waiting)

    async def aside(self, place: Place, text: str, *, edits: str = "") -> str | None:
        """Send a line that nobody misses when it can't be sent: at once, and once; return its id, None if not."""
        line = self._lines(place.channel)
        if line is None or not line.pushes:
            return None
        outcome = await guarded(line.send(Outgoing(place.chat, text[: line.can.length], edits=edits)), _ASIDE_SECONDS)
        return None if isinstance(outcome, Failure) else outcome

    async def typing(self, place: Place) -> None:
        """Show that an answer is on its way, where the channel can."""
        line = self._lines(place.channel)
        if line is not None and line.can.typing:
            await guarded(line.typing(place.chat), _ASIDE_SECONDS)

    async def close(self) -> None:
        """Stop; what was not sent waits for the next start."""
        self._running = False
        workers = [each.worker for each in self._queues.values() if each.worker is not None]
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        self._queues.clear()

    def _push(self, waiting: ToSend) -> None:
        queue = self._queues.setdefault((waiting.channel, waiting.message.chat), _Queue())
        queue.waiting.append(waiting)
        if queue.worker is None or queue.worker.done():
            queue.worker = asyncio.create_task(self._work(queue))

    async def _work(self, queue: _Queue) -> None:
        while queue.waiting:
            try:
                again = await self._send(queue.waiting[0])
            except HomeAgentError as error:  # the disk: it is tried again like anything else
                _log.error("%s", error)
                await asyncio.sleep(self._pauses.longest)
                continue
            if again is None:
                queue.waiting.pop(0)
            else:
                queue.waiting[0] = again
                await asyncio.sleep(self._pauses.after(again.tries - 1))

    async def _send(self, waiting: ToSend) -> ToSend | None:
        """Try once; return what waits then, None when it went out or was given up."""
        line = self._lines(waiting.channel)
        reason = "there is no such channel now"
        if line is not None:
            outcome = await guarded(line.send(waiting.message), _SEND_SECONDS)
            if not isinstance(outcome, Failure):
                await asyncio.to_thread(self._spool.sent, waiting)
                return None
            reason = outcome.message
            if isinstance(outcome.error, RefusedError):
                await self._given_up(waiting, outcome.error.reason)
                return None
        if time.time() - waiting.since > self._pauses.give_up:
            await self._given_up(waiting, reason)
            return None
        if waiting.tries == 0:
            _log.warning("channel %s: a message could not be sent (%s); it is tried again", waiting.channel, reason)
        return await asyncio.to_thread(self._spool.tried, waiting)

    async def _given_up(self, waiting: ToSend, reason: str) -> None:
        _log.error("channel %s: a message to %s is given up: %s", waiting.channel, waiting.message.chat, reason)
        await asyncio.to_thread(self._spool.given_up, waiting, reason)
