"""A document in short: the sentences that say most, the words it is about, the names in it. No model."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from homeagent.memory.compute import QueryText
from homeagent.memory.distil.names import names
from homeagent.memory.distil.tagging import is_chinese
from homeagent.memory.documents.sentences import sentences
from homeagent.memory.documents.topics import content_terms
from homeagent.memory.store.graph_records import DocumentFeatures
from homeagent.memory.text.fold import fold_text
from homeagent.memory.text.speech import is_acknowledgement, is_question
from homeagent.memory.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText

__all__ = ["features", "tags"]

_SUMMARY: Final = 4
_SUMMARY_CHARACTERS: Final = 480
_LONGEST_SENTENCE: Final = 240
_MOST_SENTENCES: Final = 240
_MOST_TERMS: Final = 40
_MOST_ENTITIES: Final = 16
_WORD = re.compile(r"[a-z\u00df-\u024f][\w'.-]*[\w]")
_DIVERSITY: Final = 0.6
"""Weight of being central against being new, in maximal marginal relevance (Carbonell and Goldstein, 1998)."""


def features(said: Sequence[ComputeText], outputs: Sequence[ComputeText]) -> DocumentFeatures:
    """Return what can be said of a document in short; ``said`` are its words, ``outputs`` what tools gave.

    The summary is made of whole sentences of what was said, of the outputs only where nothing was. Depends on nothing
    but these texts, so a rebuild gives the same.
    """
    pool = [each for text in said for each in sentences(text)] or [each for text in outputs for each in sentences(text)]
    counts: Counter[str] = Counter()
    entities: Counter[str] = Counter()
    first: dict[str, ComputeText] = {}
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for text in (*said, *outputs):
        for term, word in _words(text):
            counts[term] += 1
            spelled[term][word] += 1
        for name in names(text):
            key = fold_text(name.text)
            first.setdefault(key, name)
            entities[key] += 1
    ranked = sorted(entities.items(), key=lambda item: (-item[1], item[0]))[:_MOST_ENTITIES]
    terms = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_TERMS]
    shown: Counter[str] = Counter()
    for term, count in terms:
        shown[_usual(spelled[term])] += count
    return DocumentFeatures(
        tuple(_summary(pool)), tuple(shown.items()), tuple((first[key], count) for key, count in ranked)
    )


def tags(terms: Sequence[tuple[str, int]], frequencies: dict[str, int], documents: int, most: int = 6) -> list[str]:
    """Return the terms that set a document apart from the home's others: counts by inverse document frequency."""
    weights = {term: count * float(np.log((documents + 1) / (frequencies.get(term, 0) + 0.5))) for term, count in terms}
    return sorted(weights, key=lambda term: (-weights[term], term))[:most]


def _words(text: ComputeText) -> list[tuple[str, str]]:
    """Return the content words of a text with the form they have there: (tomato, tomatoes)."""
    content = set(content_terms(text))
    found: list[tuple[str, str]] = []
    for match in _WORD.finditer(fold_text(text.text)):
        stems = [match[0]] if match[0] in content else query_terms(QueryText(match[0])).words
        found += [(stem, match[0]) for stem in stems if stem in content and len(match[0]) > 1]
    found += [(word, word) for word in content_terms(text) if is_chinese(word) and len(word) > 1]
    return found


def _usual(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], form))


def _summary(pool: Sequence[ComputeText]) -> list[ComputeText]:
    kept = [each for each in pool if not is_acknowledgement(each)][:_MOST_SENTENCES]
    if not kept:
        return []
    matrix = _matrix([content_terms(each) for each in kept])
    alike = matrix @ matrix.T
    central = alike.mean(axis=1) * np.array([_substance(each) for each in kept])
    chosen: list[int] = []
    room = _SUMMARY_CHARACTERS
    while len(chosen) < _SUMMARY:
        left = [at for at in range(len(kept)) if at not in chosen and len(kept[at]) <= max(room, _LONGEST_SENTENCE)]
        if not left or room <= 0:
            break
        best = max(left, key=lambda at: (_worth(at, central, alike, chosen), -at))
        chosen.append(best)
        room -= min(len(kept[best]), _LONGEST_SENTENCE)
    return [kept[at].slice(0, _LONGEST_SENTENCE) for at in sorted(chosen)]


def _substance(sentence: ComputeText) -> float:
    """Return how much a sentence can say: little when it is short, asks, or only cheers."""
    full = min(1.0, len(set(content_terms(sentence))) / 5)
    return full * (0.4 if is_question(sentence) else 0.6 if sentence.text.endswith(("!", "！")) else 1.0)


def _worth(at: int, central: NDArray[np.float64], alike: NDArray[np.float64], chosen: Sequence[int]) -> float:
    said = max((float(alike[at, other]) for other in chosen), default=0.0)
    return round(_DIVERSITY * float(central[at]) - (1 - _DIVERSITY) * said, 9)


def _matrix(rows: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Return tf by inverse sentence frequency, each row of length 1 (or 0), ``float64, (n, terms)``."""
    columns = {term: at for at, term in enumerate(dict.fromkeys(term for row in rows for term in row))}
    matrix = np.zeros((len(rows), max(1, len(columns))))
    for at, row in enumerate(rows):
        for term in row:
            matrix[at, columns[term]] += 1
    matrix *= np.log((len(rows) + 1) / (np.count_nonzero(matrix, axis=0) + 0.5))
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: NDArray[np.float64] = matrix / np.maximum(lengths, 1e-9)
    return scaled
