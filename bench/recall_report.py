"""The report of recall: means in per cent, by category, the time of a question, the gain over the baseline."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from bench.bootstrap import macro_gain, paired_gain
from bench.data import FIVE
from bench.metrics import in_per_cent, mean_figures, percentile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.bootstrap import Interval
    from bench.recall import Asked

__all__ = ["recall_report", "recall_table"]

_COMPARED: Final = ("R@5", "R@10")

Report = dict[str, object]


def recall_report(asked: Mapping[str, Sequence[Asked]], model: str, seconds: float) -> Report:
    """Return the report of all sets as plain values."""
    report: Report = {"sets": {name: _set_report(rows) for name, rows in asked.items()}}
    compared = {name: rows for name, rows in asked.items() if name in FIVE and rows and rows[0].baseline}
    if compared:
        report["macro"] = {"sets": list(compared), **{figure: _macro(compared, figure) for figure in _COMPARED}}
    return {**report, "model": model, "seconds": round(seconds, 1)}


def recall_table(asked: Mapping[str, Sequence[Asked]]) -> str:
    """Return the same for a person."""
    head = f"{'set':<12}{'n':>6}" + "".join(
        f"{name:>9}" for name in ("R@1", "R@5", "R@10", "MRR", "nDCG@10", "ses R@10", "base R@5", "R@10")
    )
    lines = [head + f"{'gain R@5 [95 %]':>24}{'p50 ms':>8}{'p95':>6}"]
    for name, rows in asked.items():
        turn = in_per_cent(mean_figures(row.turn for row in rows))
        session = in_per_cent(mean_figures(row.session for row in rows))
        base = in_per_cent(mean_figures(row.baseline for row in rows if row.baseline))
        cells = [turn[key] for key in ("R@1", "R@5", "R@10", "MRR", "nDCG@10")] + [session["R@10"]]
        cells += [base.get("R@5", float("nan")), base.get("R@10", float("nan"))]
        gain = _gain_text(paired_gain(*_pair(rows, "R@5"))) if base else ""
        times = [row.milliseconds for row in rows]
        line = f"{name:<12}{len(rows):>6}" + "".join(f"{cell:>9.1f}" for cell in cells)
        lines.append(line + f"{gain:>24}{percentile(times, 0.5):>8.1f}{percentile(times, 0.95):>6.0f}")
    compared = [rows for name, rows in asked.items() if name in FIVE and rows and rows[0].baseline]
    if compared:
        macro = macro_gain([_pair(rows, "R@5") for rows in compared])
        lines.append(f"mean gain of R@5 over {len(compared)} sets: {_gain_text(macro)}")
    return "\n".join(lines)


def _set_report(rows: Sequence[Asked]) -> Report:
    times = [row.milliseconds for row in rows]
    report: Report = {
        "n": len(rows),
        "turn": in_per_cent(mean_figures(row.turn for row in rows)),
        "session": in_per_cent(mean_figures(row.session for row in rows)),
        "by_category": _by_category(rows),
        "query_ms": {"p50": round(percentile(times, 0.5), 2), "p95": round(percentile(times, 0.95), 2)},
    }
    if rows and rows[0].baseline:
        base = in_per_cent(mean_figures(row.baseline for row in rows))
        report["baseline"] = {figure: base[figure] for figure in _COMPARED}
        report["gain"] = {figure: _rounded(paired_gain(*_pair(rows, figure))) for figure in _COMPARED}
    return report


def _by_category(rows: Sequence[Asked]) -> Report:
    """Return the turn figures by category; in a set of several languages as ``language of the memory/category``."""
    several = len({row.conversation.lang for row in rows}) > 1
    groups: defaultdict[str, list[Asked]] = defaultdict(list)
    for row in rows:
        category = row.question.cat
        groups[f"{row.conversation.lang}/{category}" if several else category].append(row)
    return {
        name: {"n": len(group), **in_per_cent(mean_figures(row.turn for row in group))}
        for name, group in sorted(groups.items())
    }


def _macro(compared: Mapping[str, Sequence[Asked]], figure: str) -> Report:
    pairs = [_pair(rows, figure) for rows in compared.values()]
    ours = [sum(own) / len(own) for own, _ in pairs]
    theirs = [sum(base) / len(base) for _, base in pairs]
    return {
        "turn": round(100 * sum(ours) / len(ours), 2),
        "baseline": round(100 * sum(theirs) / len(theirs), 2),
        "gain": _rounded(macro_gain(pairs)),
    }


def _pair(rows: Sequence[Asked], figure: str) -> tuple[list[float], list[float]]:
    return [row.turn[figure] for row in rows], [row.baseline[figure] for row in rows]


def _rounded(interval: Interval) -> list[float]:
    return [round(100 * value, 2) for value in interval]


def _gain_text(interval: Interval) -> str:
    low, mean, high = (100 * value for value in interval)
    return f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]"
