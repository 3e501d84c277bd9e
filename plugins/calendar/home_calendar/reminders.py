"""Reminders: for each event one message waits in the home, the next one. When it has come the one after it is put in.

The home keeps what waits on the disk and brings what fell due while it was off; so after a week of rest a daily event
reminds once, and then goes on.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from home_calendar.book import Waiting
from home_calendar.moments import shown
from home_calendar.rules import moments
from homeagent_sdk import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable

    from home_calendar.book import Book, Entry, Event
    from homeagent_sdk import PluginContext

__all__ = ["Reminders", "next_reminder"]

_SHORTEST_SLEEP: Final = 1.0
_LONGEST_SLEEP: Final = 300.0
_HAN: Final = re.compile("[\u3400-\u9fff]")


def next_reminder(event: Event, after: datetime) -> tuple[datetime, datetime] | None:
    """Return when the next reminder after ``after`` comes, and the moment it is about; None when there is none."""
    found = []
    for minutes in event.remind:
        before = timedelta(minutes=minutes)
        moment = next(moments(event.repeat, after + before), None)
        if moment is not None:
            found.append((moment - before, moment))
    return min(found, default=None)


class Reminders:
    """Keeps what waits in the home in step with the book."""

    def __init__(self, book: Book, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._book = book
        self._clock = clock
        self._turn = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None

    def start(self, context: PluginContext) -> None:
        """Keep step in the background until `stop`."""
        self._running = asyncio.create_task(self._keep_step(context))

    async def stop(self) -> None:
        """End what runs in the background."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def sync(self, context: PluginContext) -> float:
        """Put in what is missing and take back what nobody waits for; return in how many seconds to look again."""
        async with self._turn:  # a tool and the background at the same time would put a reminder in twice
            waiting = {each.id: each for each in await context.injections()}
            now = self._clock()
            for entry in self._book.all():
                if entry.waiting.injection not in waiting:
                    await self._put_in(context, entry, now)
            known = {entry.waiting.injection for entry in self._book.all()}
            for each in waiting.keys() - known:  # of an event that was changed or removed, or of a crash half-way
                await context.withdraw(each)
            times = [entry.waiting.at for entry in self._book.all() if entry.waiting.injection and entry.waiting.at]
            left = (min(times) - self._clock()).total_seconds() if times else _LONGEST_SLEEP
            return min(_LONGEST_SLEEP, max(_SHORTEST_SLEEP, left + _SHORTEST_SLEEP))

    async def _put_in(self, context: PluginContext, entry: Entry, now: datetime) -> None:
        last = entry.waiting.at
        found = next_reminder(entry.event, max(now, last) if last else now)
        if found is None:
            if entry.waiting.injection:
                self._book.wait(entry.number, Waiting("", last))
            return
        at, moment = found
        channel, chat = entry.chat
        injection = await context.inject(_words(entry.event, moment), channel=channel, chat=chat, at=at)
        self._book.wait(entry.number, Waiting(injection, at))

    async def _keep_step(self, context: PluginContext) -> None:
        while True:
            try:
                pause = await self.sync(context)
            except (SdkError, sqlite3.Error, OSError) as error:
                context.log.warning("reminders can't be put in, tried again later: %s", error)
                pause = _LONGEST_SLEEP
            await asyncio.sleep(pause)


def _words(event: Event, moment: datetime) -> str:
    when = shown(moment, all_day=event.all_day)
    if _HAN.search(event.title):
        return f"日程提醒：{event.title}（{when}）"
    return f"Calendar reminder: {event.title} ({when})"
