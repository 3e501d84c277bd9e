"""Paired bootstrap intervals (Efron, 1979): how sure a gain over the baseline is, questions drawn with replacement.

Both methods are measured on the same drawn questions, so what makes a question hard or easy cancels out. The seed is
fixed: the same figures give the same interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Interval", "macro_gain", "paired_gain"]

_ROUNDS: Final = 5000
_SEED: Final = 20240229
_CONFIDENCE: Final = (2.5, 97.5)

Interval = tuple[float, float, float]
"""The lower bound, the mean and the upper bound (95 %) of a gain."""


def paired_gain(ours: Sequence[float], theirs: Sequence[float]) -> Interval:
    """Return the interval of the mean of ``ours - theirs``, which are in the order of the same questions."""
    return macro_gain([(ours, theirs)])


def macro_gain(sets: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Interval:
    """Return the interval of the mean over sets of each set's mean gain; questions are drawn inside their set."""
    random = np.random.default_rng(_SEED)
    differences = [np.asarray(ours, float) - np.asarray(theirs, float) for ours, theirs in sets]
    drawn = np.mean([_drawn_means(each, random) for each in differences], axis=0)
    low, high = np.percentile(drawn, _CONFIDENCE)
    return float(low), float(np.mean([each.mean() for each in differences])), float(high)


def _drawn_means(differences: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
    """Return the mean of ``_ROUNDS`` samples, float64 (rounds,), one at a time so that memory stays small."""
    count = len(differences)
    return np.array([differences[random.integers(count, size=count)].mean() for _ in range(_ROUNDS)])
