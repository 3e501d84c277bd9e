"""The baseline of each conversation of a set, and vectors of plain texts for it, the honest way.

Only the door makes compute text, and an embedder takes nothing else; so the texts are kept as turns in a memory of
their own, without an embedder, and what its door let through is embedded.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.baseline import Baseline, Documents, recipe_for, unit_document
from bench.homes import fill
from bench.progress import Progress
from bench.turns import place_of
from homeagent.memory import Memory, Segment, Turn
from homeagent.memory.embed import NoEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bench.baseline import Document
    from bench.dialogues import Dialogues
    from bench.vectors import RememberingEmbedder
    from homeagent.memory.compute import ComputeText

__all__ = ["baselines", "document_vectors", "embedded"]

_READ_CHARACTERS: Final = 1000
"""How much of a text its vector stands for. All 512 tokens that e5 can read take twice the time, and on BEAM's long
messages, the only ones that are longer, gain nothing (R@5 50.5, R@10 57.4, against 50.4 and 58.2)."""

_BATCH: Final = 64


def baselines(dialogues: Dialogues, embedder: RememberingEmbedder) -> Iterator[tuple[str, Baseline]]:
    """Yield the id and the baseline of each conversation."""
    pools = {
        name: [unit_document(unit, f"{name}:{unit.id}") for unit in units] for name, units in dialogues.pools.items()
    }
    own = {each.id: [unit_document(unit, unit.id) for unit in each.units] for each in dialogues.conversations}
    every: list[Document] = [document for group in (*pools.values(), *own.values()) for document in group]
    vectors = document_vectors(every, embedder, dialogues.name)
    recipe = recipe_for(dialogues.name, pool=bool(pools), assistant=dialogues.has_assistant())
    at = 0
    behind: dict[str, Documents] = {}
    for name, documents in pools.items():
        behind[name] = Documents(documents, vectors[at : at + len(documents)], recipe)
        at += len(documents)
    for conversation in dialogues.conversations:
        documents = own[conversation.id]
        part = vectors[at : at + len(documents)]
        at += len(documents)
        yield conversation.id, Baseline(Documents(documents, part, recipe, behind.get(conversation.haystack)), recipe)


def document_vectors(documents: Sequence[Document], embedder: RememberingEmbedder, what: str) -> NDArray[np.float32]:
    """Return ``float32, (n, d)``: the vector of each document's text, cut to what the model reads."""
    turns = [
        Turn(place_of("documents"), "bench", (Segment("user", document.text),), external_id=str(at), source="documents")
        for at, document in enumerate(documents)
    ]
    with (
        tempfile.TemporaryDirectory(prefix="homeagent-bench-") as folder,
        Memory.open(folder, embedder=NoEmbedder()) as memory,
    ):
        fill(memory, turns, f"{what}, baseline texts")
        place = {row.seq: int(row.external_id) for row in memory.turns()}
        texts = {place[row.turn]: row.text for row in memory.all_computed()}
    return embedded([texts[at] for at in range(len(documents))], embedder, f"{what}, baseline vectors")


def embedded(texts: Sequence[ComputeText], embedder: RememberingEmbedder, what: str) -> NDArray[np.float32]:
    """Return ``float32, (n, d)``, the vectors of the beginnings of the texts."""
    progress = Progress(what)
    rows: list[NDArray[np.float32]] = []
    for start in range(0, len(texts), _BATCH):
        rows.append(embedder.passages([text.slice(0, _READ_CHARACTERS) for text in texts[start : start + _BATCH]]))
        progress.at(start, len(texts))
    return np.concatenate(rows) if rows else np.empty((0, embedder.dimensions), np.float32)
