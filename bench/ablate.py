"""What each kind of evidence is worth: every question again, with one of them taken out of the weights.

All variants rank the same candidates, found by every leg, so that a table's rows differ in nothing but the weighing.
What a leg alone would have found is therefore still on the list of the variant without it, at the place that the other
evidence gives it: the losses here are rather too small than too large.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bench.bootstrap import macro_gain, paired_gain
from bench.data import FIVE
from bench.dialogues import Dialogues
from bench.homes import home_folder, opened
from bench.metrics import figures, in_per_cent, mean_figures
from bench.progress import Progress
from bench.recall import RANKED, hit_name
from bench.turns import asked_at, viewer_in
from homeagent.memory.recall.score import scoring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.bootstrap import Interval
    from bench.data import Conversation, Question
    from bench.metrics import Figures
    from bench.options import Options
    from bench.vectors import RememberingEmbedder
    from homeagent.memory import Memory
    from homeagent.memory.recall.score import Scoring

__all__ = ["ALL", "VARIANTS", "ablate_report", "ablate_table"]

ALL: Final = "all"
"""The weights as they are shipped."""

VARIANTS: Final[dict[str, tuple[str, ...]]] = {
    "meaning": ("meaning",),
    "words and bigrams": ("words", "bigrams"),
    "words": ("words",),
    "bigrams": ("bigrams",),
    "symbols": ("symbols",),
    "dates": ("dates",),
    "who speaks": ("speaker", "self"),
    "question marks": ("question",),
    "length": ("length",),
    "kind of answer": ("kind",),
    "assistant's turns": ("assistant",),
    "neighbours": ("neighbour", "reply", "pair"),
}
"""What is taken out, and the weights that are 0 without it."""

_SHOWN: Final = ("R@5", "R@10", "MRR")
_Rows = dict[str, list[dict[str, float]]]


def ablate_report(options: Options, questions: int | None) -> dict[str, object]:
    """Return by set and variant the figures in per cent and the change of R@5 with its 95 % interval.

    ``questions``: at most so many of each set, evenly spread over it; all by default.
    """
    embedder = options.new_embedder()
    names = options.sets.chosen(options.names, options.sets.conversations)
    measured = {name: _measured(options, name, embedder, questions) for name in names}
    report: dict[str, object] = {"sets": {name: _set_report(rows) for name, rows in measured.items()}}
    compared = [rows for name, rows in measured.items() if name in FIVE]
    if len(compared) > 1:
        report["macro"] = {variant: _macro(compared, variant) for variant in (ALL, *VARIANTS)}
    return report


def ablate_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{part} {name}: {found}" for part, rows in report.items() for name, found in _items(rows))


def _items(rows: object) -> list[tuple[str, object]]:
    return [(name, found) for name, found in rows.items()] if isinstance(rows, dict) else []


def _weightings() -> list[Scoring]:
    shipped = scoring()
    without = [replace(shipped.ranking, **dict.fromkeys(names, 0.0)) for names in VARIANTS.values()]
    return [shipped, *(replace(shipped, ranking=ranking) for ranking in without)]


def _measured(options: Options, name: str, embedder: RememberingEmbedder, questions: int | None) -> _Rows:
    dialogues = Dialogues(options.sets, name)
    every = [
        (each, question) for each in dialogues.conversations for question in each.queries if not question.adversarial
    ]
    if questions is not None and questions < len(every):
        every = [every[place * len(every) // questions] for place in range(questions)]
    weightings = _weightings()
    rows: defaultdict[str, list[Figures]] = defaultdict(list)
    progress = Progress(f"{name}, questions")
    with home_folder(options.homes, name) as folder, opened(folder, embedder, dialogues.turns(), name) as memory:
        started = time.monotonic()
        for place, (conversation, question) in enumerate(every):
            for variant, found in zip(
                (ALL, *VARIANTS), _ranked(memory, conversation, question, weightings), strict=True
            ):
                rows[variant].append(figures(found, question.gold))
            progress.at(place, len(every))
        progress.done(f"{len(every):,} asked {len(weightings)} times in {time.monotonic() - started:.0f} s")
    return rows


def _ranked(
    memory: Memory, conversation: Conversation, question: Question, weightings: Sequence[Scoring]
) -> list[tuple[str, ...]]:
    viewer = viewer_in(conversation.id, conversation.speakers)
    at = asked_at(unit.date for unit in conversation.units)
    recalls = memory.study.recalls(question.text, weightings, viewer=viewer, at=at, limit=RANKED)
    return [tuple(hit_name(hit.source, hit.external_id, conversation.id) for hit in each.hits) for each in recalls]


def _set_report(rows: _Rows) -> dict[str, object]:
    return {"n": len(rows[ALL]), "without": {variant: _variant(rows, variant) for variant in (ALL, *VARIANTS)}}


def _variant(rows: _Rows, variant: str) -> dict[str, object]:
    means = in_per_cent(mean_figures(rows[variant]))
    change = paired_gain(*_pair(rows, variant))
    return {**{name: means[name] for name in _SHOWN}, "change": _rounded(change)}


def _macro(compared: Sequence[_Rows], variant: str) -> dict[str, object]:
    means = [mean_figures(rows[variant]) for rows in compared]
    shown = {name: round(100 * sum(each[name] for each in means) / len(means), 2) for name in _SHOWN}
    return {**shown, "change": _rounded(macro_gain([_pair(rows, variant) for rows in compared]))}


def _pair(rows: _Rows, variant: str) -> tuple[list[float], list[float]]:
    return [each["R@5"] for each in rows[variant]], [each["R@5"] for each in rows[ALL]]


def _rounded(interval: Interval) -> list[float]:
    return [round(100 * value, 2) for value in interval]
