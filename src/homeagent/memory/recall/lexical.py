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

import numpy as np

from homeagent.memory.recall.score import Leg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.recall.mirror import Mirror, Totals
    from homeagent.memory.store.protocols import DerivedStore

__all__ = ["Column", "LexicalSearch"]

_K1 = 1.2
_B = 0.75
_MOST_POSTINGS = 20_000


@dataclass(slots=True)
class Column:
    """One column's answer: the BM25 score of every passage that holds a term of the question, and which it holds."""

    scores: dict[int, float] = field(default_factory=dict)
    terms: dict[int, list[str]] = field(default_factory=dict)
    idf: dict[str, float] = field(default_factory=dict)
    unheld: tuple[str, ...] = ()

    def best(self, limit: int) -> list[int]:
        """Return the ``limit`` passages with the highest scores, equal ones by id."""
        return sorted(self.scores, key=lambda passage: (-self.scores[passage], passage))[:limit]

    def leg(self, passages: Sequence[int]) -> Leg:
        """Return scores and coverage of these passages as arrays."""
        whole = max(sum(self.idf.values()), 1e-6)
        score = np.array([self.scores.get(passage, 0.0) for passage in passages], np.float32)
        held = [sum(self.idf[term] for term in self.terms.get(passage, ())) for passage in passages]
        return Leg(score, np.array(held, np.float32) / np.float32(whole))


class LexicalSearch:
    """Looks up terms among the passages a viewer may see."""

    def __init__(self, derived: DerivedStore, mirror: Mirror) -> None:
        self._derived = derived
        self._mirror = mirror

    def column(self, name: str, terms: Iterable[str], audience: Sequence[str] | None, totals: Totals) -> Column:
        """Return what one column says; ``totals`` are those of the visible passages."""
        scores: defaultdict[int, float] = defaultdict(float)
        holding: defaultdict[int, list[str]] = defaultdict(list)
        idf: dict[str, float] = {}
        average = max(1e-3, (totals.bigrams if name == "bigrams" else totals.words) / max(1, totals.passages))
        unheld: list[str] = []
        for term in dict.fromkeys(terms):
            found = self._derived.postings(name, term, audience, _MOST_POSTINGS)
            if not found:
                unheld.append(term)
            idf[term] = math.log1p(max(0.0, totals.passages - len(found) + 0.5) / (len(found) + 0.5))
            for passage in found:
                size = self._mirror.sizes.get(passage)
                if size is not None:
                    length = size.bigrams if name == "bigrams" else size.words
                    scores[passage] += idf[term] * (_K1 + 1) / (1 + _K1 * (1 - _B + _B * length / average))
                    holding[passage].append(term)
        return Column(dict(scores), dict(holding), idf, tuple(unheld))
