"""Which texts say a part of what others say: the measure of the door's copies, among as many texts as there are.

A part is a run of `RUN` characters, of `HAN` Chinese ones, an opaque token, or a line of `UNIT` characters that stands
whole on one side and anywhere on the other. Folded as copies are, and traditional characters as simplified ones.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from homeagent.memory.door.copies import RUN, UNIT, codes_of, opaque_tokens, short_lines
from homeagent.memory.door.folding import folded_text, readings
from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["HAN", "Likeness", "folded"]

HAN: Final = 6
"""Chinese characters in a row that make a part."""

_BLOCK: Final = 1 << 20
_WEIGHTS: Final = np.random.default_rng(7).integers(1, 2**63, RUN, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_SHORT: Final = range(UNIT, RUN)


def folded(text: str) -> str:
    """Return a text as it counts here: without white space, quote marks and fences, in one case, width and script."""
    return folded_text(fold_text(text))


class Likeness:
    """Looks for parts of its texts in others, in time that is linear in both."""

    def __init__(self, texts: Iterable[str]) -> None:
        every = list(dict.fromkeys(texts))
        whole = "\0".join(dict.fromkeys(folded(reading) for text in every for reading in readings(text)))
        self._tokens = {token for text in every for token in opaque_tokens(text)}
        self._runs = _sorted(hashes for _, hashes in _windows(whole, RUN))
        self._han = _sorted(hashes[_all_han(codes, HAN)] for codes, hashes in _windows(whole, HAN))
        self._inside = {length: _sorted(hashes for _, hashes in _windows(whole, length)) for length in _SHORT}
        lines = {line for text in every for line in _lines(text)}
        self._whole = {
            length: _sorted(_line_hashes([line for line in lines if len(line) == length], length)) for length in _SHORT
        }

    def like(self, texts: Sequence[str]) -> set[int]:
        """Return the places of those of ``texts`` that share a part."""
        forms = [(place, folded(reading)) for place, text in enumerate(texts) for reading in readings(text)]
        whole = "\0".join(form for _, form in forms)
        starts = np.cumsum([0, *(len(form) + 1 for _, form in forms)])
        hits: set[int] = set()
        for length, known, han in (
            (RUN, self._runs, False),
            (HAN, self._han, True),
            *((length, self._whole[length], False) for length in _SHORT),
        ):
            if not known.size:
                continue
            first = 0
            for codes, hashes in _windows(whole, length):
                found = _among(hashes, known)
                if han:
                    found &= _all_han(codes, length)
                hits.update(np.searchsorted(starts, np.flatnonzero(found) + first, "right").tolist())
                first += _BLOCK
        like = {forms[hit - 1][0] for hit in hits}
        like |= self._lines_inside(texts)
        if self._tokens:
            like |= {place for place, text in enumerate(texts) if not self._tokens.isdisjoint(opaque_tokens(text))}
        return like

    def _lines_inside(self, texts: Sequence[str]) -> set[int]:
        """Return the places of texts that have a short line which stands anywhere in what is looked for."""
        lines: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
        for place, text in enumerate(texts):
            for line in _lines(text):
                lines[len(line)].append((line, place))
        like: set[int] = set()
        for length, held in lines.items():
            for hashes in _line_hashes([line for line, _ in held], length):
                like.update(held[at][1] for at in np.flatnonzero(_among(hashes, self._inside[length])).tolist())
        return like


def _lines(text: str) -> set[str]:
    """Return the lines of UNIT to RUN - 1 characters of a text in each of its readings, folded."""
    lines = (folded(line) for reading in readings(text) for line, _, _ in short_lines(reading))
    return {line for line in lines if len(line) in _SHORT}


def _windows(text: str, length: int) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint64]]]:
    """Yield, for each block of places, its code points and the hash of the ``length`` characters at every place."""
    for first in range(0, max(0, len(text) - length + 1), _BLOCK):
        codes = codes_of(text[first : first + _BLOCK + length - 1])
        total = np.zeros(codes.size - length + 1, np.uint64)
        for place in range(length):
            total += codes[place : place + total.size] * _WEIGHTS[place]
        yield codes, total


def _line_hashes(lines: Sequence[str], length: int) -> Iterator[NDArray[np.uint64]]:
    """Yield the hashes of lines that all have ``length`` characters, in order."""
    if lines:
        yield (codes_of("".join(lines)).reshape(-1, length) * _WEIGHTS[:length]).sum(axis=1, dtype=np.uint64)


def _all_han(codes: NDArray[np.uint64], length: int) -> NDArray[np.bool_]:
    han = ((codes >= 0x3400) & (codes < 0xA000) & ((codes < 0x4DC0) | (codes >= 0x4E00))) | (
        (codes >= 0x20000) & (codes < 0x323B0)
    )
    every = han[: han.size - length + 1].copy()
    for place in range(1, length):
        every &= han[place : place + every.size]
    return every


def _sorted(parts: Iterable[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    return np.sort(np.concatenate([np.zeros(0, np.uint64), *parts]))


def _among(hashes: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return for each of the hashes whether it is among those that are ``known``, which are sorted."""
    if not known.size:
        return np.zeros(hashes.size, np.bool_)
    same: NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, hashes), known.size - 1)] == hashes
    return same
