"""mem0 with ``infer=False``: messages kept as they are, Qdrant on the disk, our vectors as an OpenAI-compatible server.

Its client for a language model is made, because it can't be left out, with a key that is none, and never called.
"""

from __future__ import annotations

import importlib
import os
from importlib.metadata import version
from typing import TYPE_CHECKING

from bench.peers.drivers.serving import Found, Unit, embedder, serve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Memories"]


class Memories:
    """A user id a chat."""

    uses_vectors = True

    def __init__(self, folder: Path, vectors: str) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = str(folder)
        self.version = version("mem0ai")
        size = len(embedder(vectors)(["dimensions"])[0])
        served = {"api_key": "none", "openai_base_url": vectors}
        config = {
            "vector_store": {
                "provider": "qdrant",
                "config": {"path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": size},
            },
            "embedder": {"provider": "openai", "config": {**served, "model": "offline", "embedding_dims": size}},
            "llm": {"provider": "openai", "config": {"api_key": "none", "openai_base_url": vectors}},
            "history_db_path": str(folder / "history.db"),
        }
        self._users: dict[str, str] = {}
        self._memory = importlib.import_module("mem0").Memory.from_config(config)

    def add(self, chat: str, units: Sequence[Unit]) -> None:
        """Add the messages of each unit, with its id and date as metadata."""
        for unit in units:
            said = [{"role": message.role, "content": message.content} for message in unit.messages]
            self._memory.add(said, user_id=self._user(chat), metadata={"unit": unit.id, "date": unit.date}, infer=False)

    def ask(self, chat: str, text: str, limit: int) -> list[Found]:
        """Return the nearest memories of the user."""
        found = self._memory.search(text, filters={"user_id": self._user(chat)}, top_k=limit)["results"]
        return [Found(str(each["metadata"]["unit"]), str(each["memory"])) for each in found]

    def close(self) -> None:
        """Everything is on the disk."""

    def _user(self, chat: str) -> str:
        """Return the user id of a chat: it may hold no white space."""
        return self._users.setdefault(chat, f"user{len(self._users):06}")


if __name__ == "__main__":
    serve(Memories)
