"""How good a probability is: pure functions of the values given to what is true and to what is not."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["auroc", "coverage_at_precision", "reliability"]

_BINS: Final = 10


def auroc(yes: Sequence[float], no: Sequence[float]) -> float | None:
    """Return how likely one of ``yes`` is above one of ``no``, equals half; None when one of them is empty."""
    if not yes or not no:
        return None
    below = sorted(no)
    wins = sum(bisect_left(below, value) + bisect_right(below, value) for value in yes)
    return wins / (2 * len(yes) * len(no))


def coverage_at_precision(yes: Sequence[float], no: Sequence[float], precision: float) -> float:
    """Return the largest share of ``yes`` that a threshold can accept with at least this precision; 0 when none can."""
    best = 0.0
    above_yes, above_no = sorted(yes), sorted(no)
    for threshold in sorted(set(yes)):
        right = len(above_yes) - bisect_left(above_yes, threshold)
        wrong = len(above_no) - bisect_left(above_no, threshold)
        if right >= precision * (right + wrong):
            best = max(best, right / len(above_yes))
    return best


def reliability(yes: Sequence[float], no: Sequence[float]) -> list[dict[str, float]]:
    """Return the reliability diagram: a row for each tenth of the range that is not empty.

    ``value`` is the mean of the values there, ``true`` the share of them that is true, ``n`` how many there are.
    """
    rows: list[dict[str, float]] = []
    for low in range(_BINS):
        right = [value for value in yes if _bin(value) == low]
        wrong = [value for value in no if _bin(value) == low]
        count = len(right) + len(wrong)
        if count:
            mean = (sum(right) + sum(wrong)) / count
            rows.append({"value": round(mean, 3), "true": round(len(right) / count, 3), "n": count})
    return rows


def _bin(value: float) -> int:
    return min(_BINS - 1, max(0, int(value * _BINS)))
