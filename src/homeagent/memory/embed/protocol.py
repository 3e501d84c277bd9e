"""What the memory needs of an embedder. It takes what the door let through, and questions, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText, QueryText

__all__ = ["NO_MODEL", "Embedder", "makes_vectors"]

NO_MODEL = "none"
"""The model id of an embedder that makes no vectors."""


class Embedder(Protocol):
    """Turns compute text and questions into vectors that can be compared by their dot product."""

    @property
    def model_id(self) -> str:
        """Name of the model, its weights and its arithmetic; vectors of two ids are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 for an embedder that makes none."""
        ...

    def passages(self, texts: Sequence[ComputeText]) -> NDArray[np.float32]:
        """Return ``float32, (n, dimensions)``, each row L2-normalised, in the order of ``texts``."""
        ...

    def query(self, text: QueryText) -> NDArray[np.float32]:
        """Return ``float32, (dimensions,)``, L2-normalised."""
        ...


def makes_vectors(embedder: Embedder) -> bool:
    """Whether an embedder makes vectors at all; asked without a word to any server."""
    return embedder.model_id != NO_MODEL
