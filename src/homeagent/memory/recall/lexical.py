"""The lexical legs: which passages hold which terms of the question, weighed by BM25.

Postings come from the full-text index, with the audience inside the search. The weights are worked out here: SQLite's
own ``bm25()`` gives a term that more than half of the rows hold no weight at all, which in a home's first days is every
term. Formula: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the idf that is never negative
and term frequency taken as 0 or 1, passages being short.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.recall.mirror import Mirror, Totals
    from homeagent.memory.store.protocols import DerivedStore

__all__ = ["Leg", "LexicalSearch", "TermWeight"]

_K1 = 1.2
_B = 0.75
_MOST_POSTINGS = 20_000


@dataclass(frozen=True, slots=True)
class TermWeight:
    """A term of the question: how many visible passages hold it, and the weight that gives it."""

    term: str
    holders: int
    idf: float


@dataclass(slots=True)
class Leg:
    """One column's answer: the BM25 score of every passage that holds a term, which terms, and the weights."""

    scores: dict[int, float] = field(default_factory=dict)
    matched: dict[int, list[str]] = field(default_factory=dict)
    weights: dict[str, TermWeight] = field(default_factory=dict)

    def covered(self, passage: int) -> float:
        """Return which share of the question's weight a passage holds: 0 to 1."""
        total = sum(weight.idf for weight in self.weights.values())
        return sum(self.weights[term].idf for term in self.matched.get(passage, ())) / total if total else 0.0


class LexicalSearch:
    """Looks up terms among the passages a viewer may see."""

    def __init__(self, derived: DerivedStore, mirror: Mirror) -> None:
        self._derived = derived
        self._mirror = mirror

    def leg(self, column: str, terms: Iterable[str], audience: Sequence[str] | None, totals: Totals) -> Leg:
        """Return the scores of one column; ``totals`` are those of the visible passages."""
        leg = Leg()
        scores: defaultdict[int, float] = defaultdict(float)
        matched: defaultdict[int, list[str]] = defaultdict(list)
        average = self._average(column, totals)
        for term in dict.fromkeys(terms):
            found = self._derived.postings(column, term, audience, _MOST_POSTINGS)
            idf = math.log(1 + (totals.passages - len(found) + 0.5) / (len(found) + 0.5)) if totals.passages else 0.0
            leg.weights[term] = TermWeight(term, len(found), max(0.0, idf))
            for passage in found:
                size = self._mirror.sizes.get(passage)
                if size is None:
                    continue
                length = size.bigrams if column == "bigrams" else size.words
                scores[passage] += idf * (_K1 + 1) / (1 + _K1 * (1 - _B + _B * length / average))
                matched[passage].append(term)
        leg.scores = dict(scores)
        leg.matched = dict(matched)
        return leg

    def _average(self, column: str, totals: Totals) -> float:
        total = totals.bigrams if column == "bigrams" else totals.words
        return max(1.0, total / max(1, totals.passages))
