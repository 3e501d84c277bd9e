"""The log's other rows: policies over time, identities, outcomes, forgets, what erasures pinned."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from homeagent.memory.store.records import IdentityRow, OutcomeRow, PolicyRow, WriteRow
from homeagent.memory.store.sqlite.codec import decode, encode
from homeagent.memory.store.sqlite.log_turns import new_entry

if TYPE_CHECKING:
    import sqlite3

__all__ = [
    "forgotten_turns",
    "identity_rows",
    "insert_forget",
    "insert_identity",
    "insert_outcome",
    "insert_policy",
    "insert_write",
    "outcome_row",
    "outcome_rows",
    "pinned_ranges",
    "policy_rows",
    "replies_after",
    "write_rows",
]


def insert_policy(connection: sqlite3.Connection, row: PolicyRow, now_us: int) -> int:
    """Add what was said about a tool's or channel's memory; ``row.seq`` is ignored. Return the seq."""
    seq = new_entry(connection, "policy", None, now_us)
    connection.execute(
        "INSERT INTO policy(seq, kind, name, origin, action, no_memory, cleaner, returns_memory, target)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            seq, row.kind, encode(row.name), row.origin, row.action, row.no_memory, encode(row.cleaner),
            row.returns_memory, encode(row.target),
        ),
    )  # fmt: skip
    return seq


def policy_rows(connection: sqlite3.Connection) -> list[PolicyRow]:
    """Return every policy event, oldest first."""
    rows = connection.execute(
        "SELECT seq, kind, name, origin, action, no_memory, cleaner, returns_memory, target FROM policy ORDER BY seq"
    )
    return [
        PolicyRow(
            seq,
            kind,
            decode(name),
            origin,
            action,
            bool(hidden),
            decode(cleaner),
            bool(returns),
            decode(target),
        )
        for seq, kind, name, origin, action, hidden, cleaner, returns, target in rows
    ]


def insert_identity(connection: sqlite3.Connection, row: IdentityRow, now_us: int) -> int:
    """Add a link between a sender and a person, or take it back. Return the seq."""
    seq = new_entry(connection, "identity", None, now_us)
    connection.execute(
        "INSERT INTO identity(seq, channel, sender, person, action) VALUES (?, ?, ?, ?, ?)",
        (seq, encode(row.channel), encode(row.sender), row.person, row.action),
    )
    return seq


def identity_rows(connection: sqlite3.Connection) -> list[IdentityRow]:
    """Return every identity event, oldest first."""
    rows = connection.execute("SELECT seq, channel, sender, person, action FROM identity ORDER BY seq")
    return [
        IdentityRow(seq, decode(channel), decode(sender), person, action)
        for seq, channel, sender, person, action in rows
    ]


def insert_outcome(connection: sqlite3.Connection, kind: str, payload: str, now_us: int) -> int:
    """Add something that happened once and can't be computed again. Return the seq."""
    seq = new_entry(connection, "outcome", None, now_us)
    connection.execute("INSERT INTO outcome(seq, kind, payload) VALUES (?, ?, ?)", (seq, kind, encode(payload)))
    return seq


def outcome_rows(connection: sqlite3.Connection) -> list[OutcomeRow]:
    """Return every outcome, oldest first."""
    rows = connection.execute("SELECT seq, kind, payload FROM outcome ORDER BY seq")
    return [OutcomeRow(seq, kind, decode(payload)) for seq, kind, payload in rows]


def insert_write(connection: sqlite3.Connection, kind: str, turn: int | None, payload: str, now_us: int) -> int:
    """Add something written on purpose, in the turn ``turn`` if any. Return the seq."""
    seq = new_entry(connection, "write", turn, now_us)
    connection.execute(
        "INSERT INTO explicit_write(seq, kind, turn, payload) VALUES (?, ?, ?, ?)", (seq, kind, turn, encode(payload))
    )
    return seq


def write_rows(connection: sqlite3.Connection, seq: int | None = None) -> list[WriteRow]:
    """Return everything that was written on purpose, or the one at ``seq``, oldest first."""
    rows = connection.execute(
        "SELECT w.seq, w.kind, w.turn, w.payload, e.recorded_us FROM explicit_write w JOIN entry e ON e.seq = w.seq"
        " WHERE ? IS NULL OR w.seq = ? ORDER BY w.seq",
        (seq, seq),
    )
    return [WriteRow(seq, kind, turn, decode(payload), at_us) for seq, kind, turn, payload, at_us in rows]


def outcome_row(connection: sqlite3.Connection, seq: int) -> OutcomeRow | None:
    """Return the outcome at ``seq``, or None."""
    row = connection.execute("SELECT seq, kind, payload FROM outcome WHERE seq = ?", (seq,)).fetchone()
    return OutcomeRow(row[0], row[1], decode(row[2])) if row else None


def insert_forget(connection: sqlite3.Connection, turn: int, *, undo: bool, now_us: int) -> int:
    """Hide a turn from computation and recall, or take that back. Return the seq."""
    seq = new_entry(connection, "forget", turn, now_us)
    connection.execute(
        "INSERT INTO forget(seq, turn, action) VALUES (?, ?, ?)", (seq, turn, "undo" if undo else "forget")
    )
    return seq


def forgotten_turns(connection: sqlite3.Connection) -> frozenset[int]:
    """Return the seqs of turns that are forgotten now."""
    rows = connection.execute(
        "SELECT turn, action FROM forget f WHERE seq = (SELECT max(seq) FROM forget g WHERE g.turn = f.turn)"
    )
    return frozenset(turn for turn, action in rows if action == "forget")


def replies_after(connection: sqlite3.Connection, channel: str, chat: str, seq: int) -> list[int]:
    """Return the assistant segments of a chat after ``seq``, of open turns too, oldest first."""
    rows = connection.execute(
        "SELECT s.seq FROM turn t JOIN segment s ON s.turn = t.seq"
        " WHERE t.channel = ? AND t.chat = ? AND s.role = 'assistant' AND s.seq > ? ORDER BY s.seq",
        (encode(channel), encode(chat), seq),
    )
    return [row[0] for row in rows]


def pinned_ranges(connection: sqlite3.Connection) -> dict[int, list[tuple[int, int]]]:
    """Return, by segment, the character ranges that erasures keep out of computation."""
    ranges: dict[int, list[tuple[int, int]]] = {}
    for (pins,) in connection.execute("SELECT pins FROM erasure ORDER BY seq"):
        for segment, parts in json.loads(pins).items():
            ranges.setdefault(int(segment), []).extend((start, end) for start, end in parts)
    return ranges
