"""Cutting a turn into the passages that are indexed and embedded, each small enough to be one thought.

The words of a turn are one passage; in one vector with the outputs they would be lost (measured: R@5 of replies 36.5 ->
15.0). An output is cut into pieces of a line or a few: it speaks of many things, and in one vector with 1,200
characters of others a line is lost as well (evidence that stands only in outputs, R@5 45.8 -> 71.8).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from homeagent.memory.compute import ComputeText
from homeagent.memory.store.records import Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from homeagent.memory.store.records import Computed, PassageKind

__all__ = ["LONGEST", "LONGEST_PIECE", "SHORTEST", "chunks", "pieces", "turn_of", "turn_passages"]

_Ids = TypeVar("_Ids", "int", "NDArray[np.int64]")

LONGEST = 1200
"""The most characters of a passage."""

SHORTEST = 300
"""The fewest characters of a chunk of a text that does not fit into one passage."""

LONGEST_PIECE = 300
"""The most characters of a piece of an output."""

_ENOUGH = 100
"""Characters of short lines, of a menu, a table, a program, that are taken together."""
_SENTENCE_LENGTH = 12
"""Characters that a line has at least to say something by itself."""
_PER_TURN = 1 << 20
_LINE_END = re.compile(r"\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ENDS = frozenset("。！？!?….")
_CLOSING = "”’\"')）】」』]"
_STOP = re.compile(r"[。！？!?；;…]+[”’\"')）】」』]*\s*|\.[”’\"')]*\s+")
_SENTENCE = re.compile(r"[。！？!?；;…]+[”’\"')）】」』]*\s*|\.(?=\s)\s*|,\s+|，|\s+")


def turn_passages(turn: int, rows: Sequence[Computed]) -> list[Passage]:
    """Return the passages of a turn: its words first, then its outputs, with ids that are the same after a rebuild."""
    words = [row.text for row in rows if row.role != "tool" and row.text.text.strip()]
    found: list[tuple[PassageKind, ComputeText]] = []
    together = ComputeText.joined(words)
    if len(together) <= LONGEST:
        found += [("words", together)] if together else []
    else:
        found += [("words", chunk) for text in words for chunk in chunks(text)]
    for row in rows:
        if row.role == "tool" and row.text.text.strip():
            found += [("output", piece) for piece in pieces(row.text)]
    return [
        Passage(turn * _PER_TURN + place, turn, kind, text) for place, (kind, text) in enumerate(found[: _PER_TURN - 1])
    ]


def turn_of(passage: _Ids) -> _Ids:
    """Return the seq of the turn that a passage is of, by the passage's id; of an array of ids an array."""
    return passage // _PER_TURN


def pieces(text: ComputeText) -> Iterator[ComputeText]:
    """Yield an output in pieces of at most `LONGEST_PIECE` characters, in order: whole lines where these fit.

    A line that is a sentence is a piece of its own; shorter things come together until they are `_ENOUGH`. A longer
    line is cut after sentences, else after words. A piece of white space alone is left out.
    """
    yield from (piece for start, end in _piece_ranges(text.text) if (piece := text.slice(start, end)).text.strip())


def chunks(text: ComputeText) -> Iterator[ComputeText]:
    """Yield the text in pieces of at most `LONGEST` characters, cut at line ends, else at sentences, else at words.

    Of a text longer than that every piece has at least `SHORTEST` characters. More white space at its end goes.
    """
    if len(text) <= LONGEST:
        yield text
        return
    for start, end in _joined(_pieces(text.text)):
        yield text.slice(start, end)


def _piece_ranges(raw: str) -> Iterator[tuple[int, int]]:
    start = 0
    for low, high in _lines(raw):
        alone = _says_something(raw[low:high])
        full = alone or high - start > LONGEST_PIECE or low - start >= _ENOUGH
        if full and len(raw[start:low].strip()) >= _SENTENCE_LENGTH:
            yield start, low
            start = low
        if alone or high - start > LONGEST_PIECE:
            yield from _cut_line(raw, start, high)
            start = high
    yield start, _end_of_words(raw)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the lines, each with its end, up to the last word."""
    start, last = 0, _end_of_words(text)
    for match in _LINE_END.finditer(text, 0, last):
        yield start, match.end()
        start = match.end()
    if start < last:
        yield start, last


def _says_something(line: str) -> bool:
    """Whether a line is a sentence of its own."""
    words = line.strip()
    return len(words) >= _SENTENCE_LENGTH and words.rstrip(_CLOSING)[-1:] in _ENDS


def _cut_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of at most `LONGEST_PIECE`, and of at least a third of that, ended as late and as well as can be."""
    least = LONGEST_PIECE // 3
    while end - start > LONGEST_PIECE:
        low, high = start + least, min(start + LONGEST_PIECE, end - least)
        stop = max((match.end() for match in _STOP.finditer(text, low, high)), default=low)
        cut = stop if stop > low else _cut(text, low, high)
        yield start, cut
        start = cut
    yield start, end


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield ranges that are neither too long nor too short, each ended as late and as well as it can be."""
    start, last = 0, _end_of_words(text)
    while last - start > LONGEST:
        cut = _cut(text, start + SHORTEST, min(start + LONGEST, last - SHORTEST))
        yield start, cut
        start = cut
    if start < last:
        yield start, last


def _end_of_words(text: str) -> int:
    """Return where the last word ends, with the space or line end behind it."""
    end = len(text.rstrip())
    return min(len(text), end + len("\r\n")) if end else 0


def _cut(text: str, low: int, high: int) -> int:
    """Return the best place from ``low`` to ``high`` to end a piece."""
    for pattern in (_LINE_END, _SENTENCE):
        cut = max((match.end() for match in pattern.finditer(text, low, high)), default=low)
        if cut > low:
            return cut
    return high


def _joined(pieces: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the ranges, those that fit into one passage together made one."""
    start = end = 0
    for low, high in pieces:
        if high - start > LONGEST and end > start:
            yield start, end
            start = low
        end = high
    if start < end:
        yield start, end
