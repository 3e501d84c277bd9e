"""What a turn is about, as numbers: counts of its content words, and its vector where there is one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.compute import QueryText
from homeagent.memory.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText

__all__ = ["Topic", "content_terms", "likeness", "topic_of"]

_LONGEST = 4000
"""Characters of a turn that its matter is read from."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A turn to be put beside others of its matter.

    ``moment`` is in microseconds, None when unknown; ``vector`` float32 ``(d,)`` of any length, or None.
    """

    seq: int
    moment: int | None
    terms: Mapping[str, int]
    vector: NDArray[np.float32] | None = field(default=None, compare=False)


def content_terms(text: ComputeText) -> tuple[str, ...]:
    """Return the words that say what a text is about: no function words."""
    terms = query_terms(QueryText(text.text[:_LONGEST])).content
    return (*terms.words, *(term for term in terms.symbols if not term.isdigit()))


def topic_of(seq: int, moment: int | None, texts: Iterable[ComputeText], vector: NDArray[np.float32] | None) -> Topic:
    """Return what a turn is about."""
    counts = Counter(term for text in texts for term in content_terms(text))
    return Topic(seq, moment, dict(counts), vector)


def likeness(before: Sequence[Topic], after: Sequence[Topic], centre: NDArray[np.float32] | None) -> float:
    """Return how alike two stretches of talk are, about 0 for different matters, 1 for the same words.

    The cosine of their mean vectors from ``centre`` where all have one, else of their word counts.
    """
    ours, theirs = _mean(before), _mean(after)
    if ours is not None and theirs is not None and centre is not None:
        return _cosine(ours - centre, theirs - centre)
    return _word_cosine(_added(before), _added(after))


def _mean(topics: Sequence[Topic]) -> NDArray[np.float32] | None:
    vectors = [topic.vector for topic in topics if topic.vector is not None]
    return np.mean(vectors, axis=0, dtype=np.float32) if len(vectors) == len(topics) and vectors else None


def _cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / length if length > 0 else 0.0


def _added(topics: Sequence[Topic]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for topic in topics:
        counts.update(topic.terms)
    return counts


def _word_cosine(one: Counter[str], other: Counter[str]) -> float:
    shared = sum(count * other[term] for term, count in one.items() if term in other)
    length = (sum(n * n for n in one.values()) * sum(n * n for n in other.values())) ** 0.5
    return shared / length if length else 0.0
