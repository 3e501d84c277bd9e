"""The figures of a ranking, per question, as /shared/data/README.md defines them; pure functions, fractions 0 to 1.

R@k is the share of a question's gold turns among the first k turns; MRR one over the rank of the first gold turn; nDCG
has gains of 0 and 1 (Järvelin and Kekäläinen, 2002), its ideal has all gold turns on top. Sessions are ranked by their
best turn.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = ["CUTS", "Figures", "figures", "in_per_cent", "mean_figures", "percentile", "session_figures"]

CUTS: Final = (1, 3, 5, 10)
"""The ranks at which recall is measured."""

_GAIN_CUT: Final = 10

Figures = dict[str, float]
"""``R@1``, ``R@3``, ``R@5``, ``R@10``, ``MRR``, ``nDCG@10``."""


def figures(ranked: Sequence[str], gold: Collection[str]) -> Figures:
    """Return the figures of one ranking; ``ranked`` holds each id once, best first. ``gold`` must not be empty."""
    wanted = set(gold)
    found = [rank for rank, name in enumerate(ranked, 1) if name in wanted]
    result = {f"R@{cut}": sum(rank <= cut for rank in found) / len(wanted) for cut in CUTS}
    result["MRR"] = 1 / found[0] if found else 0.0
    gain = sum(1 / math.log2(rank + 1) for rank in found if rank <= _GAIN_CUT)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(_GAIN_CUT, len(wanted)) + 1))
    result["nDCG@10"] = gain / ideal
    return result


def session_figures(ranked: Sequence[str], gold: Collection[str], session_of: Mapping[str, str]) -> Figures:
    """Return the figures of the sessions: each ranked by its best turn, gold when it holds a gold turn.

    An id without a session, such as a turn of a pool, stands in a session of its own.
    """
    sessions = list(dict.fromkeys(session_of.get(name, f"\0{name}") for name in ranked))
    return figures(sessions, {session_of[name] for name in gold})


def mean_figures(many: Iterable[Figures]) -> Figures:
    """Return the mean of each figure; empty when there is nothing to average."""
    rows = list(many)
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]} if rows else {}


def in_per_cent(fractions: Mapping[str, float]) -> Figures:
    """Return the figures in per cent, rounded to hundredths."""
    return {name: round(100 * value, 2) for name, value in fractions.items()}


def percentile(values: Iterable[float], share: float) -> float:
    """Return the smallest value that at least ``share`` (0 to 1) of the values do not exceed; 0 when there are none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0
