"""MemPalace: a drawer a unit, a wing a chat, its own search; our vectors as its OpenAI-compatible embedding server."""

from __future__ import annotations

import importlib
import os
from importlib.metadata import version
from typing import TYPE_CHECKING

from bench.peers.drivers.serving import Found, Unit, serve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Palace"]

_ROOM = "dialogue"


class Palace:
    """One palace for all chats."""

    uses_vectors = True

    def __init__(self, folder: Path, vectors: str) -> None:
        os.environ |= {
            "HOME": str(folder),
            "MEMPALACE_CONFIG_DIR": str(folder / "config"),
            "MEMPALACE_PALACE_PATH": str(folder / "palace"),
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": vectors,
            "MEMPALACE_EMBEDDING_API_MODEL": "offline",
        }
        self.version = version("mempalace")
        self._path = str(folder / "palace")
        self._writing = importlib.import_module("mempalace.mcp_server")
        self._search = importlib.import_module("mempalace.searcher").search_memories
        self._wings: dict[str, str] = {}
        self._unit_of: dict[tuple[str, str], str] = {}

    def add(self, chat: str, units: Sequence[Unit]) -> None:
        """File each unit as a drawer, by the tool that an agent files with."""
        for unit in units:
            filed = self._writing.tool_add_drawer(self._wing(chat), _ROOM, unit.text)
            if not filed.get("success"):
                raise RuntimeError(f"tool_add_drawer: {filed}")
            for drawer in (filed["drawer_id"], *filed.get("chunk_ids", ())):
                self._unit_of.setdefault((chat, str(drawer)), unit.id)

    def ask(self, chat: str, text: str, limit: int) -> list[Found]:
        """Return what its search finds in the wing."""
        found = self._search(text, self._path, wing=self._wing(chat), n_results=limit)
        if "error" in found:
            raise RuntimeError(f"search_memories: {found['error']}")
        return [Found(self._unit_of.get((chat, str(hit["drawer_id"])), ""), hit["text"]) for hit in found["results"]]

    def close(self) -> None:
        """Everything is on the disk."""

    def _wing(self, chat: str) -> str:
        return self._wings.setdefault(chat, f"wing{len(self._wings):06}")


if __name__ == "__main__":
    serve(Palace)
