"""What recall keeps in memory of the computed half: where passages belong, their sizes, and their vectors.

Brought up to date by change numbers, so a long-running process reads only what changed since it last looked.
"""

from __future__ import annotations

import bisect
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.vectors import VectorIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import Scope
    from homeagent.memory.store.records import PassageSize, TurnOutline

__all__ = ["Mirror", "Totals"]

_VECTORS_AT_ONCE = 4096
_EVERYTHING = -1


@dataclass(slots=True)
class Totals:
    """How many turns have passages, how many pieces of outputs there are, and sums over what is said.

    The sums are of passages, their words and their bigrams. What tools put out is measured by what people say, and does
    not change the measure: pages in another language would make every sentence a long or a short one.
    """

    turns: int = 0
    outputs: int = 0
    passages: int = 0
    words: int = 0
    bigrams: int = 0

    def add(self, size: PassageSize, sign: int) -> None:
        """Count a passage in (1) or out (-1)."""
        if size.output:
            self.outputs += sign
            return
        self.passages += sign
        self.words += sign * size.words
        self.bigrams += sign * size.bigrams


class Lengths:
    """How many words and bigrams each passage is indexed under, as arrays, so that many are looked up at once.

    Passages are numbered in the order of the log: a new one comes at the end, which costs nothing; one in between, of
    an older turn that is indexed anew, moves those behind it.
    """

    def __init__(self) -> None:
        self._count = 0
        self._ids = np.zeros(1024, np.int64)
        self._sizes = np.zeros((3, 1024), np.int32)

    def put(self, passage: int, words: int, bigrams: int, output: bool) -> None:
        """Set the lengths of a passage, and whether it is of a tool's output; -1 takes it out."""
        place = self._count
        if self._count and passage <= self._ids[self._count - 1]:
            place = int(np.searchsorted(self._ids[: self._count], passage))
        if place == self._count or self._ids[place] != passage:
            self._make_room(place)
            self._ids[place] = passage
        self._sizes[:, place] = words, bigrams, output

    def known(self, passages: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of these passages are there, bool (n,)."""
        if not self._count:
            return np.zeros(len(passages), np.bool_)
        places = np.minimum(np.searchsorted(self._ids[: self._count], passages), self._count - 1)
        there: NDArray[np.bool_] = (self._ids[places] == passages) & (self._sizes[0, places] >= 0)
        return there

    def of(self, passages: NDArray[np.int64], column: str) -> NDArray[np.int32]:
        """Return the lengths of known passages in a column, int32 (n,): those of the bigrams, else of the words."""
        places = np.searchsorted(self._ids[: self._count], passages)
        lengths: NDArray[np.int32] = self._sizes[int(column == "bigrams"), places]
        return lengths

    def outputs(self, passages: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of these known passages are of tools' outputs, bool (n,)."""
        there: NDArray[np.bool_] = self._sizes[2, np.searchsorted(self._ids[: self._count], passages)] > 0
        return there

    def _make_room(self, place: int) -> None:
        if self._count == len(self._ids):
            self._ids = np.concatenate((self._ids, np.zeros_like(self._ids)))
            self._sizes = np.concatenate((self._sizes, np.zeros_like(self._sizes)), axis=1)
        self._ids[place + 1 : self._count + 1] = self._ids[place : self._count]
        self._sizes[:, place + 1 : self._count + 1] = self._sizes[:, place : self._count]
        self._count += 1


class Mirror:
    """A disposable copy in memory of one derived store. Threads that recall at once take turns at `refresh`."""

    def __init__(self, derived: DerivedStore, model: str) -> None:
        self._derived = derived
        self._model = model
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Forget everything; the next `refresh` reads it all."""
        self.sizes: dict[int, PassageSize] = {}
        self.lengths = Lengths()
        self.vectors = VectorIndex(0)
        self.scopes: dict[int, Scope] = {}
        self.turns: dict[int, TurnOutline] = {}
        self._of_turn: dict[int, list[int]] = {}
        self._in_chat: dict[int, list[int]] = {}
        self._totals: dict[int, Totals] = {}
        self._speakers: dict[int, set[str]] = {}
        self._sums: dict[int, tuple[NDArray[np.float64], int]] = {}
        self._change = -1

    def refresh(self) -> None:
        """Read what changed since the last time; all of it is of one moment, whoever writes meanwhile."""
        with self._lock, self._derived.snapshot():
            newest, turns = self._derived.changes(max(self._change, 0))
            if self._change >= 0 and not turns:
                return
            if _EVERYTHING in turns:  # a rebuild put another file in place
                self.clear()
            known = self._change >= 0
            if known:
                self._drop(turns)
            self.scopes = dict(self._derived.scopes())
            self._read(turns if known else None)
            self._change = newest

    def totals(self, scopes: Collection[int] | None) -> Totals:
        """Return the sums over these scopes, or over all."""
        chosen = self._totals.values() if scopes is None else [self._totals[s] for s in scopes if s in self._totals]
        return Totals(
            sum(each.turns for each in chosen),
            sum(each.outputs for each in chosen),
            sum(each.passages for each in chosen),
            sum(each.words for each in chosen),
            sum(each.bigrams for each in chosen),
        )

    def vector_total(self, scopes: Collection[int] | None) -> tuple[NDArray[np.float32], int]:
        """Return the sum of the vectors of what is said in these scopes, ``float32, (dimensions,)``, and their number.

        Those of tools' outputs are left out: they would draw the centre from what people talk about to pages and logs.
        """
        total, count = np.zeros(self.vectors.dimensions, np.float64), 0
        for scope, (part, number) in sorted(self._sums.items()):
            if scopes is None or scope in scopes:
                total += part
                count += number
        return total.astype(np.float32), count

    def nearest(self, query: NDArray[np.float32], scopes: Collection[int] | None, limit: int) -> set[int]:
        """Return the ``limit`` passages of what is said in these scopes whose vectors are nearest to ``query``.

        Half as many pieces of outputs come on top: among these alone there may be more than ``limit`` that are nearer.
        """
        chosen = self._totals.keys() if scopes is None else scopes
        if not any(self._totals[scope].outputs for scope in chosen if scope in self._totals):
            allowed = None if scopes is None else [2 * scope for scope in scopes]
            return set(self.vectors.search(query, allowed_groups=allowed, limit=limit).ids.tolist())
        found = (
            self.vectors.search(query, allowed_groups=[2 * scope + output for scope in chosen], limit=wanted)
            for output, wanted in ((0, limit), (1, limit // 2))
        )
        return {passage for hits in found for passage in hits.ids.tolist()}

    def beside(self, turn: int) -> tuple[int, int]:
        """Return the turns before and after ``turn`` in its chat; -1 where there is none."""
        outline = self.turns.get(turn)
        if outline is None:
            return -1, -1
        turns = self._in_chat[self.scopes[outline.scope].chat]
        place = bisect.bisect_left(turns, turn)
        return turns[place - 1] if place else -1, turns[place + 1] if place + 1 < len(turns) else -1

    def beside_each(self, outlines: Iterable[TurnOutline]) -> list[tuple[int, int]]:
        """Return what `beside` does, for each of these turns."""
        found: list[tuple[int, int]] = []
        chats: dict[int, list[int]] = {}
        for outline in outlines:
            seq, turns = outline.seq, chats.get(outline.scope)
            if turns is None:
                turns = chats[outline.scope] = self._in_chat[self.scopes[outline.scope].chat]
            place = bisect.bisect_left(turns, seq)
            after = place + 1
            found.append((turns[place - 1] if place else -1, turns[after] if after < len(turns) else -1))
        return found

    def passages_of(self, turn: int) -> Sequence[int]:
        """Return the passages of a turn, in order."""
        return self._of_turn.get(turn, ())

    def speakers(self, scopes: Collection[int] | None) -> set[str]:
        """Return who speaks in these scopes, or in all."""
        chosen = self._speakers if scopes is None else scopes & self._speakers.keys()
        return {speaker for scope in chosen for speaker in self._speakers[scope]}

    def _drop(self, turns: Iterable[int]) -> None:
        for turn in turns:
            outline = self.turns.pop(turn, None)
            if outline is None:
                continue
            chat = self._in_chat[self.scopes[outline.scope].chat]
            chat.pop(bisect.bisect_left(chat, turn))
            gone = self._of_turn.pop(turn, [])
            if gone:
                self._totals[outline.scope].turns -= 1
            held = [passage for passage in gone if passage in self.vectors]
            for passage, vector in zip(held, self.vectors.vectors_of(held), strict=True):
                if not self.sizes[passage].output:
                    self._sum(self.sizes[passage].scope, -vector.astype(np.float64), -1)
            self.vectors.remove(held)
            for passage in gone:
                size = self.sizes.pop(passage)
                self.lengths.put(passage, -1, -1, size.output)
                self._totals[size.scope].add(size, -1)

    def _read(self, turns: Sequence[int] | None) -> None:
        for outline in self._derived.outlines(turns):
            self.turns[outline.seq] = outline
            bisect.insort(self._in_chat.setdefault(self.scopes[outline.scope].chat, []), outline.seq)
            self._speakers.setdefault(outline.scope, set()).add(outline.sender)
        for size in self._derived.sizes(turns):
            self.sizes[size.passage] = size
            self.lengths.put(size.passage, size.words, size.bigrams, size.output)
            totals = self._totals.setdefault(size.scope, Totals())
            totals.turns += size.turn not in self._of_turn
            self._of_turn.setdefault(size.turn, []).append(size.passage)
            totals.add(size, 1)
        rows: list[tuple[int, int, bytes]] = []
        for row in self._derived.vectors(self._model, turns):
            rows.append(row)
            if len(rows) == _VECTORS_AT_ONCE:
                self._add(rows)
                rows = []
        self._add(rows)

    def _add(self, rows: Sequence[tuple[int, int, bytes]]) -> None:
        known = [row for row in rows if row[0] in self.sizes]
        if not known:
            return
        ids = np.array([row[0] for row in known], dtype=np.int64)
        scopes = np.array([row[1] for row in known], dtype=np.int64)
        output = np.array([self.sizes[row[0]].output for row in known], np.bool_)
        packed = np.frombuffer(b"".join(row[2] for row in known), dtype="<f2").reshape(len(known), -1)
        if not len(self.vectors):
            self.vectors = VectorIndex(packed.shape[1])
        self.vectors.add(ids, packed, 2 * scopes + output)
        for scope in np.unique(scopes[~output]).tolist():
            inside = packed[~output & (scopes == scope)].astype(np.float64)
            self._sum(scope, inside.sum(axis=0), len(inside))

    def _sum(self, scope: int, vector: NDArray[np.float64], count: int) -> None:
        total, number = self._sums.get(scope, (np.zeros(len(vector), np.float64), 0))
        self._sums[scope] = (total + vector, number + count)
