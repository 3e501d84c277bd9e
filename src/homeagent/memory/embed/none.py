"""No vectors: recall works by words, symbols, time and graph alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.embed.protocol import NO_MODEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText, QueryText

__all__ = ["NoEmbedder"]


class NoEmbedder:
    """An `Embedder` that makes no vectors: every array it returns is empty."""

    @property
    def model_id(self) -> str:
        """The name ``none``."""
        return NO_MODEL

    @property
    def dimensions(self) -> int:
        """Length of a vector: 0."""
        return 0

    def passages(self, texts: Sequence[ComputeText]) -> NDArray[np.float32]:
        """Return ``float32, (n, 0)``."""
        import numpy as np

        return np.empty((len(texts), 0), np.float32)

    def query(self, text: QueryText) -> NDArray[np.float32]:  # noqa: ARG002 - the protocol's signature
        """Return ``float32, (0,)``."""
        import numpy as np

        return np.empty(0, np.float32)
