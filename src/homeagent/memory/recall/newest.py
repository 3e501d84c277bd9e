"""Newest first: where a question asks how things stand, of several turns about one thing the latest comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LOOKED_AT", "SHARED", "Standing", "newest_first"]

LOOKED_AT: Final = 10
"""Only the first so many turns are put in another order."""
SHARED: Final = 0.75
"""The share of what the best turn holds of the question that one must hold which is to replace it unasked."""
_LOOKED_AT_UNASKED: Final = 5
_MARGIN: Final = 4.0
"""A turn scored this much lower than the best is about something else."""

_ALIKE: Final = 0.45
"""Centred cosine from which two turns speak of one thing. Unrelated short sentences have .1 to .4."""
_ALIKE_CHANGED: Final = 0.4
"""The same for a turn that says that something changed: it is worded unlike what it replaces."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known about the turns of a ranking, by row: ``scores`` and ``plain`` float32 (m,), ``moments``.

    ``plain`` are the scores without what a known fact adds; ``moments`` are in any unit that grows with time.
    ``changed`` are rows that say that something changed or was said wrongly, ``sharing`` those of them that hold about
    as much of the question as the best; ``correction`` is the row that corrects the best one right after it, or -1.
    ``asked``: the question asks for the newest by its words (now, 现在), not only by not being about the past.
    """

    scores: NDArray[np.float32]
    plain: NDArray[np.float32]
    moments: Sequence[int]
    changed: frozenset[int]
    sharing: frozenset[int]
    correction: int
    asked: bool


def newest_first(
    order: Sequence[int], standing: Standing, vectors: NDArray[np.float32]
) -> tuple[list[int], frozenset[int]]:
    """Return the rows in a new order, and which of them are an older word on what a newer one speaks of.

    ``order``: rows, best first. ``vectors`` float32 (m, d), centred and of length 1, NaN where there is none. Turns
    about the same thing as the best one share the places that they have, the newest first; nothing else moves. Where
    the newest is not asked for, only a turn that says that something changed goes before the best.
    """
    if not order:
        return [], frozenset()
    best = order[0]
    alike = vectors @ vectors[best]
    group = [row for row in order[:LOOKED_AT] if row == best or _belongs(row, order, standing, float(alike[row]))]
    newest = iter(sorted(group, key=lambda row: -standing.moments[row]))
    members = frozenset(group)
    arranged = [next(newest) if row in members else row for row in order]
    return arranged, members - {max(group, key=lambda row: standing.moments[row])}


def _belongs(row: int, order: Sequence[int], standing: Standing, alike: float) -> bool:
    """Tell whether a row is about the same thing as the best one, and what it says may replace that."""
    best = order[0]
    if row == standing.correction:
        return True
    if standing.asked and alike >= _ALIKE and standing.scores[row] >= standing.scores[best] - _MARGIN:
        return True
    if row not in standing.changed or standing.moments[row] <= standing.moments[best]:
        return False
    if not standing.asked and (row not in order[:_LOOKED_AT_UNASKED] or row not in standing.sharing):
        return False
    return alike >= _ALIKE_CHANGED and bool(standing.plain[row] >= standing.plain[best] - _MARGIN)
