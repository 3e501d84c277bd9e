"""How much each element of a page says, and how much of it is links: measured once, from the leaves up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from browser.page_words import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

__all__ = ["Measures", "upwards", "weight_of"]

_WIDE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WEIGHT_OF_WIDE: Final = 2.5
_SPACE: Final = re.compile(r"\s+")
_COMMAS: Final = re.compile(r"[,，、;；]")


def weight_of(text: str) -> float:
    """Return how much a text says, in letters of English: a Chinese character says as much as two or three of them."""
    return len(text) + (_WEIGHT_OF_WIDE - 1) * len(_WIDE.findall(text))


def upwards(element: HtmlElement) -> Iterator[HtmlElement]:
    """Yield an element and all it is in, the innermost first."""
    yield element
    yield from element.iterancestors()


class Measures:
    """The measures of every element below ``body``: one look at each of them."""

    def __init__(self, body: HtmlElement) -> None:
        self._weights: dict[HtmlElement, float] = {}
        self._linked: dict[HtmlElement, float] = {}
        self._commas: dict[HtmlElement, int] = {}
        self._with_blocks: set[HtmlElement] = set()
        for element in reversed(list(body.iter())):  # what is inside comes before what it is in
            self._measure(element)

    def weight(self, element: HtmlElement) -> float:
        """Return how much the text in an element says."""
        return self._weights.get(element, 0.0)

    def commas(self, element: HtmlElement) -> int:
        """Return how many commas are in its text, of either kind."""
        return self._commas.get(element, 0)

    def link_share(self, element: HtmlElement) -> float:
        """Return which part of its text is links to elsewhere, 0 to 1."""
        whole = self.weight(element)
        return min(self._linked.get(element, 0.0) / whole, 1.0) if whole else 0.0

    def holds_blocks(self, element: HtmlElement) -> bool:
        """Whether something in it begins a new line."""
        return element in self._with_blocks

    def _measure(self, element: HtmlElement) -> None:
        weight, commas = _of(element.text)
        linked = 0.0
        for child in element:
            tail, more = _of(child.tail)
            weight += self._weights[child] + tail
            commas += self._commas[child] + more
            linked += self._linked[child]
            if child.tag in BLOCKS or child in self._with_blocks:
                self._with_blocks.add(element)
        if element.tag == "a" and not (element.get("href") or "").startswith("#"):
            linked = weight
        self._weights[element], self._linked[element], self._commas[element] = weight, linked, commas


def _of(text: str | None) -> tuple[float, int]:
    if not text or text.isspace():
        return 0.0, 0
    return weight_of(_SPACE.sub(" ", text)), len(_COMMAS.findall(text))
