"""What the memory asks of its two stores. SQLite files are one answer; another fits without touching anything else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from homeagent.memory.store.records import NO_CUES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText
    from homeagent.memory.store.records import (
        ChatRow,
        Doomed,
        Entry,
        IdentityRow,
        OutcomeRow,
        OutputCues,
        Passage,
        PolicyRow,
        SegmentRow,
        ShareRow,
        TurnRow,
        WriteRow,
    )
    from homeagent.memory.turn import Place, Segment, Status, Turn, TurnId

__all__ = ["CopySketch", "IndexedPassage", "LogStore", "Scope", "Shares", "chat_key"]

_PAIRS = 65_536


def _key(*parts: str) -> int:
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    data = b"".join(len(part).to_bytes(4) + part for part in encoded)  # a name may hold any separator
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest()) >> 2


def chat_key(place: Place) -> int:
    """Return the number of a chat: the same in every home and after every rebuild."""
    return _key("chat", place.channel, place.chat)


@dataclass(frozen=True, slots=True)
class Shares:
    """With whom a turn was shared on purpose: persons, and chats (by their `chat_key`); both sorted."""

    persons: tuple[str, ...] = ()
    chats: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.persons or self.chats)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a passage was said, in front of whom, and with whom it was shared since: all that visibility depends on."""

    chat: int
    audience: int
    channel: str
    members: tuple[str, ...]
    shared: Shares = Shares()

    @staticmethod
    def of(place: Place, members: Iterable[str], shared: Shares = Shares()) -> Scope:
        """Return the scope of something said at ``place`` in front of ``members`` (ids as the channel gives them)."""
        present = tuple(sorted(set(members)))
        named = _key("audience", place.channel, *present)
        if shared:
            chats = (f"{chat:x}" for chat in shared.chats)
            named = _key("shared", str(named), str(len(shared.persons)), *shared.persons, *chats)
        return Scope(chat_key(place), named, place.channel, present, shared)

    @property
    def key(self) -> int:
        """The number of this scope."""
        return _key("scope", str(self.chat), str(self.audience))

    def terms(self) -> tuple[str, ...]:
        """Return the index terms by which a search is kept to what may be seen: the chats', and the audience's."""
        return chat_term(self.chat), audience_term(self.audience), *map(chat_term, self.shared.chats)


def chat_term(chat: int) -> str:
    """Return the index term of a chat."""
    return f"c{chat:x}"


def audience_term(audience: int) -> str:
    """Return the index term of an audience."""
    return f"a{audience:x}"


@dataclass(frozen=True, slots=True, eq=False)
class CopySketch:
    """What copying from a text would look like, as salted hashes.

    ``runs`` are (gram, context) pairs, ``int64, (n, 2)``, one for every sixth character; ``units`` are whole lines and
    opaque tokens.
    """

    runs: NDArray[np.int64]
    units: tuple[int, ...]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the runs, a part of them at a time made numbers of Python's: a large text has millions."""
        for start in range(0, len(self.runs), _PAIRS):
            yield from map(tuple, self.runs[start : start + _PAIRS].tolist())


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage, the text that is embedded for it, its index terms by column, and the cues of one of an output."""

    passage: Passage
    embedded: ComputeText
    terms: Mapping[str, Sequence[str]]
    cues: OutputCues = NO_CUES


class LogStore(Protocol):
    """The raw half: appended to, read, never changed. Every method is safe to call from several threads."""

    def transaction(self) -> AbstractContextManager[object]:
        """Make everything written inside the block one commit."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """Let everything this thread reads inside the block be of one moment."""
        ...

    def open_turn(self, turn: Turn, turn_id: TurnId, writer: str) -> int:
        """Add the opening of a turn and the segments it already has; return its seq."""
        ...

    def append_segment(self, turn: int, segment: Segment) -> int:
        """Add the next segment of an open turn; return its seq."""
        ...

    def close_turn(self, turn: int, status: Status) -> int:
        """Close a turn for good; return the seq of the closing. Raises `InputError` when it is closed."""
        ...

    def turn(self, seq: int) -> TurnRow | None:
        """Return the turn opened at ``seq``."""
        ...

    def find_external(self, source: str, external_id: str) -> TurnRow | None:
        """Return the turn that came from ``source`` under this name."""
        ...

    def find(self, name: str, source: str | None = None) -> list[TurnRow]:
        """Return the turns that ``name`` is the id or external id of."""
        ...

    def turns(self) -> Iterator[TurnRow]:
        """Yield every turn, oldest first."""
        ...

    def turns_at(self, place: Place) -> Iterator[TurnRow]:
        """Yield the turns of a chat, newest first; only those that are asked for are read."""
        ...

    def newest(self, before: int, limit: int, place: Place | None = None) -> list[TurnRow]:
        """Return up to ``limit`` turns opened before seq ``before``, newest first, of one chat or of all."""
        ...

    def chats(self) -> list[ChatRow]:
        """Return every chat, the one with the newest turn first."""
        ...

    def open_turns(self) -> list[tuple[int, str]]:
        """Return seq and writer of every turn that nobody has closed."""
        ...

    def segments(self, turn: int) -> list[SegmentRow]:
        """Return the raw segments of a turn, in order."""
        ...

    def all_segments(self) -> Iterator[SegmentRow]:
        """Yield every raw segment in the order of the log."""
        ...

    def segment(self, seq: int) -> SegmentRow | None:
        """Return one raw segment."""
        ...

    def entries(self, after: int, limit: int) -> list[Entry]:
        """Return lines of the log after ``after``, in commit order."""
        ...

    def last_seq(self) -> int:
        """Return the newest seq."""
        ...

    def segments_of_tools(self, names: Sequence[str]) -> list[tuple[int, int]]:
        """Return (segment seq, turn seq) of every segment of these tools."""
        ...

    def replies_after(self, place: Place, seq: int) -> list[int]:
        """Return the assistant segments of a chat after ``seq``."""
        ...

    def tool_names(self) -> list[str]:
        """Return the name of every tool that ever produced a segment."""
        ...

    def channels(self) -> list[str]:
        """Return the name of every channel a turn came from."""
        ...

    def segments_of_channels(self, names: Sequence[str], *, replies: bool = False) -> list[int]:
        """Return the seq of every segment that came in through these channels, or of the replies to them."""
        ...

    def add_policy(self, row: PolicyRow) -> int:
        """Add a policy event."""
        ...

    def policies(self) -> list[PolicyRow]:
        """Return every policy event, oldest first."""
        ...

    def add_identity(self, row: IdentityRow) -> int:
        """Add an identity event."""
        ...

    def identities(self) -> list[IdentityRow]:
        """Return every identity event, oldest first."""
        ...

    def add_outcome(self, kind: str, payload: str) -> int:
        """Add an outcome that can't be repeated."""
        ...

    def outcomes(self) -> list[OutcomeRow]:
        """Return every outcome, oldest first."""
        ...

    def outcome(self, seq: int) -> OutcomeRow | None:
        """Return the outcome at ``seq``."""
        ...

    def add_write(self, kind: str, payload: str, turn: int | None = None) -> int:
        """Add something written on purpose, in the turn ``turn`` if any."""
        ...

    def writes(self) -> list[WriteRow]:
        """Return everything that was written on purpose, oldest first."""
        ...

    def write(self, seq: int) -> WriteRow | None:
        """Return what was written on purpose at ``seq``."""
        ...

    def add_share(self, row: ShareRow) -> int:
        """Add that a turn is shared with somebody, or no longer."""
        ...

    def shares(self, turn: int) -> list[ShareRow]:
        """Return what was said about sharing a turn, oldest first."""
        ...

    def forget(self, turn: int, *, undo: bool = False) -> int:
        """Hide a turn from computation and recall, or take that back."""
        ...

    def forgotten(self) -> frozenset[int]:
        """Return the turns that are forgotten now."""
        ...

    def erase(self, doomed: Doomed, by: str) -> int:
        """Delete rows for good and leave a tombstone."""
        ...

    def erase_in_copy(self, path: Path, turns: Sequence[TurnId], doomed: Doomed, by: str) -> int:
        """Delete the same rows from a copy, if they are the same there; return how many it held."""
        ...

    def erasers(self) -> list[str]:
        """Return who ever erased something."""
        ...

    def unfinished_erasures(self) -> list[int]:
        """Return the erasures of which something may be left in some file."""
        ...

    def finish_erasures(self, erasures: Sequence[int]) -> None:
        """Say that nothing is left of these."""
        ...

    def erased(self, erasure: int) -> list[int]:
        """Return the seqs of the rows that an erasure deleted."""
        ...

    def pins(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        """Return, by segment, the ranges that erasures keep out of computation."""
        ...

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each kind."""
        ...

    def layers(self) -> dict[str, int]:
        """Return the bytes that each kind of row takes."""
        ...

    def texts(self) -> dict[str, int]:
        """Return the bytes that each tool brought in."""
        ...

    def digest(self) -> str:
        """Return the raw digest."""
        ...

    def fold(self) -> None:
        """Bring the file itself up to date, where that is put off, and let nobody wait."""
        ...

    def compact(self) -> None:
        """Leave nothing of what was erased in the file."""
        ...

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy to ``target``."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...
