"""Quotations: which parts of a reply were copied from something hidden in the same chat.

What the people of the chat wrote themselves is theirs to repeat: where a copy is also a copy of that, it stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from homeagent.memory.door import copies

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CopyIndex", "Quotes", "extended", "merged"]

Range = tuple[int, int]


class CopyIndex(Protocol):
    """What is asked of the store that keeps the sketches."""

    def matching_runs(self, chat: int, grams: Sequence[int], before: int, *, own: bool) -> list[tuple[int, int, int]]:
        """Return (gram, context, segment) for the grams that segments of the chat before seq ``before`` hold."""
        ...

    def matching_units(self, chat: int, units: Sequence[int], before: int, *, own: bool) -> set[int]:
        """Return those of the units that segments of the chat before seq ``before`` hold."""
        ...


class Quotes:
    """Looks a reply up among the sketches of its chat."""

    def __init__(self, index: CopyIndex, secret: bytes) -> None:
        self._index = index
        self._secret = secret
        self._salts: dict[int, copies.Salt] = {}

    def salt(self, chat: int) -> copies.Salt:
        """Return the salt of a chat."""
        if chat not in self._salts:
            self._salts[chat] = copies.Salt(self._secret + chat.to_bytes(8))
        return self._salts[chat]

    def find(self, text: str, chat: int, before: int) -> tuple[Range, ...]:
        """Return the character ranges of ``text`` that were copied from what was hidden before seq ``before``."""
        salt = self.salt(chat)
        ranges: list[Range] = []
        for folded in copies.folds(text):
            found = self._runs(folded, salt, (chat, before, False))
            if found:
                found = _without(found, self._runs(folded, salt, (chat, before, True)))
            ranges += [
                (folded.origin[start], folded.origin[end - 1] + 1) for start, end in found if end - start >= copies.UNIT
            ]
        return merged([*ranges, *self._units(text, salt, chat, before)])

    def _runs(self, folded: copies.Folded, salt: copies.Salt, where: tuple[int, int, bool]) -> list[Range]:
        chat, before, own = where
        codes = copies.codes_of(folded.text)
        grams = salt.grams(codes).tolist()
        hits: dict[int, set[int]] = {}
        for gram, context, _ in self._index.matching_runs(chat, sorted(set(grams)), before, own=own):
            hits.setdefault(gram, set()).add(context)
        if not hits:
            return []
        bits = salt.bits(codes)
        found: list[Range] = []
        for place, gram in enumerate(grams):
            for context in hits.get(gram, ()):
                start, end = extended(place, context, bits)
                if end - start >= copies.RUN:
                    found.append((start, end))
        return list(merged(found))

    def _units(self, text: str, salt: copies.Salt, chat: int, before: int) -> list[Range]:
        places: dict[int, list[Range]] = {}
        for unit, start, end in [*copies.short_lines(text), *copies.token_spans(text)]:
            places.setdefault(salt.unit(unit), []).append((start, end))
        hidden = self._index.matching_units(chat, sorted(places), before, own=False)
        if hidden:
            hidden -= self._index.matching_units(chat, sorted(hidden), before, own=True)
        return [part for unit in hidden for part in places[unit]]


def extended(place: int, context: int, bits: NDArray[np.int64]) -> Range:
    """Return how far the gram at ``place`` goes on being the same as the one whose neighbours ``context`` holds."""
    start, end = place, place + copies.GRAM
    for distance in range(copies.REACH):
        before = place - 1 - distance
        if before < 0 or (context >> (6 * distance)) & 63 != bits[before]:
            break
        start = before
    for distance in range(copies.REACH):
        after = place + copies.GRAM + distance
        if after >= bits.size or (context >> (6 * (copies.REACH + distance))) & 63 != bits[after]:
            break
        end = after + 1
    return start, end


def _without(ranges: Iterable[Range], taken: Sequence[Range]) -> list[Range]:
    """Return the parts of ``ranges`` that no range of ``taken`` covers; both sorted and merged."""
    left: list[Range] = []
    for start, end in ranges:
        at = start
        for low, high in taken:
            if high <= at or low >= end:
                continue
            if low > at:
                left.append((at, low))
            at = max(at, high)
        if at < end:
            left.append((at, end))
    return left


def merged(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the ranges sorted, those that touch or overlap made one."""
    out: list[Range] = []
    for start, end in sorted(ranges):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif start < end:
            out.append((start, end))
    return tuple(out)
