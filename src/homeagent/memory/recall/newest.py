"""Newest first: where a question asks how things stand now, of several turns about one thing the latest comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["newest_first"]

_LOOKED_AT: Final = 10
_MARGIN: Final = 4.0
"""A turn scored this much lower than the best is about something else."""

_ALIKE: Final = 0.45
"""Centred cosine from which two turns speak of one thing. Unrelated short sentences have .1 to .4."""


def newest_first(
    order: Sequence[int], scores: NDArray[np.float32], moments: Sequence[int], vectors: NDArray[np.float32]
) -> tuple[list[int], frozenset[int]]:
    """Return the rows in a new order, and which of them are an older word on what a newer one speaks of.

    ``order``: rows, best first. By row: ``scores`` float32 (m,), ``moments`` in any unit that grows with time, and
    ``vectors`` float32 (m, d), centred and of length 1, NaN where there is none. Turns about the same thing as the best
    one share the places that they have, the newest first; nothing else moves.
    """
    if not order:
        return [], frozenset()
    best = order[0]
    alike = vectors @ vectors[best]
    group = [
        row
        for row in order[:_LOOKED_AT]
        if row == best or (alike[row] >= _ALIKE and scores[row] >= scores[best] - _MARGIN)
    ]
    newest = iter(sorted(group, key=lambda row: -moments[row]))
    members = frozenset(group)
    arranged = [next(newest) if row in members else row for row in order]
    return arranged, members - {max(group, key=lambda row: moments[row])}
