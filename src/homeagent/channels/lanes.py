"""One lane for each chat: its jobs one after the other, the lanes beside each other.

A job that interrupts stops the one under way, unless that has a higher priority; the stopped one is done again when
nothing more urgent waits. So a job has to know how far it came when it is run once more.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import itertools
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from homeagent.errors import HomeAgentError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from homeagent.memory import Place

__all__ = ["Job", "Lanes"]

_log = logging.getLogger("homeagent.channels")


@dataclass(eq=False)
class Job:
    """Something to do in a chat: ``run`` does it, and goes on with it after an interruption.

    Of those that wait the highest ``priority`` comes first, before others of its priority one that ``interrupt``s.
    ``ended`` is set when it is done, failed or withdrawn. It runs in the context in which it was made.
    """

    run: Callable[[], Coroutine[object, object, None]]
    priority: int = 0
    interrupt: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    context: contextvars.Context = field(default_factory=contextvars.copy_context)


class _Lane:
    def __init__(self) -> None:
        self.waiting: list[tuple[int, bool, int, Job]] = []
        self.numbers = itertools.count()
        self.present: tuple[int, Job, asyncio.Task[None]] | None = None
        self.again = False
        self.worker: asyncio.Task[None] | None = None

    def push(self, job: Job, number: int | None = None) -> None:
        place = next(self.numbers) if number is None else number
        heapq.heappush(self.waiting, (-job.priority, not job.interrupt, place, job))


class Lanes:
    """The lanes of all chats. Use it inside an event loop; `close` stops everything that runs."""

    def __init__(self) -> None:
        self._lanes: dict[Place, _Lane] = {}

    def put(self, place: Place, job: Job) -> None:
        """Have a job done in a chat when its turn comes."""
        lane = self._lanes.setdefault(place, _Lane())
        lane.push(job)
        if job.interrupt and lane.present is not None and lane.present[1].priority <= job.priority:
            lane.again = True
            lane.present[2].cancel()
        if lane.worker is None or lane.worker.done():
            lane.worker = asyncio.get_running_loop().create_task(self._work(place, lane))

    def withdraw(self, place: Place, job: Job) -> None:
        """Stop a job, or take it out of those that wait; it is not done again."""
        lane = self._lanes.get(place)
        if lane is None:
            return
        if lane.present is not None and lane.present[1] is job:
            lane.again = False
            lane.present[2].cancel()
            return
        kept = [each for each in lane.waiting if each[3] is not job]
        if len(kept) < len(lane.waiting):
            heapq.heapify(kept)
            lane.waiting = kept
            job.ended.set()

    @property
    def busy(self) -> bool:
        """Whether anything runs or waits."""
        return bool(self._lanes)

    async def close(self) -> None:
        """Stop everything; what was not done is not done."""
        workers = [lane.worker for lane in self._lanes.values() if lane.worker is not None]
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        for lane in self._lanes.values():
            for *_, job in lane.waiting:
                job.ended.set()
        self._lanes.clear()

    async def _work(self, place: Place, lane: _Lane) -> None:
        while lane.waiting:
            *_, number, job = heapq.heappop(lane.waiting)
            lane.again = False
            task = asyncio.get_running_loop().create_task(job.run(), context=job.context)
            lane.present = (number, job, task)
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                task.cancel()
                await asyncio.wait({task})
                job.ended.set()
                raise
            finally:
                lane.present = None
            if task.cancelled() and lane.again:
                lane.push(job, number)
                continue
            _look_at(task, place)
            job.ended.set()
        if self._lanes.get(place) is lane:
            del self._lanes[place]


def _look_at(task: asyncio.Task[None], place: Place) -> None:
    error = None if task.cancelled() else task.exception()
    if isinstance(error, HomeAgentError):
        _log.error("%s/%s: %s", place.channel, place.chat, error)
    elif error is not None:
        _log.error("%s/%s: a turn ended unexpectedly", place.channel, place.chat, exc_info=error)
