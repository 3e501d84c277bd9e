"""Vectors of plain texts for the baseline, the honest way: only the door makes compute text.

An embedder takes nothing but `ComputeText`, so the texts are kept as turns in a memory of their own, without an
embedder, and what its door let through is embedded.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.homes import fill
from bench.progress import Progress
from bench.turns import place_of
from homeagent.memory import Memory, Segment, Turn
from homeagent.memory.embed import NoEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bench.baseline import Document
    from bench.vectors import RememberingEmbedder
    from homeagent.memory.compute import ComputeText

__all__ = ["document_vectors", "embedded"]

_READ_CHARACTERS: Final = 4000
"""More than the 512 tokens that e5 reads of a text."""

_BATCH: Final = 64


def document_vectors(
    documents: Sequence[Document], embedder: RememberingEmbedder, what: str
) -> NDArray[np.float32]:
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
