"""The main text of a page: what a reader came for, without menus, adverts, comments and legal lines.

The scoring is that of arc90's Readability: paragraphs give points to the elements around them, links take them away,
names of classes help a little. Lengths are weighed, since thresholds made for English take short Chinese sentences for
menus. Where the strict way leaves out most of what the page says in whole sentences, less strict ones are tried.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import lxml.html
from lxml.etree import LxmlError

from browser.measures import Measures, upwards, weight_of
from browser.page_words import (
    BAD,
    BLOCKS,
    GOOD,
    HIDDEN,
    MAYBE,
    NEVER,
    OF_TAG,
    PARAGRAPHS,
    UNLIKELY,
    UNLIKELY_ROLES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

__all__ = ["main_text_of", "title_of"]

_SPACE: Final = re.compile(r"\s+")
_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WIDE_SENTENCE: Final = re.compile(r"[。！？…][”’」』\"')）】]*$")
_SENTENCE: Final = re.compile(r"[。！？…][”’」』\"')）】]*$|[.!?][”’\"')]*$")
_LONGEST_TITLE: Final = 300
_MOST_TAGS: Final = 100_000
_LEAST: Final = 25
_ENOUGH: Final = 500
_LEVELS: Final = 5


def title_of(html: str) -> str:
    """Return what a page calls itself, empty when it does not say."""
    page = _parsed(html)
    found = page.findtext(".//title") if page is not None else None
    return _SPACE.sub(" ", (found or "")[:_LONGEST_TITLE]).strip()


def main_text_of(html: str) -> str:
    """Return the main text of a page, a line for each block; empty when there is none, or the page is endless."""
    page = _parsed(html)
    body = page.find("body") if page is not None else None
    if body is None:
        return ""
    _drop_unread(body)
    return "\n".join(_Reading(body).lines())


def _parsed(html: str) -> HtmlElement | None:
    if html.count("<") > _MOST_TAGS:
        return None
    parser = lxml.html.HTMLParser(encoding="utf-8")  # whatever the page itself says of its encoding
    try:
        return lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except (LxmlError, ValueError):  # nothing in it, or nothing but what is no markup
        return None


def _drop_unread(body: HtmlElement) -> None:
    """Take out what is never read: programs, fields of forms, menus, what is hidden."""
    for element in list(body.iter()):
        if element.getparent() is None:
            continue
        if not isinstance(element.tag, str):  # a comment or an instruction
            element.drop_tree()
            continue
        hidden = element.get("hidden") is not None or HIDDEN.search(element.get("style") or "")
        menu = (element.get("role") or "").lower() in UNLIKELY_ROLES
        if element.tag in NEVER or hidden or menu or (element.get("aria-hidden") or "").lower() == "true":
            element.drop_tree()


class _Reading:
    """One page, measured."""

    def __init__(self, body: HtmlElement) -> None:
        self._body = body
        self._measures = Measures(body)
        self._unlikely = frozenset(each for each in body.iter() if _is_unlikely(each))
        self._blocks = list(self._blocks_of(body))

    def lines(self) -> list[str]:
        """Return the lines of the main text."""
        said = sum(weight_of(text) for block, text in self._blocks if self._is_sentence(block, text))
        best: list[str] = []
        for chosen, unlikely in self._attempts():
            found = [text for block, text in self._blocks if self._is_kept(block, text, chosen, unlikely)]
            if sum(map(len, found)) > sum(map(len, best)):
                best = found
            if weight_of("".join(best)) >= max(_ENOUGH, said / 2):
                break
        return best

    def _attempts(self) -> Iterator[tuple[set[HtmlElement], frozenset[HtmlElement]]]:
        """Yield what may hold the main text and what in it does not belong to it, from the strictest on."""
        yield self._chosen(self._unlikely), self._unlikely
        yield {self._body}, self._unlikely
        yield self._chosen(frozenset()), frozenset()

    def _is_sentence(self, block: HtmlElement, text: str) -> bool:
        """Whether a block says something in a whole sentence and is no part of what is unlikely to be read."""
        if weight_of(text) < _LEAST * 2 or not _SENTENCE.search(text) or self._measures.link_share(block) > 0.3:
            return False
        return not any(each in self._unlikely or each.tag in ("footer", "aside") for each in upwards(block))

    def _is_kept(
        self, block: HtmlElement, text: str, chosen: set[HtmlElement], unlikely: frozenset[HtmlElement]
    ) -> bool:
        for element in upwards(block):
            if element in chosen:
                return True
            if element in unlikely or element.tag in ("footer", "aside") or self._is_menu(element):
                break
        # A whole sentence in Chinese is never a menu, however short it is.
        is_wide = _WIDE_SENTENCE.search(text) is not None and _WIDE.search(text) is not None
        return is_wide and self._measures.link_share(block) < 0.2

    def _is_menu(self, element: HtmlElement) -> bool:
        if element.tag not in ("ul", "ol", "table", "div", "section", "dl"):
            return False
        score = _first_score(element)
        if self._measures.link_share(element) > (0.5 if score >= 20 else 0.35):
            return True
        return score < -20 and self._measures.weight(element) < _ENOUGH

    def _chosen(self, unlikely: frozenset[HtmlElement]) -> set[HtmlElement]:
        """Return the elements that hold the main text."""
        scores = self._scores(unlikely)
        if not scores:
            return {self._body}
        top = _climbed(max(scores, key=lambda each: scores[each]), scores)
        return {top, *self._siblings(top, scores, unlikely)}

    def _scores(self, unlikely: frozenset[HtmlElement]) -> dict[HtmlElement, float]:
        scores: dict[HtmlElement, float] = {}
        for element in self._body.iter():
            is_paragraph = element.tag == "div" and not self._measures.holds_blocks(element)
            weight = self._measures.weight(element)
            if not (is_paragraph or element.tag in PARAGRAPHS) or weight < _LEAST:
                continue
            if unlikely and any(each in unlikely for each in upwards(element)):
                continue
            points = 1 + self._measures.commas(element) + min(weight / 100, 3)
            for level, ancestor in enumerate(element.iterancestors()):
                if level == _LEVELS or ancestor.tag == "html":
                    break
                scores.setdefault(ancestor, _first_score(ancestor))
                scores[ancestor] += points / (1 if level == 0 else 2 if level == 1 else level * 3)
        return {element: score * (1 - self._measures.link_share(element)) for element, score in scores.items()}

    def _siblings(
        self, top: HtmlElement, scores: dict[HtmlElement, float], unlikely: frozenset[HtmlElement]
    ) -> Iterator[HtmlElement]:
        """Yield what stands beside the main text and belongs to it: a lead, a part behind an advert."""
        parent, best = top.getparent(), scores.get(top, 0.0)
        for sibling in parent if parent is not None else ():
            if sibling is top or sibling in unlikely:
                continue
            alike = 0.2 * best if sibling.get("class") and sibling.get("class") == top.get("class") else 0.0
            weight, share = self._measures.weight(sibling), self._measures.link_share(sibling)
            if (
                scores.get(sibling, -1.0) + alike >= max(10.0, best * 0.2)
                or (sibling.tag == "p" and weight > 80 and share < 0.25)
                or (sibling.tag == "p" and share == 0 and _SENTENCE.search(sibling.text_content().strip()))
            ):
                yield sibling

    def _blocks_of(self, element: HtmlElement) -> Iterator[tuple[HtmlElement, str]]:
        """Yield each piece of text that a browser would show as a block of its own, with the element it is in."""
        if element.tag == "pre":
            text = element.text_content().strip("\n")
            if text.strip():
                yield element, text
            return
        words = [element.text or ""]
        for child in element:
            if child.tag in BLOCKS or child.tag == "br" or self._measures.holds_blocks(child):
                yield from _flushed(element, words)
                yield from self._blocks_of(child)
            else:
                words.append(child.text_content())
            words.append(child.tail or "")
        yield from _flushed(element, words)


def _flushed(element: HtmlElement, words: list[str]) -> Iterator[tuple[HtmlElement, str]]:
    text = _SPACE.sub(" ", "".join(words)).strip()
    words.clear()
    if text:
        yield element, text


def _climbed(top: HtmlElement, scores: dict[HtmlElement, float]) -> HtmlElement:
    """Return a parent that holds the text better: several good parts, a growing score, an only child."""
    rivals = [each for each, score in scores.items() if score >= 0.75 * scores[top] and each is not top]
    around = [set(each.iterancestors()) for each in rivals]
    for ancestor in top.iterancestors():
        if ancestor.tag in ("body", "html"):
            break
        if sum(ancestor in each for each in around) >= 3:
            top = ancestor
            break
    last = scores.get(top, 0.0)
    least = last / 3
    for ancestor in top.iterancestors():
        if ancestor.tag in ("body", "html") or ancestor not in scores or scores[ancestor] < least:
            break
        if scores[ancestor] > last:
            top = ancestor
            break
        last = scores[ancestor]
    parent = top.getparent()
    while parent is not None and parent.tag not in ("body", "html") and len(parent) == 1:
        top, parent = parent, parent.getparent()
    return top


def _is_unlikely(element: HtmlElement) -> bool:
    if element.tag in ("body", "html", "article", "main", "a"):
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return bool(UNLIKELY.search(names)) and not MAYBE.search(names)


def _first_score(element: HtmlElement) -> float:
    score = float(OF_TAG.get(element.tag, 0))
    for name in (element.get("class"), element.get("id")):
        if name and BAD.search(name):
            score -= 25
        if name and GOOD.search(name):
            score += 25
    return score
