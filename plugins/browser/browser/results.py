"""The results on a search engine's page, whichever engine it is: JSON as SearXNG gives it, or links with words around.

A result is a link that leads away from the engine, with a title, in a block of its own. Engines that lead through a
page of theirs name the goal in the address; it is taken from there.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qsl, urljoin, urlsplit

import lxml.html
from lxml.etree import ParserError

from browser.page_words import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from browser.fetching import Page

__all__ = ["Result", "found_results"]

_MOST: Final = 20
_LONGEST: Final = 600
_TITLES: Final = ("h1", "h2", "h3", "h4")
_BLOCKS: Final = ("li", "article", "div", "section", "tr", "dl")
_GOALS: Final = ("uddg", "u", "url", "q", "target", "to")
_LEADS_ON: Final = re.compile(r"/(?:l/?|ck/a|url|link|redirect)")
_SHORTEST_TITLE: Final = 2
_SPACE: Final = re.compile(r"\s+")


class Result(NamedTuple):
    """One result: what it is called, where it is, what it says."""

    title: str
    link: str
    text: str


def found_results(page: Page) -> list[Result]:
    """Return the results on a page, best first; none when there are none."""
    if "json" in page.media_type:
        return _of_json(page.text)
    try:
        document = lxml.html.fromstring(page.text)
    except (ParserError, ValueError):
        return []
    for element in document.xpath("//script|//style|//noscript|//nav|//footer|//header"):
        element.drop_tree()
    own = _site(urlsplit(page.address).hostname or "")
    found: dict[str, Result] = {}
    for title in _titles(document):
        link = _goal(urljoin(page.address, title.get("href") or ""), own)
        words = _words(title)
        if link and len(words) >= _SHORTEST_TITLE and link not in found:
            # Engines print the address once more, for the eye.
            shown = re.compile(rf"(?:https?://)?{re.escape(urlsplit(link).netloc)}\S*")
            found[link] = Result(words, link, _SPACE.sub(" ", shown.sub("", _around(title, words))).strip())
        if len(found) == _MOST:
            break
    return list(found.values())


def _of_json(text: str) -> list[Result]:
    try:
        found = json.loads(text)
    except ValueError:
        return []
    listed = found.get("results") if isinstance(found, dict) else None
    return [
        Result(str(each.get("title") or ""), str(each.get("url") or ""), str(each.get("content") or "")[:_LONGEST])
        for each in (listed or [])[:_MOST]
        if isinstance(each, dict)
    ]


def _titles(document: HtmlElement) -> list[HtmlElement]:
    """Return the links that stand in or around headings; where a page has none of these, all links."""
    headings = "|".join(f"//{name}//a[@href]|//a[@href][.//{name}]" for name in _TITLES)
    return document.xpath(headings) or document.xpath("//a[@href]")


def _around(title: HtmlElement, words: str) -> str:
    """Return what the block of a title says besides: the largest one that holds no other title."""
    best, own = "", title
    for block in title.iterancestors():
        others = {each for name in _TITLES for each in block.iter(name)}
        if sum(1 for each in others if title not in each.iter() and each not in title.iter()) > 0:
            break
        if block.tag in _BLOCKS:
            own = block
            best = _words(own).replace(words, "", 1).strip()
            if len(best) > _LONGEST:
                break
    return best[:_LONGEST]


def _goal(link: str, own: str) -> str:
    """Return where a link leads at last when that is another site, else nothing."""
    parts = urlsplit(link)
    if parts.scheme not in ("http", "https"):
        return ""
    if _site(parts.hostname or "") != own and not _LEADS_ON.fullmatch(parts.path):
        return link
    given = dict(parse_qsl(parts.query))
    for name in _GOALS:
        goal = given.get(name, "")
        if goal.startswith("a1"):  # Bing writes the goal in base64, after "a1"
            try:
                goal = base64.urlsafe_b64decode(f"{goal[2:]}===").decode()
            except (binascii.Error, UnicodeDecodeError):
                continue
        if goal.startswith(("http://", "https://")) and _site(urlsplit(goal).hostname or "") != own:
            return goal
    return link if _site(parts.hostname or "") != own else ""


def _site(host: str) -> str:
    return ".".join(host.split(".")[-2:])


def _words(element: HtmlElement) -> str:
    return _SPACE.sub(" ", "".join(_pieces(element))).strip()


def _pieces(element: HtmlElement) -> Iterator[str]:
    """Yield the text of an element, with spaces around what begins a new line."""
    around = " " if element.tag in BLOCKS or element.tag == "br" else ""
    yield around + (element.text or "")
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""
    yield around
