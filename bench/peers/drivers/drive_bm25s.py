"""bm25s: an index of words a chat, made anew when a chat changes. No vectors; its own tokenizer and stop words."""

from __future__ import annotations

import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING

from bench.peers.drivers.serving import Found, Unit, serve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Words"]


class Words:
    """One index a chat."""

    uses_vectors = False

    def __init__(self, folder: Path, _vectors: str) -> None:
        self.version = version("bm25s")
        self._bm25s = importlib.import_module("bm25s")
        self._folder = folder
        self._units: dict[str, list[Unit]] = {}
        self._index = {"": self._bm25s.BM25()}

    def add(self, chat: str, units: Sequence[Unit]) -> None:
        """Index the chat anew, with these units."""
        every = self._units.setdefault(chat, [])
        every.extend(units)
        index = self._bm25s.BM25()
        tokens = self._bm25s.tokenize([unit.text for unit in every], stopwords="en", show_progress=False)
        index.index(tokens, show_progress=False)
        index.save(str(self._folder / str(len(self._index))), corpus=[unit.text for unit in every])
        self._index[chat] = index

    def ask(self, chat: str, text: str, limit: int) -> list[Found]:
        """Return what is found, best first."""
        tokens = self._bm25s.tokenize([text], stopwords="en", show_progress=False)
        units = self._units[chat]
        places, scores = self._index[chat].retrieve(tokens, k=min(limit, len(units)), show_progress=False)
        best = zip(places[0], scores[0], strict=True)
        return [Found(units[int(place)].id, units[int(place)].text) for place, score in best if score > 0]

    def close(self) -> None:
        """Nothing is left to write."""


if __name__ == "__main__":
    serve(Words)
