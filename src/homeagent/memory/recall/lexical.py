"""The lexical legs: which passages hold which terms of the question, weighed by BM25.

Postings come from the full-text index, with the audience inside the search. The weights are worked out here: SQLite's
own ``bm25()`` gives a term that more than half of the rows hold no weight at all, which in a home's first days is every
term. Formula: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with an idf that is never negative.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.recall.score import Leg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.recall.mirror import Mirror, Totals
    from homeagent.memory.store.derived_protocol import DerivedStore

__all__ = ["Column", "LexicalSearch"]

_K1 = 1.2
_B = 0.75
_MOST_POSTINGS = 20_000


@dataclass(slots=True)
class Column:
    """One column's answer: for every passage that holds terms of the question a first BM25 score, and which it holds.

    ``idf`` is the weight of each term, ``unheld`` the terms that no visible passage holds, ``average`` the mean length
    of the visible passages in this column.
    """

    name: str
    average: float
    scores: dict[int, float] = field(default_factory=dict)
    terms: dict[int, list[str]] = field(default_factory=dict)
    idf: dict[str, float] = field(default_factory=dict)
    unheld: tuple[str, ...] = ()

    def best(self, limit: int) -> list[int]:
        """Return the ``limit`` passages with the highest scores, equal ones by id."""
        ids = np.fromiter(self.scores.keys(), np.int64, len(self.scores))
        scores = np.fromiter(self.scores.values(), np.float64, len(self.scores))
        best: list[int] = ids[np.lexsort((ids, -scores))[:limit]].tolist()
        return best


class LexicalSearch:
    """Looks up terms among the passages a viewer may see."""

    def __init__(self, derived: DerivedStore, mirror: Mirror) -> None:
        self._derived = derived
        self._mirror = mirror

    def column(self, name: str, terms: Iterable[str], audience: Sequence[str] | None, totals: Totals) -> Column:
        """Return what one column says; ``totals`` are those of the visible passages.

        Good enough to choose candidates by: a term counts once however often a passage holds it.
        """
        scores: defaultdict[int, float] = defaultdict(float)
        holding: defaultdict[int, list[str]] = defaultdict(list)
        idf: dict[str, float] = {}
        length = totals.bigrams if name == "bigrams" else totals.words
        column = Column(name, max(1e-3, length / max(1, totals.passages)))
        unheld: list[str] = []
        once: dict[int, float] = {}  # what a term that a passage holds once counts there, whatever the term
        sizes = self._mirror.sizes
        for term in dict.fromkeys(terms):
            found = self._derived.postings(name, term, audience, _MOST_POSTINGS)
            if not found:
                unheld.append(term)
            weight = math.log1p(max(0.0, totals.passages - len(found) + 0.5) / (len(found) + 0.5))
            idf[term] = weight
            for passage in found:
                if passage not in once:
                    if passage not in sizes:
                        continue
                    once[passage] = self._saturated(column, passage, 1)
                scores[passage] += weight * once[passage]
                holding[passage].append(term)
        column.scores, column.terms, column.idf = dict(scores), dict(holding), idf
        column.unheld = tuple(unheld)
        return column

    def leg(self, column: Column, passages: Sequence[int]) -> Leg:
        """Return the BM25 scores and coverage of the candidates, every term counted as often as it stands there."""
        whole = max(sum(column.idf.values()), 1e-6)
        score = np.zeros(len(passages), np.float32)
        coverage = np.zeros(len(passages), np.float32)
        rows = [row for row, passage in enumerate(passages) if passage in column.terms]
        counts = self._derived.term_counts(column.name, [passages[row] for row in rows], column.idf)
        for row in rows:
            passage = passages[row]
            held = counts.get(passage, {})
            score[row] = sum(column.idf[term] * self._saturated(column, passage, n) for term, n in held.items())
            coverage[row] = sum(column.idf[term] for term in held) / whole
        return Leg(score, coverage)

    def _saturated(self, column: Column, passage: int, count: int) -> float:
        size = self._mirror.sizes[passage]
        length = size.bigrams if column.name == "bigrams" else size.words
        return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length / column.average))
