"""Whether the memory holds an answer at all: a probability, told from how the best turn stands among the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from homeagent.memory.recall.cues import Question
    from homeagent.memory.recall.score import AnswerableWeights, Passages, Ranking, Turns

__all__ = ["NOTHING", "answerable", "answerable_features"]

NOTHING: Final = 0.34
"""Below this `answerable`, say that there is nothing. Set by hand between six small cases, not fitted."""
_SCALE: Final = 2.0
"""By how much a score is larger where a turn is likelier to answer by a factor of e. By hand; 1.5 to 3 do as well."""
_SILENT: Final = 150
"""As many turns that say nothing are counted among the others: in a memory of two turns nothing else would be there."""
_UNKNOWN_SYMBOL: Final = 3.0
"""What a number or an identifier that occurs nowhere takes off the logit of there being an answer."""


def answerable_features(
    ranking: Ranking, passages: Passages, turns: Turns, question: Question
) -> tuple[float, float, float]:
    """Return what `answerable` goes by, of the turn that stands first.

    How far it stands out: the logarithm of its share, were the turns likely to answer by their scores, among all and
    `_SILENT` that score nothing. The share of the question's idf that it holds. And how much of it does not fit the
    question: 1 where a time is asked for and it speaks of none, 1 where somebody speaks whom the question is not about.
    """
    first = int(ranking.order[0])
    passage = int(ranking.passage[first])
    best = float(ranking.score[first])
    others = np.exp(np.minimum(ranking.score - best, 0) / _SCALE).sum() + _SILENT * math.exp(-max(best, -80) / _SCALE)
    held = max(float(leg.coverage[passage]) for leg in (passages.words, passages.bigrams, passages.symbols))
    outputs = passages.outputs
    timed = outputs.time[passage] if outputs is not None and outputs.there[passage] else turns.time[first]
    mismatch = (question.when and not timed) + (float(ranking.reasons["speaker"][first]) < 0)
    return -math.log(others), held, float(mismatch)


def answerable(
    ranking: Ranking, passages: Passages, turns: Turns, question: Question, weights: AnswerableWeights
) -> float:
    """Return how likely the memory holds an answer, 0 to 1, when half of all questions have one.

    A logistic regression of `answerable_features`, fitted on all sets with and without the turns that answer, each set
    counting the same. Weak in dialogues of two people (AUROC .69), better where one person tells of himself (.83).
    A number or an identifier that occurs nowhere takes `_UNKNOWN_SYMBOL` off: a rule, not a fit.
    """
    if not len(ranking.order):
        return 0.0
    lead, held, mismatch = answerable_features(ranking, passages, turns, question)
    logit = weights.bias + weights.lead * lead + weights.coverage * held + weights.mismatch * mismatch
    logit -= _UNKNOWN_SYMBOL if question.unknown_symbol else 0.0
    return 1.0 / (1.0 + math.exp(-min(max(logit, -30.0), 30.0)))
