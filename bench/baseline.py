"""The baseline that recall is compared with: z-scores of BM25 and of e5, summed, as /shared/data/README.md has it.

It is computed here, question by question, from plain texts ("speaker: words"), and shares nothing with the product's
recall but the embedder. On the development half it comes within a point of the README's figures (docs/recall.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bench.lexical import Bm25, bigrams, words
from bench.turns import USERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bench.data import Unit

__all__ = ["Baseline", "Document", "Documents", "Recipe", "recipe_for", "standardised", "unit_document"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The weights of the legs' z-scores; ``user`` is added for what the user of an assistant said."""

    words: float = 1.0
    bigrams: float = 0.0
    meaning: float = 1.0
    user: float = 0.0
    dates: bool = True


@dataclass(frozen=True, slots=True)
class Document:
    """Something that can be found: the id it counts for, its text, its date, whether the user said it."""

    name: str
    text: str
    date: str = ""
    by_user: bool = False


def unit_document(unit: Unit, name: str) -> Document:
    """Return a unit as a document: ``speaker: words``."""
    return Document(name, f"{unit.speaker}: {unit.text}", unit.date, unit.speaker in USERS)


def recipe_for(name: str, *, pool: bool, assistant: bool) -> Recipe:
    """Return the README's best z-sum for a set.

    With a pool in front (MemDaily) words and character bigrams share half a vote and dates are left out; with an
    assistant's long messages (BEAM) BM25 has half a vote and the user's turns a prior; where questions share no word
    with the answer (paraphrase) e5 votes alone; elsewhere BM25, with the date in its field, and e5 vote alike.
    """
    if name.startswith("paraphrase"):
        return Recipe(words=0.0)
    if pool:
        return Recipe(words=0.25, bigrams=0.25, dates=False)
    return Recipe(words=0.5, user=1.0) if assistant else Recipe()


class Documents:
    """Indexed documents with their vectors, float32 (n, d); ``behind`` puts them after others that stay as they are."""

    names: list[str]
    words: Bm25
    bigrams: Bm25
    vectors: NDArray[np.float32]
    by_user: NDArray[np.bool_]

    def __init__(
        self,
        documents: Sequence[Document],
        vectors: NDArray[np.float32],
        recipe: Recipe,
        behind: Documents | None = None,
    ) -> None:
        before = behind.names if behind is not None else []
        self.names = [*before, *(document.name for document in documents)]
        texts = [f"{each.text} {each.date}" if recipe.dates and each.date else each.text for each in documents]
        self.words = Bm25([words(text) for text in texts], behind.words if behind else None)
        pairs = [bigrams(text) for text in texts] if recipe.bigrams else [[] for _ in texts]
        self.bigrams = Bm25(pairs, behind.bigrams if behind else None)
        own = np.array([document.by_user for document in documents], bool)
        self.vectors = vectors if behind is None else np.concatenate([behind.vectors, vectors])
        self.by_user = own if behind is None else np.concatenate([behind.by_user, own])


class Baseline:
    """Ranks documents for a question."""

    def __init__(self, documents: Documents, recipe: Recipe) -> None:
        self._documents = documents
        self._recipe = recipe

    def scores(self, question: str, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the score of every document, float64 (n,). A leg without a vote is not computed."""
        documents, recipe = self._documents, self._recipe
        total = recipe.user * documents.by_user.astype(np.float64)
        if recipe.words:
            total += recipe.words * standardised(documents.words.scores(words(question)))
        if recipe.bigrams:
            total += recipe.bigrams * standardised(documents.bigrams.scores(bigrams(question)))
        if recipe.meaning:
            total += recipe.meaning * standardised((documents.vectors @ vector).astype(np.float64))
        return total

    def ranked(self, question: str, vector: NDArray[np.float32], limit: int) -> list[str]:
        """Return the first ``limit`` names, each by its best document; of equals, the earlier first."""
        order = np.argsort(-self.scores(question, vector), kind="stable")
        names: dict[str, None] = {}
        for place in order.tolist():
            names.setdefault(self._documents.names[place])
            if len(names) == limit:
                break
        return list(names)

    def strongest(self, question: str, vector: NDArray[np.float32], without: frozenset[str]) -> tuple[float, float]:
        """Return the best BM25 score and the best cosine among the documents not named in ``without``."""
        kept = np.array([name not in without for name in self._documents.names], bool)
        lexical = self._documents.words.scores(words(question))[kept]
        cosine = (self._documents.vectors @ vector)[kept]
        return float(lexical.max(initial=0.0)), float(cosine.max(initial=-1.0))


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the z-scores; zeros where all values are the same."""
    deviation = float(values.std())
    centred: NDArray[np.float64] = values - values.mean()
    return centred / deviation if deviation > 1e-9 else centred * 0.0
