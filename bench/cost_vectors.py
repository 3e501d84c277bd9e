"""Stored synthetic vectors: a long home can be filled in minutes, and its questions are still really embedded."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText, QueryText
    from homeagent.memory.embed import Embedder

__all__ = ["SyntheticEmbedder"]

_ALIKE = 2.0
"""Length of what all vectors share, against the length 1 of what is each one's own: cosines about .8, as e5 has."""


class SyntheticEmbedder:
    """An `Embedder` under another one's name whose passages are pseudo-random; questions go to the other one.

    A home that it filled can be opened with the other one: same model id, same dimensions.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        own = np.random.default_rng(0).standard_normal(inner.dimensions)
        self._shared = _ALIKE * own / np.linalg.norm(own)

    @property
    def model_id(self) -> str:
        """The other one's."""
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        """The other one's."""
        return self._inner.dimensions

    def passages(self, texts: Sequence[ComputeText]) -> NDArray[np.float32]:
        """Return ``float32, (n, dimensions)``, each row L2-normalised and decided by its text alone."""
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            seed = hashlib.blake2b(text.text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            own = np.random.default_rng(int.from_bytes(seed)).standard_normal(self.dimensions)
            rows[row] = self._shared + own / np.linalg.norm(own)
        unit: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return unit

    def query(self, text: QueryText) -> NDArray[np.float32]:
        """Return ``float32, (dimensions,)``, L2-normalised, really embedded."""
        return self._inner.query(text)
