"""Whether the memory holds an answer at all: a probability, told from how the best turn stands among the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from homeagent.memory.recall.cues import Question
    from homeagent.memory.recall.score import AnswerableWeights, Passages, Ranking, Turns

__all__ = ["NOTHING", "Signs", "answerable", "answerable_signs"]

NOTHING: Final = 0.3
"""Below this `answerable`, say that there is nothing. Set by hand between six small cases, not fitted."""
_CROWD: Final = (12, 40)
"""The places whose mean score is what turns have that only sound like the question; places that are empty have 0."""
_NEARER: Final = 8.0
"""What the best turn loses for another that is nearer in meaning, a unit of the cosine. By hand; 4 to 12 do as well."""
_LOOKED_AT: Final = 3
"""Turns that are looked at for the words of the question."""
_LACKING: Final = 0.5
"""What missing words count against words that are there. By hand: fitted apart, both have this proportion."""
_STRANGER: Final = 2.0
"""What it counts that somebody speaks whom the question is not about, where a missing time is 1. By hand as well."""
_NONE_HELD: Final = 0.5
"""What it takes off the logit that the first turns hold no word of the question: only their sound speaks for them."""
_UNKNOWN_SYMBOL: Final = 3.0
"""What a number or an identifier that occurs nowhere takes off the logit of there being an answer."""


class Signs(NamedTuple):
    """What `answerable` goes by; each grows with the chance of an answer, but ``mismatch``.

    ``lead``: how far the best turn stands out from the crowd behind it. ``held``: how much of the question's words the
    first turns hold. ``rare``: how rare its rarest word is, 1 where it occurs nowhere: of such a question less is held
    by turns that do answer. ``mismatch``: how much of the best turn does not fit.
    """

    lead: float
    held: float
    rare: float
    mismatch: float


def answerable_signs(ranking: Ranking, passages: Passages, turns: Turns, question: Question) -> Signs:
    """Return the signs of an answer in a ranking, which must hold a turn."""
    first = int(ranking.order[0])
    passage = _best(ranking)
    outputs = passages.outputs
    timed = outputs.time[passage] if outputs is not None and outputs.there[passage] else turns.time[first]
    stranger = float(ranking.reasons["speaker"][first]) < 0
    mismatch = float(question.when and not timed) + _STRANGER * stranger
    held, rare = _words(ranking, passages)
    return Signs(_lead(ranking, passages), held, rare, mismatch)


def answerable(
    ranking: Ranking, passages: Passages, turns: Turns, question: Question, weights: AnswerableWeights
) -> float:
    """Return how likely the memory holds an answer, 0 to 1, when half of all questions have one.

    A logistic regression of `answerable_signs`, fitted on all sets with and without the turns that answer, each set
    counting the same. Weak in dialogues of two people (AUROC .71), better where one person tells of himself (.87).
    A number or an identifier that occurs nowhere takes `_UNKNOWN_SYMBOL` off, and first turns that hold none of the
    words `_NONE_HELD`: rules, not a fit.
    """
    if not len(ranking.order):
        return 0.0
    signs = answerable_signs(ranking, passages, turns, question)
    logit = weights.bias + weights.lead * signs.lead + weights.held * signs.held
    logit += weights.rare * signs.rare + weights.mismatch * signs.mismatch
    logit -= _UNKNOWN_SYMBOL if question.unknown_symbol else 0.0
    logit -= 0.0 if passages.held(_best(ranking)) or _said(ranking, passages).any() else _NONE_HELD
    return 1.0 / (1.0 + math.exp(-min(max(logit, -30.0), 30.0)))


def _best(ranking: Ranking) -> int:
    """Return the passage for which the turn that stands first does."""
    return int(ranking.passage[ranking.order[0]])


def _lead(ranking: Ranking, passages: Passages) -> float:
    """Return how far the best turn stands out: the root of what it scores above the crowd."""
    places = slice(*_CROWD)
    crowd = float(ranking.score[ranking.order[places]].sum()) / (places.stop - places.start)
    cosines = np.nan_to_num(passages.cosine)[ranking.passage]
    nearer = float(cosines.max() - cosines[ranking.order[0]])
    return math.sqrt(max(0.0, float(ranking.score[ranking.order[0]]) - crowd - _NEARER * nearer))


def _words(ranking: Ranking, passages: Passages) -> tuple[float, float]:
    """Return how much of the question's words the first turns hold, and how rare the rarest of them all is.

    Held is the mean of what the best passage holds of their idf and of what the first turns hold of it together, less
    what the words are that each of these lacks.
    """
    alone, asked = passages.held(_best(ranking)), passages.asked
    if asked is None or not len(asked.idf):
        return (alone + 0.5) / 2, 0.0
    said = _said(ranking, passages)
    together = float(asked.idf[said.any(axis=0)].sum() / max(float(asked.idf.sum()), 1e-6))
    lacking = int((~said).sum(axis=1).min())
    return (alone + together) / 2 - _LACKING * math.log1p(lacking), asked.rarest


def _said(ranking: Ranking, passages: Passages) -> NDArray[np.bool_]:
    """Return which words of the question each of the first turns holds: bool (turns, t)."""
    asked = passages.asked
    if asked is None:
        return np.zeros((1, 0), np.bool_)
    first = ranking.order[:_LOOKED_AT].tolist()
    return np.array([asked.held[:, passages.turn == row].any(axis=1) for row in first], np.bool_)
