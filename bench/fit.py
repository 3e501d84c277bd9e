"""Where the numbers of weights.json come from: fitted on the sets, and judged on conversations they have not seen.

The ranking's weights climb by coordinates: each in turn is multiplied by a few factors and keeps the best, until a
round changes nothing. What climbs is the mean over the sets of R@5 and R@10, all sets together, so one configuration
comes out. Conversations are dealt into folds; for each fold the climb starts anew on the others, and it is judged with
what came out. The weights that are written are those of all conversations.

`answerable` is a logistic regression of four signs, on the same questions with their gold turns and without them;
each set counts the same.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from bench.dialogues import Dialogues
from bench.errors import BenchError
from bench.homes import home_folder, opened
from bench.progress import Progress, say
from bench.turns import asked_at, viewer_in
from homeagent.memory.recall import score
from homeagent.memory.recall.answer import answerable_signs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from bench.options import Options
    from bench.vectors import RememberingEmbedder
    from homeagent.memory.recall.recaller import Evidence

__all__ = ["Example", "FitPlan", "climbed", "fit_report", "fit_table", "logistic", "quality", "without_rows"]

FACTORS: Final = (0.5, 0.7, 0.85, 1.2, 1.45, 2.0)
"""What a weight is multiplied by to look whether that is better."""

_CUTS: Final = (5, 10)
_LEAST_GAIN: Final = 1e-6
_NEWTON_STEPS: Final = 25


@dataclass(frozen=True, slots=True)
class FitPlan:
    """``questions``: at most so many of each set. ``rounds`` over all weights; ``folds`` of conversations, 0: none."""

    questions: int | None = None
    rounds: int = 2
    folds: int = 3


@dataclass(frozen=True, slots=True)
class Example:
    """A question: what recall knows about its candidates, which rows of them are gold, and how many gold turns are."""

    set: str
    conversation: str
    evidence: Evidence
    gold: frozenset[int]
    wanted: int


def fit_report(options: Options, plan: FitPlan, out: Path | None) -> dict[str, object]:
    """Fit, judge and, with ``out``, write a weights.json; return the figures in per cent."""
    embedder = options.new_embedder()
    names = options.sets.chosen(options.names, options.sets.conversations)
    examples = [each for name in names for each in _examples(options, name, embedder, plan.questions)]
    if not examples:
        raise BenchError("These sets hold no question that has an answer: nothing to fit")
    shipped = score.scoring()
    fitted = climbed(examples, shipped.ranking, plan.rounds)
    scoring = replace(shipped, ranking=fitted, answerable=_fitted_answerable(examples, fitted))
    if out is not None:
        out.write_bytes(msgspec.json.format(msgspec.json.encode(scoring), indent=2) + b"\n")
    return {
        "n": len(examples),
        "shipped": _per_cent(examples, shipped.ranking),
        "fitted": _per_cent(examples, fitted),
        "unseen": _judged_unseen(examples, plan),
        "weights": {**asdict(fitted)},
        "answerable": asdict(scoring.answerable),
    }


def fit_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{name}: {value}" for name, value in report.items())


def quality(examples: Sequence[Example], weights: score.RankingWeights) -> dict[str, float]:
    """Return by set the mean of R@5 and R@10, 0 to 1."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for each in examples:
        evidence = each.evidence
        hits = 0.0
        if evidence.ids:
            ranking = score.rank_turns(evidence.passages, evidence.turns, evidence.question, weights)
            hits = sum(len(each.gold.intersection(ranking.order[:cut].tolist())) for cut in _CUTS)
        found[each.set].append(hits / (len(_CUTS) * each.wanted))
    return {name: sum(values) / len(values) for name, values in found.items()}


def climbed(examples: Sequence[Example], start: score.RankingWeights, rounds: int) -> score.RankingWeights:
    """Return the weights that coordinate ascent reaches from ``start``."""
    best, height = start, _mean(quality(examples, start))
    for number in range(1, rounds + 1):
        before = height
        for field in fields(score.RankingWeights):
            for factor in FACTORS:
                tried = replace(best, **{field.name: float(f"{getattr(best, field.name) * factor:.2g}")})
                reached = _mean(quality(examples, tried))
                if reached > height + _LEAST_GAIN:
                    best, height = tried, reached
        say(f"round {number}: {100 * before:.2f} -> {100 * height:.2f}")
        if height <= before:
            break
    return best


def without_rows(evidence: Evidence, gone: frozenset[int]) -> Evidence:
    """Return the evidence as if the turns of these rows had never been kept."""
    stays = np.array([row not in gone for row in range(len(evidence.outlines))], np.bool_)
    rows = np.cumsum(stays) - 1
    kept = stays[evidence.passages.turn]
    legs = [getattr(evidence.passages, name) for name in ("words", "bigrams", "symbols", "dates", "names")]
    passages = score.Passages(
        rows[evidence.passages.turn[kept]].astype(np.intp),
        evidence.passages.cosine[kept],
        *(score.Leg(leg.score[kept], leg.coverage[kept]) for leg in legs),
    )
    if evidence.passages.outputs is not None:
        passages = replace(passages, outputs=evidence.passages.outputs.of(kept))
    if evidence.passages.asked is not None:
        passages = replace(passages, asked=evidence.passages.asked.of(kept))
    turns = evidence.turns
    values = {field.name: getattr(turns, field.name)[stays] for field in fields(score.Turns)}
    for name in ("before", "after"):
        there = values[name] >= 0
        values[name] = np.where(there & stays[values[name]], rows[values[name]], -1).astype(np.intp)
    return replace(
        evidence,
        ids=[each for each, stay in zip(evidence.ids, kept, strict=True) if stay],
        outlines=[each for each, stay in zip(evidence.outlines, stays, strict=True) if stay],
        passages=passages,
        turns=score.Turns(**values),
    )


def logistic(
    features: NDArray[np.float64], true: NDArray[np.float64], counts: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the bias and the weights of a logistic regression, by Newton's method with a whiff of ridge.

    ``counts``: how much each row counts, all the same by default.
    """
    counted = np.ones(len(true)) if counts is None else counts
    rows = np.hstack([np.ones((len(features), 1)), features])
    weights = np.zeros(rows.shape[1])
    for _ in range(_NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (counted * (true - chance)) - 1e-6 * weights
        curvature = (rows * (counted * chance * (1 - chance))[:, None]).T @ rows + 1e-6 * np.eye(len(weights))
        weights = weights + np.linalg.solve(curvature, slope)
    return weights


def _examples(options: Options, name: str, embedder: RememberingEmbedder, questions: int | None) -> Iterator[Example]:
    dialogues = Dialogues(options.sets, name)
    every = [
        (each, question) for each in dialogues.conversations for question in each.queries if not question.adversarial
    ]
    if questions is not None and questions < len(every):
        every = [every[place * len(every) // questions] for place in range(questions)]
    progress = Progress(f"{name}, questions")
    with home_folder(options.homes, name) as folder, opened(folder, embedder, dialogues.turns(), name) as memory:
        for place, (conversation, question) in enumerate(every):
            viewer = viewer_in(conversation.id, conversation.speakers)
            at = asked_at(unit.date for unit in conversation.units)
            evidence = memory.study.evidence(question.text, viewer=viewer, at=at)
            row_of = {outline.seq: row for row, outline in enumerate(evidence.outlines)}
            gold = {memory.find(unit, source=conversation.id).seq for unit in question.gold}
            rows = frozenset(row_of[seq] for seq in gold if seq in row_of)
            yield Example(name, conversation.id, evidence, rows, len(gold))
            progress.at(place, len(every))
    progress.done(f"{len(every):,} asked")


def _fitted_answerable(examples: Sequence[Example], weights: score.RankingWeights) -> score.AnswerableWeights:
    rows: list[tuple[float, ...]] = []
    true: list[float] = []
    sets: list[str] = []
    for each in examples:
        for evidence, there in ((each.evidence, 1.0), (without_rows(each.evidence, each.gold), 0.0)):
            if evidence.ids:
                ranking = score.rank_turns(evidence.passages, evidence.turns, evidence.question, weights)
                rows.append(answerable_signs(ranking, evidence.passages, evidence.turns, evidence.question))
                true.append(there)
                sets.append(each.set)
    counts = np.array([len(sets) / sets.count(name) for name in sets], np.float64)
    fitted = logistic(np.array(rows, np.float64), np.array(true), counts)
    return score.AnswerableWeights(*(float(f"{value:.3g}") for value in fitted))


def _judged_unseen(examples: Sequence[Example], plan: FitPlan) -> dict[str, float]:
    """Return the figures of conversations by weights that were fitted without them."""
    conversations = sorted({(each.set, each.conversation) for each in examples})
    folds = min(plan.folds, len(conversations))
    if folds < 2:
        return {}
    fold_of = {name: place % folds for place, name in enumerate(conversations)}
    sums: defaultdict[str, float] = defaultdict(float)
    counts: defaultdict[str, int] = defaultdict(int)
    for fold in range(folds):
        seen = [each for each in examples if fold_of[each.set, each.conversation] != fold]
        unseen = [each for each in examples if fold_of[each.set, each.conversation] == fold]
        say(f"fold {fold + 1} of {folds}: {len(seen)} questions to fit, {len(unseen)} to judge")
        weights = climbed(seen, score.scoring().ranking, plan.rounds)
        for name, value in quality(unseen, weights).items():
            count = sum(each.set == name for each in unseen)
            sums[name] += value * count
            counts[name] += count
    means = {name: sums[name] / counts[name] for name in sums}
    return {name: round(100 * value, 2) for name, value in {**means, "mean": _mean(means)}.items()}


def _per_cent(examples: Sequence[Example], weights: score.RankingWeights) -> dict[str, float]:
    found = quality(examples, weights)
    return {name: round(100 * value, 2) for name, value in {**found, "mean": _mean(found)}.items()}


def _mean(by_set: dict[str, float]) -> float:
    return sum(by_set.values()) / len(by_set)
