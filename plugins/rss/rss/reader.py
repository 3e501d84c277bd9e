"""Looks at each feed when it is due, and puts what is new into its chat."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from homeagent_sdk import PluginContext, SdkError
from rss.feed import Feed, Item, NoFeedError, read_feed
from rss.fetching import FetchError, Known, fetch
from rss.settings import RssSettings
from rss.store import Checked, Store, Subscription

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Reader", "start", "stop", "words_of"]

_LONGEST_SLEEP: Final = 60.0
_LONGEST_PAUSE: Final = timedelta(days=1)
_MOST_TOLD: Final = 20
_LONGEST_BODY: Final = 1_000
_HAN: Final = re.compile("[\u3400-\u9fff]")


class Reader:
    """Reads the feeds of a home, one after the other."""

    def __init__(
        self, store: Store, settings: RssSettings, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.store = store
        self._settings = settings
        self._clock = clock
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def start(self, context: PluginContext) -> None:
        """Read in the background until `stop`."""
        self._running = asyncio.create_task(self._read_on(context))

    async def stop(self) -> None:
        """End what runs in the background."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def first_look(self, address: str, minutes: float) -> tuple[Checked, Feed]:
        """Look at a feed that nobody is subscribed to. Raises `FetchError` and `NoFeedError`."""
        answer = await fetch(address, Known(), allow_private=self._settings.allow_private)
        feed = await asyncio.to_thread(read_feed, answer.data or b"", answer.content_type, answer.address)
        return Checked(answer.address, feed.title, answer.known, self._after(minutes)), feed

    def changed(self) -> None:
        """Look anew at what is due: there is another subscription."""
        self._changed.set()

    async def check(self, context: PluginContext, due: Callable[[Subscription], bool]) -> list[tuple[str, int, str]]:
        """Look at the feeds that are ``due``; return of each its title, how many items are new, and what went wrong."""
        async with self._turn:
            looks = [await self._look(each) for each in self.store.all() if due(each)]
            await self._tell(context)
        return looks

    async def _look(self, feed: Subscription) -> tuple[str, int, str]:
        try:
            answer = await fetch(feed.address, feed.known, allow_private=self._settings.allow_private)
            read = Feed(feed.title, ())
            if answer.data is not None:
                read = await asyncio.to_thread(read_feed, answer.data, answer.content_type, answer.address)
        except (FetchError, NoFeedError) as error:
            wait = getattr(error, "wait", None) or timedelta(0)
            later = timedelta(minutes=feed.minutes * 2 ** min(feed.failures + 1, 8))
            gone = getattr(error, "gone", False)
            self.store.failed(
                feed.number, str(error), None if gone else self._clock() + max(wait, min(later, _LONGEST_PAUSE))
            )
            return feed.title, 0, str(error)
        checked = Checked(answer.address, read.title, answer.known, self._after(feed.minutes))
        with contextlib.suppress(sqlite3.IntegrityError):  # moved to where another subscription of the chat is
            return read.title, len(self.store.checked(feed.number, checked, read.items, _words(read.title))), ""
        checked = Checked(feed.address, read.title, answer.known, self._after(feed.minutes))
        return read.title, len(self.store.checked(feed.number, checked, read.items, _words(read.title))), ""

    async def _tell(self, context: PluginContext) -> None:
        for each in self.store.telling():
            channel, chat = each.chat
            await context.inject(each.text, channel=channel, chat=chat, no_memory=not self._settings.remember_items)
            self.store.told(each.number)

    async def _read_on(self, context: PluginContext) -> None:
        while True:
            try:
                await self.check(context, self._is_due)
                times = [each.next_check for each in self.store.all() if each.next_check]
            except (SdkError, sqlite3.Error, OSError) as error:
                context.log.warning("feeds can't be looked at, tried again later: %s", error)
                times = []
            left = (min(times) - self._clock()).total_seconds() if times else _LONGEST_SLEEP
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(_LONGEST_SLEEP, max(left, 0.05))):
                    await self._changed.wait()

    def _is_due(self, feed: Subscription) -> bool:
        return feed.next_check is not None and feed.next_check <= self._clock()

    def _after(self, minutes: float) -> datetime:
        return self._clock() + timedelta(minutes=minutes)


def _words(title: str) -> Callable[[Sequence[Item]], str]:
    return lambda items: words_of(title, items)


def words_of(title: str, items: Sequence[Item]) -> str:
    """Return the message that tells of new items, in the language of the feed."""
    chinese = _HAN.search(title + "".join(item.title for item in items))
    head = f"「{title}」有 {len(items)} 条新内容：" if chinese else f"{len(items)} new in “{title}”:"
    told = [_item_words(number, item) for number, item in enumerate(items[:_MOST_TOLD], start=1)]
    if len(items) > _MOST_TOLD:
        more = len(items) - _MOST_TOLD
        told.append(f"另有 {more} 条。" if chinese else f"And {more} more.")
    return "\n\n".join([head, *told])


def _item_words(number: int, item: Item) -> str:
    body = item.text if len(item.text) <= _LONGEST_BODY else item.text[:_LONGEST_BODY].rstrip() + "…"
    lines = [f"{number}. {item.title or item.link}", item.link, "" if body == item.title else body]
    return "\n".join(line for line in lines if line)


async def start(context: PluginContext) -> Reader:
    """Open the store and begin to read."""
    reader = Reader(Store.open(context.data_folder / "feeds.sqlite"), context.settings(RssSettings))
    reader.start(context)
    return reader


async def stop(context: PluginContext) -> None:
    """End what runs, then let go of the store."""
    reader = context.state(Reader)
    await reader.stop()
    reader.store.close()
