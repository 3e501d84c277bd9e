"""What a feed says: its title and its items, from RSS and Atom, broken ones as far as they can be read."""

from __future__ import annotations

import hashlib
import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import feedparser

from homeagent_sdk import html_text

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Feed", "Item", "NoFeedError", "read_feed"]

_MOST_ITEMS: Final = 500
_LONGEST_TITLE: Final = 300
_TAG: Final = re.compile(r"<[a-zA-Z/!]")


class NoFeedError(Exception):
    """What was read is no feed; the text says why."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item. ``id`` is what the feed calls it, else its link, else a hash of its words; ``text`` has no HTML."""

    id: str
    title: str
    link: str
    text: str
    date: str


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed as it was read, the items in its own order."""

    title: str
    items: tuple[Item, ...]


def read_feed(data: bytes, content_type: str, address: str) -> Feed:
    """Read a feed that came from ``address``. Raises `NoFeedError`."""
    headers = {"content-location": address}
    if content_type:
        headers["content-type"] = content_type
    found = feedparser.parse(data, response_headers=headers)
    if not found.entries and (found.bozo or not found.get("version")):
        problem = found.get("bozo_exception")
        raise NoFeedError(f"it is no feed ({problem})" if problem else "it is no feed")
    items = [_item(entry) for entry in found.entries[:_MOST_ITEMS]]
    return Feed(_line(found.feed.get("title", "")) or address, tuple({item.id: item for item in items}.values()))


def _item(entry: Mapping[str, object]) -> Item:
    title, link = _line(_text(entry.get("title"))), _text(entry.get("link"))
    body = _plain(_body(entry))
    name = _text(entry.get("id")) or link or hashlib.sha256(f"{title}\n{body}".encode("utf-8", "replace")).hexdigest()
    return Item(name, title, link, body, _text(entry.get("published")) or _text(entry.get("updated")))


def _body(entry: Mapping[str, object]) -> str:
    contents = entry.get("content")
    if isinstance(contents, list) and contents and isinstance(contents[0], dict):
        return _text(contents[0].get("value"))
    return _text(entry.get("summary"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _line(text: str) -> str:
    """Return a title on one line: feeds put entities, tags and line breaks into it."""
    return " ".join(_plain(text).split())[:_LONGEST_TITLE]


def _plain(text: str) -> str:
    return html_text()(text).strip() if _TAG.search(text) else html.unescape(text).strip()
