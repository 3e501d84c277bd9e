"""Does recall know when it has no answer? The same questions, with and without the turns that answer them.

Negatives are the same question with its gold turns forgotten, so that nothing but the answer differs; questions about
other dialogues would be told apart by their names alone. The adversarial questions of LoCoMo, which the dialogue tempts
to answer, are counted apart, against the answerable ones of the same sets.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from bench.baselines import baselines
from bench.calibration import auroc, coverage_at_precision, reliability
from bench.dialogues import Dialogues
from bench.errors import BenchError
from bench.homes import home_folder, opened
from bench.progress import Progress
from bench.turns import asked_at, viewer_in
from homeagent.memory.compute import QueryText

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from bench.data import Conversation, Question
    from bench.options import Options
    from bench.vectors import RememberingEmbedder
    from homeagent.memory import Memory

__all__ = ["Judged", "abstain_report", "abstain_table"]

_SETS: Final = ("locomo", "realtalk", "locomo_zh", "memdaily")
_PRECISION: Final = 0.95


@dataclass(frozen=True, slots=True)
class Judged:
    """One question, asked with (``there``) or without its gold turns, or an adversarial one.

    ``lexical`` and ``cosine`` are the best BM25 score and the best cosine of e5, the single signals to beat.
    """

    set: str
    lang: str
    question: str
    kind: str
    answerable: float
    lexical: float
    cosine: float


def abstain_report(options: Options, dump: Path | None, questions: int | None = None) -> dict[str, object]:
    """Return, by language, how well ``answerable`` tells questions with an answer from those without; 0 to 1.

    ``questions``: at most so many of each set, evenly spread over it; all by default.
    """
    known = [name for name in options.sets.conversations if name in _SETS]
    names = options.names or tuple(known or options.sets.conversations)
    embedder = options.new_embedder()
    judged = [
        row
        for name in options.sets.chosen(names, options.sets.conversations)
        for row in _judged(options, name, embedder, questions)
    ]
    if not judged:
        raise BenchError("These sets hold no question that has an answer: nothing to measure")
    if dump is not None:
        dump.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in judged))
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for row in judged:
        groups[row.lang].append(row)
    return {lang: _language(rows) for lang, rows in sorted(groups.items())}


def abstain_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{lang}: {figures}" for lang, figures in report.items())


def _language(rows: list[Judged]) -> dict[str, object]:
    there = [row for row in rows if row.kind == "there"]
    gone = [row for row in rows if row.kind == "gone"]
    adversarial = [row for row in rows if row.kind == "adversarial"]
    among = {row.set for row in adversarial}
    beside = [row.answerable for row in there if row.set in among]
    yes, no = [row.answerable for row in there], [row.answerable for row in gone]
    return {
        "n": len(there),
        "auroc": _rounded(auroc(yes, no)),
        "coverage_at_p95": _rounded(coverage_at_precision(yes, no, _PRECISION)),
        "auroc_adversarial": _rounded(auroc(beside, [row.answerable for row in adversarial])),
        "n_adversarial": len(adversarial),
        "auroc_bm25": _rounded(auroc([row.lexical for row in there], [row.lexical for row in gone])),
        "auroc_e5": _rounded(auroc([row.cosine for row in there], [row.cosine for row in gone])),
        "reliability": reliability(yes, no),
    }


def _judged(options: Options, name: str, embedder: RememberingEmbedder, questions: int | None) -> Iterator[Judged]:
    dialogues = Dialogues(options.sets, name)
    every = [(each, question) for each in dialogues.conversations for question in each.queries]
    if questions is not None and questions < len(every):
        every = [every[place * len(every) // questions] for place in range(questions)]
    asked = {(each.id, question.id) for each, question in every}
    signals = _signals(dialogues, embedder, asked)
    progress = Progress(f"{name}, with and without the answer")
    # A home of its own even when homes are kept: forgetting leaves traces in a log.
    with home_folder(None, name) as folder, opened(folder, embedder, dialogues.turns(), name) as memory:
        for place, (conversation, question) in enumerate(every):
            for kind in _kinds(question):
                without = frozenset(question.gold) if kind == "gone" else frozenset[str]()
                chance = _chance(memory, conversation, question, without)
                signal = signals.get((conversation.id, question.id, kind), (0.0, 0.0))
                yield Judged(name, conversation.lang, question.id, kind, chance, *signal)
            progress.at(place, len(every))
    progress.done(f"{len(every):,} questions")


def _chance(memory: Memory, conversation: Conversation, question: Question, without: frozenset[str]) -> float:
    """Return ``answerable`` with some turns forgotten for the time of the question."""
    for name in sorted(without):
        memory.forget(name, source=conversation.id)
    viewer = viewer_in(conversation.id, conversation.speakers)
    at = asked_at(unit.date for unit in conversation.units)
    chance = memory.recall(question.text, viewer=viewer, at=at).answerable
    for name in sorted(without):
        memory.undo(name, source=conversation.id)
    if without:
        memory.settle()
    return chance


def _kinds(question: Question) -> tuple[str, ...]:
    """Return the ways a question is asked."""
    return ("adversarial",) if question.adversarial else ("there", "gone")


def _signals(
    dialogues: Dialogues, embedder: RememberingEmbedder, asked: Collection[tuple[str, str]]
) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Return the best BM25 score and cosine by conversation, question and kind; nothing without an embedder."""
    found: dict[tuple[str, str, str], tuple[float, float]] = {}
    questions = {
        each.id: [question for question in each.queries if (each.id, question.id) in asked]
        for each in dialogues.conversations
    }
    for conversation, baseline in baselines(dialogues, embedder) if embedder.dimensions else ():
        for question in questions[conversation]:
            vector = embedder.query(QueryText(question.text))
            for kind in _kinds(question):
                without = frozenset(question.gold) if kind == "gone" else frozenset[str]()
                found[conversation, question.id, kind] = baseline.strongest(question.text, vector, without)
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
