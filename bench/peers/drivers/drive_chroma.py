"""Chroma: a collection on the disk, cosine distance, our vectors, a filter for the chat."""

from __future__ import annotations

import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING

from bench.peers.drivers.serving import Found, Unit, embedder, serve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Collection"]

_BATCH = 256


class Collection:
    """One collection for all chats."""

    uses_vectors = True

    def __init__(self, folder: Path, vectors: str) -> None:
        self.version = version("chromadb")
        chromadb = importlib.import_module("chromadb")
        settings = chromadb.config.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(path=str(folder), settings=settings)
        self._embed = embedder(vectors)
        space = {"hnsw": {"space": "cosine"}}
        self._collection = client.create_collection("units", configuration=space, embedding_function=None)

    def add(self, chat: str, units: Sequence[Unit]) -> None:
        """Add documents with the chat, the unit and the date as metadata."""
        for start in range(0, len(units), _BATCH):
            part = units[start : start + _BATCH]
            self._collection.add(
                ids=[f"{chat}\n{unit.id}" for unit in part],
                documents=[unit.text for unit in part],
                embeddings=self._embed([unit.text for unit in part]),
                metadatas=[{"chat": chat, "unit": unit.id, "date": unit.date} for unit in part],
            )

    def ask(self, chat: str, text: str, limit: int) -> list[Found]:
        """Return the nearest documents of the chat."""
        found = self._collection.query(query_embeddings=self._embed([text]), n_results=limit, where={"chat": chat})
        pairs = zip(found["metadatas"][0], found["documents"][0], strict=True)
        return [Found(str(metadata["unit"]), str(document)) for metadata, document in pairs]

    def close(self) -> None:
        """Everything is on the disk."""


if __name__ == "__main__":
    serve(Collection)
