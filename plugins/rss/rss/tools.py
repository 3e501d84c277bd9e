"""The tools. What they do is ``no_memory``: addresses and counts say nothing worth finding; the list is plain."""

from __future__ import annotations

import sqlite3
from typing import Final

from homeagent_sdk import ToolContext, ToolError, tool
from rss.feed import NoFeedError
from rss.fetching import FetchError
from rss.reader import Reader
from rss.settings import RssSettings
from rss.store import Chat, Subscription

__all__ = ["rss_check_now", "rss_list", "rss_subscribe", "rss_unsubscribe"]

_MOST_FEEDS: Final = 100
_LONGEST_MINUTES: Final = 60 * 24 * 30
_SHOWN: Final = 3


@tool(no_memory=True, confirm=True)
async def rss_subscribe(context: ToolContext, address: str, minutes: float | None = None) -> str:
    """Subscribe this chat to an RSS or Atom feed: its new items come here as messages. The person is asked first.

    Args:
        address: The feed's address, e.g. "https://example.org/feed.xml".
        minutes: How often to look at it; the home's setting if left out.
    """
    reader, settings, chat = context.state(Reader), context.settings(RssSettings), _chat(context)
    often = settings.minutes if minutes is None else minutes
    if not settings.shortest_minutes <= often <= _LONGEST_MINUTES:
        hint = f"Give {settings.shortest_minutes:g} to {_LONGEST_MINUTES}"
        raise ToolError("minutes", f"{often:g} can't be", hint)
    if context.private:
        raise ToolError("", "this turn is private and leaves nothing behind", "Do it outside the private mode")
    if len(reader.store.all(chat)) >= _MOST_FEEDS:
        raise ToolError("", f"this chat has {_MOST_FEEDS} feeds already", "End some with rss_unsubscribe")
    try:
        checked, feed = await reader.first_look(address.strip(), often)
        number = reader.store.add(chat, checked, often, feed.items)
    except (FetchError, NoFeedError) as error:
        raise ToolError("address", str(error), "Give the address of the feed itself, often ending in .xml") from None
    except sqlite3.IntegrityError:
        raise ToolError("address", "this chat gets this feed already", "Look at rss_list") from None
    reader.changed()
    newest = "".join(f"\n- {item.title or item.link}" for item in feed.items[:_SHOWN])
    return f"Feed {number}: {feed.title}, looked at every {often:g} minutes. In it now:{newest or ' nothing'}"


@tool(no_memory=True)
async def rss_unsubscribe(context: ToolContext, number: int) -> str:
    """End a subscription of this chat.

    Args:
        number: The feed's number, as rss_list gives it.
    """
    reader = context.state(Reader)
    found = next((each for each in reader.store.all(_chat(context)) if each.number == number), None)
    if found is None:
        raise ToolError("number", f"this chat has no feed {number}", "Look at rss_list")
    reader.store.remove(number)
    return f"No longer subscribed to {found.title}."


@tool(no_memory=True, timeout=300)
async def rss_check_now(context: ToolContext) -> str:
    """Look at all feeds of this chat now, whenever they are due; what is new comes as messages."""
    chat = _chat(context)
    looks = await context.state(Reader).check(context, lambda feed: feed.chat == chat)
    lines = [f"{title}: {problem or f'{new} new'}" for title, new, problem in looks]
    return "\n".join(lines) or "This chat gets no feeds."


@tool(parallel=True)
async def rss_list(context: ToolContext) -> str:
    """List the feeds that this chat gets."""
    found = context.state(Reader).store.all(_chat(context))
    return "\n".join(_line(each) for each in found) or "This chat gets no feeds."


def _chat(context: ToolContext) -> Chat:
    return Chat(context.channel, context.chat)


def _line(feed: Subscription) -> str:
    if feed.next_check is None:
        return f"{feed.number}. {feed.title}: gone for good ({feed.problem}) {feed.address}"
    trouble = f", {feed.failures} times in vain: {feed.problem}" if feed.failures else ""
    return f"{feed.number}. {feed.title}: every {feed.minutes:g} minutes{trouble} {feed.address}"
