"""What was asked of recall before it was measured, and whether it holds: a row for each figure, none by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from bench.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["GOALS", "Goal", "judged", "required_rows"]

_LARGE: Final = "1000000"


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure, where it stands in the reports, what it must reach, and what would be better still.

    ``path`` starts with the kind of report; ``above`` is a path whose figures' best is taken off before. ``most``: the
    figure must not exceed the bound; else it must not fall below.
    """

    name: str
    path: tuple[str, ...]
    required: float
    aim: float
    most: bool = False
    above: tuple[tuple[str, ...], ...] = ()

    def value(self, reports: dict[str, object]) -> float | None:
        """Return the measured figure; None when it was not measured."""
        found = _figure(reports, self.path)
        others = [_figure(reports, path) for path in self.above]
        known = [each for each in others if each is not None]
        if found is None or len(known) < len(others):
            return None
        return round(found - max(known, default=0.0), 4)

    def reached(self, value: float, bound: float) -> bool:
        """Whether a value is at the bound or on the good side of it."""
        return value <= bound if self.most else value >= bound


def _turns(name: str, five: tuple[float, float], ten: tuple[float, float]) -> tuple[Goal, ...]:
    return (
        Goal(f"{name}, turn R@5", ("recall", "sets", name, "turn", "R@5"), *five),
        Goal(f"{name}, turn R@10", ("recall", "sets", name, "turn", "R@10"), *ten),
    )


def _paraphrase(name: str, key: str, required: float, aim: float) -> Goal:
    return Goal(f"paraphrase, {name}, R@1", ("recall", "sets", "paraphrase", "by_category", key, "R@1"), required, aim)


def _abstain(lang: str) -> tuple[Goal, ...]:
    signals = (("abstain", lang, "auroc_bm25"), ("abstain", lang, "auroc_e5"))
    return (
        Goal(f"answerable, {lang}, AUROC", ("abstain", lang, "auroc"), 0.72, 0.9),
        Goal(f"the same above the best single signal, {lang}", ("abstain", lang, "auroc"), 0.1, 0.1, above=signals),
    )


def _leak(name: str) -> Goal:
    return Goal(f"leak@10, {name}", ("noise", "sets", name, "ours", "leak@10"), 0, 0, most=True)


def _cost(name: str, path: tuple[str, ...], required: float, aim: float, *, most: bool = True) -> Goal:
    return Goal(name, ("cost", *path), required, aim, most)


GOALS: Final = (
    *_turns("locomo", (65, 72), (73, 80)),
    *_turns("realtalk", (55, 62), (63, 70)),
    *_turns("locomo_zh", (60, 68), (68, 76)),
    *_turns("memdaily", (73, 80), (80, 87)),
    *_turns("beam100K", (54, 60), (62, 68)),
    _paraphrase("zh", "zh/paraphrase", 75, 90),
    _paraphrase("en", "en/paraphrase", 60, 80),
    _paraphrase("zh question on en", "en/other-language", 58, 75),
    _paraphrase("en question on zh", "zh/other-language", 62, 75),
    _paraphrase("zh keyword", "zh/keyword", 97, 100),
    _paraphrase("en keyword", "en/keyword", 97, 100),
    Goal("mean gain of R@5 over the five sets, lower bound", ("recall", "macro", "R@5", "gain", "0"), 3, 10),
    Goal("locomo, session R@10", ("recall", "sets", "locomo", "session", "R@10"), 96, 98),
    Goal("noise: all@5 of `ours` minus `none`, all sets", ("noise", "pooled", "ours - none", "1"), -2, -0.5),
    Goal(
        "noise: all@5 of `ours` minus `baseline`, lower bound", ("noise", "pooled", "ours - baseline", "0"), 0.01, 0.01
    ),
    *(_leak(name) for name in ("toolnoise_locomo", "toolnoise_locomo_zh", "toolnoise_memdaily")),
    *_abstain("en"),
    *_abstain("zh"),
    _cost("recall p95 at 100,000 segments, ms", ("100000", "recall_ms", "p95"), 60, 20),
    _cost("keep p95 at 100,000 segments, ms", ("100000", "keep_ms", "p95"), 10, 3),
    _cost("turns embedded a second", ("100000", "embedded_per_second"), 100, 400, most=False),
    _cost("RAM at 100,000 segments, MB", ("100000", "memory_mb"), 800, 400),
    _cost("growth of recall, 10,000 to 1,000,000", (_LARGE, "growth", "recall"), 5, 3),
    _cost("growth of keep, 10,000 to 1,000,000", (_LARGE, "growth", "keep"), 2, 1.5),
)
"""Per cent, but AUROC from 0 to 1, and cost in its own units. Reports hold hundredths: 0.01 is "above 0" there."""


def required_rows(files: Sequence[Path]) -> list[list[str]]:
    """Return a row for each goal: figure, required, aimed at, measured, what that means. The files are reports."""
    reports: dict[str, object] = {}
    for file in files:
        kind = next((kind for kind in ("recall", "noise", "abstain", "cost") if file.name.startswith(kind)), "")
        report = _report(file)
        found: dict[str, object] = {kind: {str(report.get("segments")): report} if kind == "cost" else report}
        reports = _joined(reports, found) if kind else reports
    return [
        [
            goal.name,
            _shown(goal.required),
            _shown(goal.aim),
            "-" if value is None else _shown(value),
            judged(goal, value),
        ]
        for goal in GOALS
        for value in (goal.value(reports),)
    ]


def judged(goal: Goal, value: float | None) -> str:
    """Return what a measured value means for a goal."""
    if value is None:
        return "not measured"
    if goal.reached(value, goal.aim):
        return "aim reached"
    return "met" if goal.reached(value, goal.required) else "**missed**"


def _report(file: Path) -> dict[str, object]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, object])
    except msgspec.MsgspecError as error:
        raise BenchError(f"{file} is not what 'python -m bench' writes with --json: {error}") from error


def _joined(one: dict[str, object], other: dict[str, object]) -> dict[str, object]:
    """Return both; where both have an object it is joined, else the later one counts."""
    both = dict(one)
    for name, value in other.items():
        before = both.get(name)
        both[name] = _joined(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return both


def _figure(value: object, path: tuple[str, ...]) -> float | None:
    """Return the number at a path of names, or of places in a list; None when there is none."""
    for name in path:
        if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict):
            value = value.get(name)
        else:
            return None
    return float(value) if isinstance(value, int | float) else None


def _shown(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
