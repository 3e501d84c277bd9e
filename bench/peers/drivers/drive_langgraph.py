"""LangGraph's store: a namespace a chat, semantic search with our vectors on the field ``text``.

The SQLite store where this Python's ``sqlite3`` can load the extension that it needs, else the one in memory; the
version says which.
"""

from __future__ import annotations

import importlib
import sqlite3
from importlib.metadata import version
from typing import TYPE_CHECKING

from bench.peers.drivers.serving import Found, Unit, embedder, serve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Store"]


class Store:
    """One store for all chats."""

    uses_vectors = True

    def __init__(self, folder: Path, vectors: str) -> None:
        embed = embedder(vectors)
        self._connection = sqlite3.connect(folder / "store.db", isolation_level=None, check_same_thread=False)
        self._put = importlib.import_module("langgraph.store.base").PutOp
        self._chats: dict[str, str] = {}
        index = {"dims": len(embed(["dimensions"])[0]), "embed": embed, "fields": ["text"]}
        if hasattr(self._connection, "enable_load_extension"):
            self.version = f"{version('langgraph')}, SQLite store {version('langgraph-checkpoint-sqlite')}"
            self._store = importlib.import_module("langgraph.store.sqlite").SqliteStore(self._connection, index=index)
            self._store.setup()
        else:
            self.version = f"{version('langgraph')}, store in memory (this sqlite3 loads no extensions)"
            self._store = importlib.import_module("langgraph.store.memory").InMemoryStore(index=index)

    def add(self, chat: str, units: Sequence[Unit]) -> None:
        """Put an item for each unit."""
        namespace = self._namespace(chat)
        self._store.batch(
            [self._put(namespace, unit.id, {"text": unit.text, "date": unit.date}) for unit in units],
        )

    def ask(self, chat: str, text: str, limit: int) -> list[Found]:
        """Return the nearest items of the namespace."""
        found = self._store.search(self._namespace(chat), query=text, limit=limit)
        return [Found(item.key, item.value["text"]) for item in found]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _namespace(self, chat: str) -> tuple[str, ...]:
        """Return the namespace of a chat: its parts must hold no dot and no prefix of another."""
        return ("chat", self._chats.setdefault(chat, f"n{len(self._chats):06}"))


if __name__ == "__main__":
    serve(Store)
