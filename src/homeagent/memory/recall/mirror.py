"""What recall keeps in memory of the computed half: sizes and scopes of passages, and their vectors.

Brought up to date by change numbers, so a long-running process reads only what changed since it last looked.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.vectors import VectorIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from homeagent.memory.store.protocols import DerivedStore

__all__ = ["Mirror", "Size", "Totals"]

_VECTORS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Size:
    """A passage's turn and scope, and how many words and bigrams it is indexed under."""

    turn: int
    scope: int
    words: int
    bigrams: int


@dataclass(slots=True)
class Totals:
    """Sums over passages: their number, their words, their bigrams."""

    passages: int = 0
    words: int = 0
    bigrams: int = 0

    def add(self, size: Size, sign: int) -> None:
        """Count a passage in (1) or out (-1)."""
        self.passages += sign
        self.words += sign * size.words
        self.bigrams += sign * size.bigrams


class Mirror:
    """A disposable copy in memory of one derived store."""

    def __init__(self, derived: DerivedStore, model: str, dimensions: int) -> None:
        self._derived = derived
        self._model = model
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Forget everything; the next `refresh` reads it all."""
        self.sizes: dict[int, Size] = {}
        self.vectors = VectorIndex(self._dimensions)
        self._of_turn: dict[int, list[int]] = {}
        self._totals: dict[int, Totals] = {}
        self._change = -1

    def refresh(self) -> None:
        """Read what changed since the last time."""
        with self._lock:
            if self._change < 0:
                self._change, _ = self._derived.changes(0)
                self._read(None)
                return
            newest, turns = self._derived.changes(self._change)
            if turns:
                self._drop(turns)
                self._read(turns)
                self._change = newest

    def totals(self, scopes: Collection[int] | None) -> Totals:
        """Return the sums over these scopes, or over all."""
        chosen = self._totals.values() if scopes is None else [self._totals[s] for s in scopes if s in self._totals]
        return Totals(
            sum(each.passages for each in chosen), sum(each.words for each in chosen), sum(each.bigrams for each in chosen)
        )

    def passages_of(self, turn: int) -> Sequence[int]:
        """Return the passages of a turn, in order."""
        return self._of_turn.get(turn, ())

    def _drop(self, turns: Iterable[int]) -> None:
        gone: list[int] = []
        for turn in turns:
            for passage in self._of_turn.pop(turn, ()):
                size = self.sizes.pop(passage)
                self._totals[size.scope].add(size, -1)
                gone.append(passage)
        self.vectors.remove([passage for passage in gone if passage in self.vectors])

    def _read(self, turns: Sequence[int] | None) -> None:
        for passage, turn, scope, words, bigrams in self._derived.sizes(turns):
            size = Size(turn, scope, words, bigrams)
            self.sizes[passage] = size
            self._of_turn.setdefault(turn, []).append(passage)
            self._totals.setdefault(scope, Totals()).add(size, 1)
        if not self._dimensions:
            return
        rows: list[tuple[int, int, bytes]] = []
        for row in self._derived.vectors(self._model, turns):
            rows.append(row)
            if len(rows) == _VECTORS_AT_ONCE:
                self._add(rows)
                rows = []
        self._add(rows)

    def _add(self, rows: Sequence[tuple[int, int, bytes]]) -> None:
        known = [row for row in rows if row[0] in self.sizes]
        if known:
            ids = np.array([row[0] for row in known], dtype=np.int64)
            groups = np.array([row[1] for row in known], dtype=np.int64)
            packed = np.frombuffer(b"".join(row[2] for row in known), dtype="<f2")
            self.vectors.add(ids, packed.reshape(len(known), self._dimensions), groups)
