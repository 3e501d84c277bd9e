"""What the commands share: which sets, which embedder, where homes and vectors are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bench.vectors import HashedEmbedder, RememberingEmbedder
from homeagent.memory.embed import NoEmbedder, OfflineEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from bench.data import Sets

__all__ = ["EmbedderName", "Options"]

EmbedderName = Literal["offline", "none", "hashed"]
"""The product's own model, none, or a tiny one for tests."""


@dataclass(frozen=True, slots=True)
class Options:
    """``names`` empty means every set. ``homes`` and ``cache`` None: nothing outlives the run."""

    sets: Sets
    names: tuple[str, ...] = ()
    embedder: EmbedderName = "offline"
    homes: Path | None = None
    cache: Path | None = None

    def new_embedder(self) -> RememberingEmbedder:
        """Return the embedder asked for, remembering what it made."""
        match self.embedder:
            case "offline":
                return RememberingEmbedder(OfflineEmbedder(), self.cache)
            case "hashed":
                return RememberingEmbedder(HashedEmbedder(), self.cache)
            case "none":
                return RememberingEmbedder(NoEmbedder(), self.cache)
