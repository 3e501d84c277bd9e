"""The lexical legs: which passages hold which terms of the question, weighed by BM25.

Postings come from the full-text index, with the audience inside the search. The weights are worked out here: SQLite's
own ``bm25()`` gives a term that more than half of the rows hold no weight at all, which in a home's first days is every
term. Formula: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with an idf that is never negative.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.passages import turn_of
from homeagent.memory.recall.score import AskedWords, Leg

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from homeagent.memory.recall.mirror import Mirror, Totals
    from homeagent.memory.store.derived_protocol import DerivedStore

__all__ = ["Column", "LexicalSearch", "asked_words"]

_K1 = 1.2
_B = 0.75
_FARTHEST = 4.0
"""A passage longer than so many average ones counts as no longer: beside short turns BM25 all but silences a page of a
tool's output (Lv and Zhai, "When documents are very long, BM25 fails!", 2011). Set by hand."""
_ALTERNATIVE = 0.5
"""Coverage of a passage with one of several days that are asked about: it may be of the week by chance."""
_SILENT = 150
"""As many turns that hold nothing are counted among the others where it is asked how rare a term is: in a memory of two
turns a word of one of them would be a common one."""
_MOST_POSTINGS = 20_000
_MOST_LOOKED_AT = 300
"""A term of more turns than these is common, however many of them only ask."""
_ONLY_ASKS = 0.9
"""A turn of which this share of its characters stands in questions tells nothing."""


@dataclass(slots=True)
class Column:
    """One column's answer: for every passage that holds terms of the question a first BM25 score, and which it holds.

    ``ids``: int64 (n,), the passages, ascending, each once; ``scores``: float64 (n,); ``outputs``: bool (n,), which are
    of tools' outputs. ``postings``: by term those that hold it, ascending. ``idf`` is the weight of each term,
    ``unheld`` the terms that no visible passage holds, ``average`` the mean length of what is said in this column.
    ``rarest``: how rare the rarest term is, 1 where no turn holds it, 0 where there is none.
    """

    name: str
    average: float
    ids: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    scores: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0, np.float64))
    outputs: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    postings: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    idf: dict[str, float] = field(default_factory=dict)
    unheld: tuple[str, ...] = ()
    rarest: float = 0.0

    def best(self, limit: int) -> list[int]:
        """Return the ``limit`` passages with the highest scores, equal ones by id, and half as many of outputs."""
        order = np.lexsort((self.ids, -self.scores))
        output = self.outputs[order]
        chosen = np.concatenate((order[~output][:limit], order[output][: limit // 2]))
        best: list[int] = self.ids[chosen].tolist()
        return best

    def holds(self, passage: int) -> bool:
        """Whether a passage holds any term of the question."""
        return _holds(self.ids, passage)

    def terms_of(self, passage: int) -> list[str]:
        """Return the terms of the question that a passage holds, in their order there."""
        return [term for term, ids in self.postings.items() if _holds(ids, passage)]


class LexicalSearch:
    """Looks up terms among the passages a viewer may see."""

    def __init__(self, derived: DerivedStore, mirror: Mirror) -> None:
        self._derived = derived
        self._mirror = mirror

    def column(self, name: str, terms: Iterable[str], audience: Sequence[str] | None, totals: Totals) -> Column:
        """Return what one column says; ``totals`` are those of the visible passages.

        Good enough to choose candidates by: a term counts once however often a passage holds it.
        """
        length = totals.bigrams if name == "bigrams" else totals.words
        column = Column(name, max(1e-3, length / max(1, totals.passages)))
        lengths = self._mirror.lengths
        for term in dict.fromkeys(terms):
            found = self._derived.postings(name, term, audience, _MOST_POSTINGS)[::-1]
            turns = int(np.count_nonzero(np.diff(turn_of(found), prepend=-1)))  # a long output counts once
            column.idf[term] = _idf(totals.turns, turns)
            among = totals.turns + _SILENT
            column.rarest = max(column.rarest, _idf(among, self._telling(found, turns)) / _idf(among, 0))
            column.postings[term] = found[lengths.known(found)]  # the others came after the mirror was read
        column.unheld = tuple(term for term, found in column.postings.items() if not len(found))
        if column.postings:
            column.ids, places = np.unique(np.concatenate(list(column.postings.values())), return_inverse=True)
            column.outputs = lengths.outputs(column.ids)
            weights = np.repeat(list(column.idf.values()), [len(found) for found in column.postings.values()])
            # A term counts once here, so what it counts in a passage is a matter of the passage's length alone.
            once = (_K1 + 1) / (
                1 + _K1 * (1 - _B + _B * np.minimum(lengths.of(column.ids, name) / column.average, _FARTHEST))
            )
            column.scores = np.asarray(once * np.bincount(places, weights, len(column.ids)), np.float64)
        return column

    def _telling(self, found: NDArray[np.int64], turns: int) -> int:
        """Return how many of the turns that hold a term do more than ask: who asks again makes no word a common one."""
        if turns > _MOST_LOOKED_AT:
            return turns
        outlines = (self._mirror.turns.get(turn) for turn in np.unique(turn_of(found)).tolist())
        return sum(outline is None or outline.cues.asks < _ONLY_ASKS for outline in outlines)

    def leg(self, column: Column, passages: Sequence[int], alternatives: Collection[str] = ()) -> Leg:
        """Return the BM25 scores and coverage of the candidates, every term counted as often as it stands there.

        ``alternatives`` are terms of which any one says much, however many there are: the days of a week.
        """
        whole = max(sum(column.idf.values()), 1e-6)
        score = np.zeros(len(passages), np.float32)
        coverage = np.zeros(len(passages), np.float32)
        rows = np.flatnonzero(_among(np.array(passages, np.int64), column.ids)).tolist()
        counts = self._derived.term_counts(column.name, [passages[row] for row in rows], column.idf)
        for row in rows:
            passage = passages[row]
            size = self._mirror.sizes[passage]
            length = size.bigrams if column.name == "bigrams" else size.words
            late = _K1 * (1 - _B + _B * min(length / column.average, _FARTHEST))
            total = weight = 0.0
            held = counts.get(passage, {})
            for term, count in held.items():
                idf = column.idf[term]
                total += idf * (count * (_K1 + 1) / (count + late))
                weight += idf
            score[row] = total
            share = weight / whole
            coverage[row] = share if held.keys().isdisjoint(alternatives) else max(share, _ALTERNATIVE)
        return Leg(score, coverage)


def asked_words(columns: Mapping[str, Column], passages: Sequence[int]) -> AskedWords | None:
    """Return which of the passages hold which words and symbols of a question; None where it has neither."""
    chosen = [columns["words"], columns["symbols"]]
    postings = [found for column in chosen for found in column.postings.values()]
    if not postings:
        return None
    ids = np.array(passages, np.int64)
    idf = np.array([idf for column in chosen for idf in column.idf.values()], np.float32)
    held = np.array([_among(ids, found) for found in postings], np.bool_)
    return AskedWords(held, idf, max(column.rarest for column in chosen))


def _idf(turns: int, holding: int) -> float:
    """Return the weight of a term that so many of the turns hold."""
    return math.log1p(max(0.0, turns - holding + 0.5) / (holding + 0.5))


def _among(passages: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of ``passages`` are among ``ids``, which ascend: bool (n,)."""
    if not len(ids):
        return np.zeros(len(passages), np.bool_)
    there: NDArray[np.bool_] = ids[np.minimum(np.searchsorted(ids, passages), len(ids) - 1)] == passages
    return there


def _holds(ids: NDArray[np.int64], passage: int) -> bool:
    place = int(np.searchsorted(ids, passage))
    return place < len(ids) and int(ids[place]) == passage
