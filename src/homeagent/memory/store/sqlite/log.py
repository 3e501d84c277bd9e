"""The log as a SQLite file: appended to, read, never changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from homeagent.memory.store.records import Entry, TurnRow
from homeagent.memory.store.sqlite import log_erasures, log_events, log_turns, room
from homeagent.memory.store.sqlite.codec import decode, encode
from homeagent.memory.store.sqlite.database import Database
from homeagent.memory.store.sqlite.log_digest import raw_digest
from homeagent.memory.store.sqlite.log_schema import LOG_SCHEMA

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from homeagent.memory.store.records import (
        ChatRow,
        Doomed,
        IdentityRow,
        OutcomeRow,
        PolicyRow,
        SegmentRow,
        ShareRow,
        WriteRow,
    )
    from homeagent.memory.turn import Place, Segment, Status, Turn, TurnId

__all__ = ["SqliteLog"]

_PAGE = 500
_CHAT_PAGE = 50


def _wall_us() -> int:
    return time.time_ns() // 1000


class SqliteLog:
    """`homeagent.memory.store.protocols.LogStore` on one SQLite file.

    ``clock`` gives microseconds since 1970; it only labels rows, the order of the log is its ``seq``.
    """

    def __init__(self, path: Path, clock: Callable[[], int] = _wall_us) -> None:
        self._database = Database(path, LOG_SCHEMA)
        self._clock = clock

    def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        """Make everything written inside the block one commit."""
        return self._database.write()

    def snapshot(self) -> AbstractContextManager[sqlite3.Connection]:
        """Let everything this thread reads inside the block be of one moment."""
        return self._database.snapshot()

    def open_turn(self, turn: Turn, turn_id: TurnId, writer: str) -> int:
        """Add the opening of a turn and whatever segments it already has; return its seq."""
        with self._database.write() as connection:
            seq = log_turns.insert_turn(connection, turn, turn_id, writer, self._clock())
            for segment in turn.segments:
                log_turns.insert_segment(connection, seq, segment, self._clock())
            return seq

    def append_segment(self, turn: int, segment: Segment) -> int:
        """Add the next segment of an open turn; return its seq."""
        with self._database.write() as connection:
            return log_turns.insert_segment(connection, turn, segment, self._clock())

    def close_turn(self, turn: int, status: Status) -> int:
        """Close a turn for good; return the seq of the closing."""
        with self._database.write() as connection:
            return log_turns.insert_closing(connection, turn, status, self._clock())

    def turn(self, seq: int) -> TurnRow | None:
        """Return the turn opened at ``seq``, or None."""
        with self._database.read() as connection:
            return log_turns.turn_row(connection, seq)

    def find_external(self, source: str, external_id: str) -> TurnRow | None:
        """Return the turn that came from ``source`` under this name, or None."""
        with self._database.read() as connection:
            return log_turns.external_turn(connection, source, external_id)

    def find(self, name: str, source: str | None = None) -> list[TurnRow]:
        """Return the turns that ``name`` is the id or external id of."""
        with self._database.read() as connection:
            return log_turns.find_turn(connection, name, source)

    def turns(self) -> Iterator[TurnRow]:
        """Yield every turn, oldest first, a page at a time."""
        after = 0
        while True:
            with self._database.read() as connection:
                page = log_turns.turn_rows(connection, after, _PAGE)
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].seq

    def turns_at(self, place: Place) -> Iterator[TurnRow]:
        """Yield the turns of a chat, newest first, a few at a time."""
        before = 2**62
        while True:
            with self._database.read() as connection:
                page = log_turns.chat_rows(connection, place, before, _CHAT_PAGE)
            yield from page
            if len(page) < _CHAT_PAGE:
                return
            before = page[-1].seq

    def newest(self, before: int, limit: int, place: Place | None = None) -> list[TurnRow]:
        """Return up to ``limit`` turns opened before seq ``before``, newest first, of one chat or of all."""
        with self._database.read() as connection:
            if place is None:
                return log_turns.newest_rows(connection, before, limit)
            return log_turns.chat_rows(connection, place, before, limit)

    def chats(self) -> list[ChatRow]:
        """Return every chat, the one with the newest turn first."""
        with self._database.read() as connection:
            return log_turns.chat_list(connection)

    def open_turns(self) -> list[tuple[int, str]]:
        """Return seq and writer of every turn that nobody has closed."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT t.seq, t.writer FROM turn t LEFT JOIN closing c ON c.turn = t.seq WHERE c.seq IS NULL"
            )
            return [(seq, writer) for seq, writer in rows]

    def segments(self, turn: int) -> list[SegmentRow]:
        """Return the raw segments of a turn, in order."""
        with self._database.read() as connection:
            return list(log_turns.segment_rows(connection, "turn", turn))

    def all_segments(self) -> Iterator[SegmentRow]:
        """Yield every raw segment in the order of the log, a page at a time."""
        after = 0
        while True:
            with self._database.read() as connection:
                page = log_turns.segment_page(connection, after, _PAGE)
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].seq

    def segment(self, seq: int) -> SegmentRow | None:
        """Return one raw segment, or None when it is not there (any more)."""
        with self._database.read() as connection:
            return next(log_turns.segment_rows(connection, "seq", seq), None)

    def entries(self, after: int, limit: int) -> list[Entry]:
        """Return up to ``limit`` lines of the log after ``after``, in commit order."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT seq, kind, turn, recorded_us FROM entry WHERE seq > ? ORDER BY seq LIMIT ?",
                (after, limit),
            )
            return [Entry(*row) for row in rows]

    def last_seq(self) -> int:
        """Return the newest seq; 0 for an empty log."""
        with self._database.read() as connection:
            return int(connection.execute("SELECT coalesce(max(seq), 0) FROM entry").fetchone()[0])

    def segments_of_tools(self, names: Sequence[str]) -> list[tuple[int, int]]:
        """Return (segment seq, turn seq) of every segment of these tools, oldest first."""
        marks = ",".join("?" * len(names))
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT seq, turn FROM segment WHERE tool IN ({marks}) ORDER BY seq",
                tuple(encode(name) for name in names),
            )
            return [(seq, turn) for seq, turn in rows]

    def replies_after(self, place: Place, seq: int) -> list[int]:
        """Return the assistant segments of a chat after ``seq``, of open turns too, oldest first."""
        with self._database.read() as connection:
            return log_events.replies_after(connection, place.channel, place.chat, seq)

    def tool_names(self) -> list[str]:
        """Return the name of every tool that ever produced a segment, sorted."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT DISTINCT tool FROM segment WHERE tool IS NOT NULL")
            return sorted(decode(name) for (name,) in rows)

    def channels(self) -> list[str]:
        """Return the name of every channel a turn came from, sorted."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT DISTINCT channel FROM turn")
            return sorted(decode(name) for (name,) in rows)

    def segments_of_channels(self, names: Sequence[str], *, replies: bool = False) -> list[int]:
        """Return the seq of every segment that came in through these channels, or of the replies, oldest first."""
        marks = ",".join("?" * len(names))
        roles = "('assistant')" if replies else "('user', 'system')"
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT s.seq FROM segment s JOIN turn t ON t.seq = s.turn"
                f" WHERE t.channel IN ({marks}) AND s.role IN {roles} ORDER BY s.seq",
                tuple(encode(name) for name in names),
            )
            return [seq for (seq,) in rows]

    def add_policy(self, row: PolicyRow) -> int:
        """Add a policy event; return its seq."""
        with self._database.write() as connection:
            return log_events.insert_policy(connection, row, self._clock())

    def policies(self) -> list[PolicyRow]:
        """Return every policy event, oldest first."""
        with self._database.read() as connection:
            return log_events.policy_rows(connection)

    def add_identity(self, row: IdentityRow) -> int:
        """Add an identity event; return its seq."""
        with self._database.write() as connection:
            return log_events.insert_identity(connection, row, self._clock())

    def identities(self) -> list[IdentityRow]:
        """Return every identity event, oldest first."""
        with self._database.read() as connection:
            return log_events.identity_rows(connection)

    def add_outcome(self, kind: str, payload: str) -> int:
        """Add an outcome that can't be repeated; return its seq."""
        with self._database.write() as connection:
            return log_events.insert_outcome(connection, kind, payload, self._clock())

    def outcomes(self) -> list[OutcomeRow]:
        """Return every outcome, oldest first."""
        with self._database.read() as connection:
            return log_events.outcome_rows(connection)

    def outcome(self, seq: int) -> OutcomeRow | None:
        """Return the outcome at ``seq``, or None."""
        with self._database.read() as connection:
            return log_events.outcome_row(connection, seq)

    def add_write(self, kind: str, payload: str, turn: int | None = None) -> int:
        """Add something written on purpose, in the turn ``turn`` if any; return its seq."""
        with self._database.write() as connection:
            return log_events.insert_write(connection, kind, turn, payload, self._clock())

    def writes(self) -> list[WriteRow]:
        """Return everything that was written on purpose, oldest first."""
        with self._database.read() as connection:
            return log_events.write_rows(connection)

    def write(self, seq: int) -> WriteRow | None:
        """Return what was written on purpose at ``seq``, or None."""
        with self._database.read() as connection:
            return next(iter(log_events.write_rows(connection, seq)), None)

    def forget(self, turn: int, *, undo: bool = False) -> int:
        """Hide a turn from computation and recall, or take that back; return the seq."""
        with self._database.write() as connection:
            return log_events.insert_forget(connection, turn, undo=undo, now_us=self._clock())

    def forgotten(self) -> frozenset[int]:
        """Return the seqs of the turns that are forgotten now."""
        with self._database.read() as connection:
            return log_events.forgotten_turns(connection)

    def erase(self, doomed: Doomed, by: str) -> int:
        """Delete rows for good and leave a tombstone; return its seq. Call `compact` afterwards."""
        with self._database.write() as connection:
            return log_erasures.erase_rows(connection, doomed, by, self._clock())

    def erase_in_copy(self, path: Path, turns: Sequence[TurnId], doomed: Doomed, by: str) -> int:
        """Delete the same rows from a copy of the log, if they are the same there; return how many it held."""
        with self._database.read() as connection:
            recorded = log_erasures.stamps(connection, doomed)
        return log_erasures.erase_in_copy(path, turns, doomed, recorded, by, self._clock())

    def erasers(self) -> list[str]:
        """Return who ever erased something: a tombstone says when and who."""
        with self._database.read() as connection:
            return [str(by) for (by,) in connection.execute("SELECT DISTINCT by FROM erasure ORDER BY by")]

    def unfinished_erasures(self) -> list[int]:
        """Return the erasures of which something may be left in some file, oldest first."""
        with self._database.read() as connection:
            return log_erasures.unfinished(connection)

    def finish_erasures(self, erasures: Sequence[int]) -> None:
        """Say that nothing is left of these erasures."""
        with self._database.write() as connection:
            log_erasures.finish(connection, erasures, self._clock())

    def add_share(self, row: ShareRow) -> int:
        """Add that a turn is shared with somebody, or no longer; return its seq."""
        with self._database.write() as connection:
            return log_erasures.insert_share(connection, row, self._clock())

    def shares(self, turn: int) -> list[ShareRow]:
        """Return what was said about sharing a turn, oldest first."""
        with self._database.read() as connection:
            return log_erasures.share_rows(connection, turn)

    def erased(self, erasure: int) -> list[int]:
        """Return the seqs of the rows that an erasure deleted."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT seq FROM erased WHERE erasure = ? ORDER BY seq", (erasure,))
            return [seq for (seq,) in rows]

    def pins(self) -> dict[int, list[tuple[int, int]]]:
        """Return, by segment, the character ranges that erasures keep out of computation."""
        with self._database.read() as connection:
            return log_events.pinned_ranges(connection)

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each kind."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT kind, count(*) FROM entry GROUP BY kind ORDER BY kind")
            return dict(rows.fetchall())

    def layers(self) -> dict[str, int]:
        """Return the bytes that each kind of row takes; empty where SQLite can't tell."""
        with self._database.read() as connection:
            return room.layers(connection, room.LOG_LAYERS, "events")

    def texts(self) -> dict[str, int]:
        """Return the bytes that each tool brought in, the most first; words by their role, in brackets."""
        with self._database.read() as connection:
            return room.texts(connection)

    def digest(self) -> str:
        """Return the raw digest: SHA-256, in hex, over everything said."""
        with self._database.snapshot() as connection:
            return raw_digest(connection)

    def fold(self) -> None:
        """Write what the WAL holds into the file, as far as nobody reads it, and let nobody wait."""
        self._database.fold()

    def compact(self) -> None:
        """Leave nothing of what was erased in free pages or the WAL."""
        self._database.compact()

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy to ``target`` while others go on writing."""
        self._database.copy_to(target)

    def close(self) -> None:
        """Close the file."""
        self._database.close()
