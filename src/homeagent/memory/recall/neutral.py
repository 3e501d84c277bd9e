"""What an ordinary sentence looks like to a model: the point that vectors are centred on while a memory is small."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.compute import QueryText
from homeagent.memory.recall.score import scoring

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from homeagent.memory.embed.protocol import Embedder

__all__ = ["neutral_key", "neutral_mean", "packed_vector", "unpacked_vector"]


def neutral_key(model: str) -> str:
    """Return the name under which a model's neutral vector is remembered."""
    return f"neutral:{model}"


def neutral_mean(embedder: Embedder) -> NDArray[np.float32]:
    """Return the mean vector of the neutral sentences as questions, ``float32, (dimensions,)``."""
    vectors = [embedder.query(QueryText(sentence)) for sentence in scoring().neutral]
    mean: NDArray[np.float32] = np.mean(vectors, axis=0, dtype=np.float32)
    return mean


def packed_vector(vector: NDArray[np.float32]) -> str:
    """Return a vector as text."""
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def unpacked_vector(text: str) -> NDArray[np.float32]:
    """Return the vector of `packed_vector`."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float32)
