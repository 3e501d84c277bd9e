"""What the memory asks of the store that holds everything computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from homeagent.memory.store.graph_protocol import GraphStore

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText
    from homeagent.memory.store.protocols import CopySketch, IndexedPassage, Scope
    from homeagent.memory.store.records import Computed, IndexedTurn, Passage, PassageSize, Step, Todo, TurnOutline

__all__ = ["DerivedStore"]


class DerivedStore(GraphStore, Protocol):
    """The computed half: everything in it came through the door and can be made again."""

    @property
    def path(self) -> Path:
        """Where it lives."""
        ...

    def transaction(self) -> AbstractContextManager[object]:
        """Make everything written inside the block one commit."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Let everything this thread reads inside the block be of one moment."""
        ...

    def meta(self, key: str) -> str | None:
        """Return a remembered value."""
        ...

    def set_meta(self, key: str, value: str) -> None:
        """Remember a value."""
        ...

    def queue(self, items: Iterable[Todo]) -> None:
        """Add things to derive."""
        ...

    def todo(self, steps: Sequence[Step], limit: int) -> list[Todo]:
        """Return the oldest things to derive among these steps."""
        ...

    def pending(self) -> dict[str, int]:
        """Return how many things wait, by step."""
        ...

    def finish(self, item: Todo) -> None:
        """Take a thing off the queue."""
        ...

    def put_computed(self, row: Computed) -> None:
        """Store what the door let through of a segment."""
        ...

    def computed(self, segment: int) -> Computed | None:
        """Return what the door let through of a segment."""
        ...

    def computed_of(self, turn: int) -> list[Computed]:
        """Return what the door let through of a turn."""
        ...

    def all_computed(self) -> Iterator[Computed]:
        """Yield every computed row."""
        ...

    def add_sketch(self, chat: int, segment: int, sketch: CopySketch, *, own: bool) -> None:
        """Remember what copying from a segment would look like."""
        ...

    def remove_sketch(self, chat: int, segment: int, sketch: CopySketch) -> None:
        """Take back `add_sketch`."""
        ...

    def matching_runs(self, chat: int, grams: Sequence[int], before: int, *, own: bool) -> list[tuple[int, int, int]]:
        """Return (gram, context, segment) for the grams that earlier segments of the chat hold."""
        ...

    def matching_units(self, chat: int, units: Sequence[int], before: int, *, own: bool) -> set[int]:
        """Return those of the units that earlier segments of the chat hold."""
        ...

    def put_turn(self, turn: IndexedTurn, scope: Scope, items: Sequence[IndexedPassage], fingerprint: str) -> None:
        """Index a turn in place of what was indexed of it before."""
        ...

    def remove_turn(self, seq: int) -> None:
        """Take everything computed from a turn, or a single segment, away."""
        ...

    def remove_own_sketch(self, segment: int) -> None:
        """Take back what was remembered of a segment as the people's or the assistant's own words."""
        ...

    def merge_terms(self) -> bool:
        """Leave no deleted term in the full-text index; say whether there was something to do."""
        ...

    def merge_some(self) -> bool:
        """Do a few milliseconds of what keeps full text quick to search; say whether there may be more to do."""
        ...

    def fold(self) -> None:
        """Bring the file itself up to date, where that is put off, and let nobody wait."""
        ...

    def note_all_changed(self, after: int) -> None:
        """Tell every process that keeps a copy in memory to read everything again; numbers go on after ``after``."""
        ...

    def damages(self) -> list[str]:
        """Return what is wrong inside the full-text index, a sentence each."""
        ...

    def drop_other_vectors(self, model: str) -> None:
        """Delete the vectors of every model but this one."""
        ...

    def turn(self, seq: int) -> IndexedTurn | None:
        """Return an indexed turn."""
        ...

    def turns(self, seqs: Sequence[int]) -> dict[int, IndexedTurn]:
        """Return the indexed turns among ``seqs``."""
        ...

    def outlines(self, turns: Sequence[int] | None) -> list[TurnOutline]:
        """Return what recall keeps in memory of these turns, or of all."""
        ...

    def chat_turns(self, chat: int, around: int, before: int, after: int) -> list[int]:
        """Return turns of a chat before and after ``around``, in order."""
        ...

    def scopes(self) -> list[tuple[int, Scope]]:
        """Return every scope there is."""
        ...

    def passages(self, ids: Sequence[int]) -> dict[int, Passage]:
        """Return the passages with these ids."""
        ...

    def passages_of(self, turns: Sequence[int]) -> list[Passage]:
        """Return the passages of these turns, in order."""
        ...

    def postings(self, column: str, term: str, audience: Sequence[str] | None, limit: int) -> NDArray[np.int64]:
        """Return the visible passages whose ``column`` holds ``term``, newest first."""
        ...

    def term_counts(self, column: str, passages: Sequence[int], terms: Collection[str]) -> dict[int, dict[str, int]]:
        """Return how often each passage holds each of the terms in a column; those it does not hold are left out."""
        ...

    def scope_counts(self) -> dict[int, int]:
        """Return how many passages each scope holds."""
        ...

    def unembedded(self, model: str, turns: Sequence[int]) -> dict[bytes, ComputeText]:
        """Return what these turns need embedded and is not."""
        ...

    def put_vectors(self, model: str, rows: Iterable[tuple[bytes, bytes]], turns: Iterable[int] = ()) -> None:
        """Store vectors by text key; ``turns`` are those that have them now."""
        ...

    def vectors(self, model: str, turns: Sequence[int] | None) -> Iterator[tuple[int, int, bytes]]:
        """Yield (passage, scope, vector) of the embedded passages of these turns, or of all."""
        ...

    def adopt_vectors(self, other: Path, model: str, without: Collection[bytes]) -> None:
        """Take over the vectors that another derived file has for the same texts, but for some keys."""
        ...

    def embedded_text(self, key: bytes) -> ComputeText | None:
        """Return the text that is embedded under ``key``."""
        ...

    def vector_keys(self, model: str) -> list[bytes]:
        """Return the keys of every text that has a vector of this model."""
        ...

    def vector(self, model: str, key: bytes) -> bytes | None:
        """Return one vector."""
        ...

    def changes(self, after: int) -> tuple[int, list[int]]:
        """Return the newest change number, and the turns that changed after ``after``."""
        ...

    def sizes(self, turns: Sequence[int] | None) -> list[PassageSize]:
        """Return what recall keeps of the passages of these turns, or of all, by id."""
        ...

    def layers(self) -> dict[str, int]:
        """Return the bytes that each layer takes."""
        ...

    def put_aside(self, why: str) -> None:
        """Begin an empty store in a damaged one's place."""
        ...

    def replace_by(self, path: Path) -> None:
        """Put a finished file in this one's place."""
        ...

    def compact(self) -> None:
        """Leave nothing of what was deleted in the file."""
        ...

    @property
    def compacted(self) -> bool:
        """Whether nothing that was erased can be left in the file."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...
