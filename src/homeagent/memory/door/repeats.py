"""The other way round from `homeagent.memory.door.quotes`: which replies repeat a text that is about to be hidden.

Every reply is sketched as its author's own words, one gram for every sixth character, and a copied run of
`copies.RUN` characters holds one of those whole. So all grams of the text that is hidden are looked up among the
sketches; no reply is read again to find those that repeat it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from homeagent.memory.door import copies
from homeagent.memory.door.folding import folded_text, readings
from homeagent.memory.door.quotes import extended

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from homeagent.memory.door.copies import Copyable, Salt

__all__ = ["OwnWords", "repeating"]

_MOST_PLACES = 50
"""A gram that stands in more places than these is taken for a copy without looking at its neighbours."""


class OwnWords(Protocol):
    """What is asked of the store that keeps the sketches."""

    def copying_runs(self, chat: int, grams: Sequence[int], after: int) -> list[tuple[int, int, int]]:
        """Return (gram, context, segment) of the grams that own words of a chat after seq ``after`` hold."""
        ...

    def unit_holders(self, chat: int, units: Sequence[int], *, own: bool) -> list[tuple[int, int]]:
        """Return (unit, segment) for those of the units that segments of the chat hold."""
        ...

    def assistant_segments(self, segments: Collection[int]) -> set[int]:
        """Return those of the segments that are computed as the assistant's words."""
        ...


def repeating(index: OwnWords, chat: int, salt: Salt, sources: Iterable[tuple[int, Copyable]]) -> set[int]:
    """Return the replies of a chat that repeat one of ``sources``: (seq, text) each, in order, said before them."""
    texts: list[tuple[int, str]] = []
    first: dict[int, int] = {}
    for seq, source in sources:
        for text in source.texts:
            units = copies.opaque_tokens(text)
            for reading in readings(text):
                texts.append((seq, reading))
                units.update(line for line, _, _ in copies.short_lines(reading))
            for unit in units:
                first.setdefault(salt.unit(unit), seq)
    if not texts:
        return set()
    holders = index.unit_holders(chat, sorted(first), own=True)
    found = {segment for unit, segment in holders if first[unit] < segment}
    return index.assistant_segments(found | _by_runs(index, chat, salt, texts))


def _by_runs(index: OwnWords, chat: int, salt: Salt, texts: Sequence[tuple[int, str]]) -> set[int]:
    codes = [copies.codes_of(folded_text(text)) for _, text in texts]
    grams = [salt.grams(each) for each in codes]
    every: NDArray[np.int64] = np.concatenate(grams)
    starts = np.concatenate([[0], np.cumsum([each.size for each in grams])])
    order = np.argsort(every, kind="stable")
    ordered = every[order]
    bits: dict[int, NDArray[np.int64]] = {}
    found: set[int] = set()
    hits = index.copying_runs(chat, np.unique(ordered).tolist(), min(seq for seq, _ in texts))
    for gram, context, segment in hits:
        if segment in found:
            continue
        low, high = np.searchsorted(ordered, gram, "left"), np.searchsorted(ordered, gram, "right")
        if high - low > _MOST_PLACES:
            found.add(segment)
            continue
        for place in order[low:high].tolist():
            text = int(np.searchsorted(starts, place, "right")) - 1
            if texts[text][0] >= segment:
                continue
            if text not in bits:
                bits[text] = salt.bits(codes[text])
            start, end = extended(place - int(starts[text]), context, bits[text])
            if end - start >= copies.RUN:
                found.add(segment)
                break
    return found
