"""How well each turn answers a question: pure arithmetic over the candidates, no store, no embedder, no clock.

The score is a sum of plain evidence, in the same unit for every question: BM25 of the words and of the bigrams, exact
symbols, the date, the meaning (cosine of centred vectors), who speaks, what kind of sentence it is, and what its
neighbours say. On three dialogue sets raw BM25 with a smooth idf and a cosine with a fixed factor did better than
z-scores per question (mean R@5 59.6 -> 61.9, before any other change); they need no statistics over all passages and
stay sane in a memory of two turns. A leg with nothing to say adds nothing.

Shapes: ``n`` candidate passages, ``m`` turns they belong to, ``t`` terms of a question, ``d`` dimensions of a vector.
All arrays of floats are float32. `rank_turns` is the way in; `scoring` reads the weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from homeagent.memory.recall.cues import Question

    Floats = NDArray[np.float32]
    Rows = NDArray[np.intp]
    Flags = NDArray[np.bool_]

__all__ = [
    "AnswerableWeights",
    "AskedWords",
    "Leg",
    "Outputs",
    "Passages",
    "Ranking",
    "RankingWeights",
    "Scoring",
    "Turns",
    "centred_cosine",
    "put_back",
    "rank_turns",
    "scoring",
    "shrunk_mean",
]

COSINE_FLOOR: Final = 0.1
"""A centred cosine that says nothing: what an unrelated passage has, plus one deviation."""
LONGEST: Final = 40.0
"""Words after which a longer turn is no likelier to hold an answer."""
NEUTRAL_STRENGTH: Final = 200.0
"""How many passages the neutral sentences weigh as much as, in the mean that centres the vectors."""
SYMBOL: Final = np.float32(3)
"""BM25 of an exact symbol at least: in a memory of few turns its idf would say nothing."""
DATE: Final = np.float32(10)
"""BM25 of the very day that is asked about at least, for the same reason."""
KNOWN_FACT: Final = 5.0
"""What a turn gains that says the fact which is asked for: set by hand, above what words and meaning differ by."""
ONLY_ASKS: Final = (4.0, 0.8)
"""What is taken off a turn that only asks what is asked, and the most as a share of its score; set by hand."""
ONLY_ANSWERED: Final = (2.5, 0.3)
"""The same for a turn whose people only ask and the assistant answers: people's own word is better."""


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """The fitted numbers of the ranking; each is the gain per unit of the feature of that name."""

    words: float
    bigrams: float
    symbols: float
    dates: float
    meaning: float
    speaker: float
    length: float
    question: float
    assistant: float
    self: float
    kind: float
    threshold: float
    neighbour: float
    reply: float
    pair: float


@dataclass(frozen=True, slots=True)
class AnswerableWeights:
    """The fitted numbers of `answer.answerable`, a logistic regression; each is the gain per unit of that feature."""

    bias: float
    lead: float
    held: float
    rare: float
    mismatch: float


@dataclass(frozen=True, slots=True)
class Scoring:
    """All that was fitted, and the sentences whose mean vector stands for an ordinary sentence."""

    ranking: RankingWeights
    answerable: AnswerableWeights
    neutral: tuple[str, ...]


@cache
def scoring() -> Scoring:
    """Return the numbers of ``weights.json`` beside this module."""
    raw = files(__package__).joinpath("weights.json").read_bytes()
    return msgspec.json.decode(raw, type=Scoring)


@dataclass(frozen=True, slots=True)
class Leg:
    """What one column of the full text index says about the candidates.

    ``score``: float32 (n,), BM25 (k1 1.2, b .75, idf = ln(1 + (N - n + .5) / (n + .5)), over the visible passages), 0
    where no term of the question occurs. ``coverage``: float32 (n,) in [0, 1], the share of the idf of all terms of the
    question that the passage holds; a term that occurs nowhere counts in the whole.
    """

    score: Floats
    coverage: Floats


@dataclass(frozen=True, slots=True)
class Passages:
    """The candidates, best of every leg joined.

    ``turn``: intp (n,), the row of its turn in `Turns`. ``cosine``: float32 (n,), of `centred_cosine`; NaN where the
    vector is still pending. ``names``: the word column asked for the names that were taken out of the question.
    ``outputs`` is None where none of them is of a tool's output, ``asked`` where the question has no words.
    """

    turn: Rows
    cosine: Floats
    words: Leg
    bigrams: Leg
    symbols: Leg
    dates: Leg
    names: Leg
    outputs: Outputs | None = field(default=None, kw_only=True)
    asked: AskedWords | None = field(default=None, kw_only=True)

    def held(self, passage: int) -> float:
        """Return how much of the question a passage holds, of its words, bigrams or symbols, whichever is more."""
        return max(float(leg.coverage[passage]) for leg in (self.words, self.bigrams, self.symbols))


@dataclass(frozen=True, slots=True)
class AskedWords:
    """Which candidates hold which words and symbols of a question.

    ``held``: bool (t, n). ``idf``: float32 (t,). ``rarest``: how rare the rarest is, 1 for a word nobody says.
    """

    held: Flags
    idf: Floats
    rarest: float

    def of(self, chosen: Flags) -> AskedWords:
        """Return the same of some of the passages."""
        return AskedWords(self.held[:, chosen], self.idf, self.rarest)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Which passages are of tools' outputs, and what speaks for these in place of the words of their turn.

    ``there``: bool (n,). ``speaker``: float32 (n,), 1 where it quotes or names the person the question is about, -1
    where it quotes another: nobody says his own name, but what is written about him or quotes him does. ``words``:
    float32 (n,), how long a passage is. ``asks``, ``first_person``, ``time``, ``number``: bool (n,), its cues.
    ``figures``: all symbols of the question are bare numbers, as pages of figures hold any by chance.
    """

    there: Flags
    speaker: Floats
    words: Floats
    asks: Flags
    first_person: Flags
    time: Flags
    number: Flags
    figures: bool

    def of(self, chosen: Flags) -> Outputs:
        """Return the same of some of the passages."""
        return Outputs(
            there=self.there[chosen],
            speaker=self.speaker[chosen],
            words=self.words[chosen],
            asks=self.asks[chosen],
            first_person=self.first_person[chosen],
            time=self.time[chosen],
            number=self.number[chosen],
            figures=self.figures,
        )


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of the candidates, each once. All arrays have m rows.

    ``before``, ``after``: intp, the row of the turn next to it in the same chat, -1 where it is no candidate or too far
    in time. ``speaker``: float32, 1 where the one person the question is about speaks, -1 where somebody else speaks
    without naming that person, else 0 (also for the assistant, and where the question names two or nobody).
    ``assistant``: bool, only the assistant speaks. ``words``, ``asks`` (float32), ``first_person``, ``time`` and
    ``number`` (bool) are the `Cues` of the turn's words. ``known``: bool, it says a fact that
    the question asks for.
    """

    before: Rows
    after: Rows
    words: Floats
    asks: Floats
    speaker: Floats
    assistant: Flags
    first_person: Flags
    time: Flags
    number: Flags
    known: Flags


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores of the turns. ``order``: rows of `Turns`, best first. ``passage``: the best passage of each turn.

    ``reasons``: what each kind of evidence added, name to float32 (m,); they sum up to ``score``.
    """

    score: Floats
    order: Rows
    passage: Rows
    reasons: dict[str, Floats]


def shrunk_mean(total: Floats, count: int, neutral: Floats) -> Floats:
    """Return the mean vector that centres a memory, float32 (d,): its own mean, drawn to the neutral one while small.

    ``total``: sum of the vectors of all visible passages. ``neutral``: mean of the vectors of the neutral sentences.
    """
    return ((total + NEUTRAL_STRENGTH * neutral) / (count + NEUTRAL_STRENGTH)).astype(np.float32)


def centred_cosine(vectors: Floats, query: Floats, mean: Floats) -> Floats:
    """Return the cosines float32 (n,) of ``vectors`` (n, d) to ``query`` (d,), the mean taken from both.

    E5 squeezes every cosine into .7 to .9; what all sentences share is noise ("all but the top", Mu and Viswanath 2018,
    of which only the mean helped here).
    """
    asked = query - mean
    inner = vectors @ asked - np.float32(mean @ asked)
    squares = np.einsum("ij,ij->i", vectors, vectors) - 2 * (vectors @ mean) + np.float32(mean @ mean)
    norms = np.sqrt(np.maximum(squares, 1e-12)) * np.sqrt(np.maximum(asked @ asked, 1e-12))
    cosines: Floats = (inner / norms).astype(np.float32)
    return cosines


def rank_turns(passages: Passages, turns: Turns, question: Question, weights: RankingWeights) -> Ranking:
    """Score and order the turns: the best passage of each, what the turn is, then what its neighbours say."""
    found = _legs(passages, weights)
    for name, prior in _priors(turns, question, weights).items():
        found[name] = prior[passages.turn]
    if passages.outputs is not None:
        found |= _of_outputs(found, passages, question, weights)
    best = _best(passages.turn, np.sum(list(found.values()), axis=0), len(turns.words))
    reasons = {name: part[best] for name, part in found.items()}
    alone = np.sum(list(reasons.values()), axis=0)
    reasons["fact"] = (KNOWN_FACT * turns.known).astype(np.float32)
    reasons["neighbours"] = _neighbours(alone, turns, weights)
    if not question.of_assistant:
        reasons["assistant"] = (-weights.assistant * turns.assistant).astype(np.float32)
    score = np.sum(list(reasons.values()), axis=0).astype(np.float32)
    return Ranking(score, np.argsort(-score, kind="stable"), best, reasons)


def put_back(ranking: Ranking, rows: Sequence[int], by: tuple[float, float]) -> Ranking:
    """Return the ranking with ``by`` taken off these rows, for being only ``asking``.

    ``by`` is an amount and the share of a score that it is at most, so that what has little to do with the question
    does not come first for being no question.
    """
    if not rows:
        return ranking
    taken = np.zeros_like(ranking.score)
    taken[list(rows)] = -np.minimum(by[0], by[1] * np.maximum(ranking.score[list(rows)], 0))
    score = (ranking.score + taken).astype(np.float32)
    order = np.argsort(-score, kind="stable")
    return Ranking(
        score, order, ranking.passage, {**ranking.reasons, "asking": ranking.reasons.get("asking", 0) + taken}
    )


def _legs(passages: Passages, weights: RankingWeights) -> dict[str, Floats]:
    """Return the evidence inside each passage, float32 (n,) a leg.

    Words and bigrams step back where only few of the question's words occur: their sum is multiplied by the square root
    of the share of its idf, of words or of bigrams, whichever is more.
    """
    part = _stepped_back(passages)
    meaning = np.where(np.isnan(passages.cosine), 0, passages.cosine - np.float32(COSINE_FLOOR))
    return {
        "words": np.float32(weights.words) * passages.words.score * part,
        "bigrams": np.float32(weights.bigrams) * passages.bigrams.score * part,
        "symbols": np.float32(weights.symbols) * np.maximum(passages.symbols.score, SYMBOL * passages.symbols.coverage),
        "dates": np.float32(weights.dates) * np.maximum(passages.dates.score, DATE * passages.dates.coverage),
        "names": np.float32(weights.words) * passages.names.score,
        "meaning": (weights.meaning * meaning).astype(np.float32),
    }


def _stepped_back(passages: Passages) -> Floats:
    """Return what words count in each passage, 0 to 1, by how much of the question it holds."""
    part: Floats = np.sqrt(np.maximum(passages.words.coverage, passages.bigrams.coverage)).astype(np.float32)
    return part


def _best(turn: Rows, score: Floats, turns: int) -> Rows:
    """Return the row of the best passage of every turn, intp (m,); the first of equals."""
    order = np.lexsort((np.arange(len(turn)), -score, turn))
    first = np.searchsorted(turn[order], np.arange(turns))
    return order[first].astype(np.intp)


def _priors(turns: Turns, question: Question, weights: RankingWeights) -> dict[str, Floats]:
    """Return what the kind of turn adds: who speaks, its length, whether it asks, what it mentions."""
    length = np.log2(np.clip(turns.words, 1, LONGEST))
    about = (turns.speaker > 0) | question.first_person
    kind = question.when * turns.time.astype(np.float32) + question.number * turns.number.astype(np.float32)
    parts = {
        "speaker": weights.speaker * turns.speaker,
        "self": weights.self * (about & turns.first_person & ~turns.assistant),
        "kind": weights.kind * kind,
        "length": weights.length * length,
        "question": -weights.question * turns.asks,
    }
    return {name: part.astype(np.float32) for name, part in parts.items()}


def _of_outputs(
    found: dict[str, Floats], passages: Passages, question: Question, weights: RankingWeights
) -> dict[str, Floats]:
    """Return the priors of all passages, those of outputs their own: who asked for a file did not write it.

    In outputs days step back as words do, and so do symbols where all that the question has are bare numbers: of many
    lines of figures some hold any of them.
    """
    outputs = passages.outputs
    if outputs is None:
        return {}
    part = _stepped_back(passages)
    own = {
        "dates": found["dates"] * part,
        "symbols": found["symbols"] * (part if outputs.figures else np.float32(1)),
        "speaker": weights.speaker * outputs.speaker,
        "self": weights.self * ((outputs.speaker > 0) & outputs.first_person),
        "kind": weights.kind * (question.when * outputs.time + question.number * outputs.number),
        "length": weights.length * np.log2(np.clip(outputs.words, 1, LONGEST)),
        "question": -weights.question * outputs.asks,
    }
    return {name: np.where(outputs.there, part, found[name]).astype(np.float32) for name, part in own.items()}


def _neighbours(alone: Floats, turns: Turns, weights: RankingWeights) -> Floats:
    """Return what the turns next to each turn add, float32 (m,): only strong ones speak, and only for people's turns.

    A person's turn gains from those of people beside it, from the question it replies to, and from the assistant's
    answer to it. ``alone`` is the score before neighbours and before the assistant's deduction.
    """
    strong = np.maximum(alone - np.float32(weights.threshold), 0)
    person = ~turns.assistant
    said, answered = strong * person, strong * turns.assistant
    near = weights.neighbour * (_at(said, turns.before) + _at(said, turns.after))
    reply = weights.reply * _at(said * turns.asks, turns.before) * person
    pair = weights.pair * _at(answered, turns.after) * person
    gained: Floats = (near + reply + pair).astype(np.float32)
    return gained


def _at(values: Floats, rows: Rows) -> Floats:
    """Return ``values[rows]``, 0 where the row is -1."""
    return np.where(rows >= 0, values[rows], np.float32(0)).astype(np.float32)
