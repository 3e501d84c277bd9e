"""Erasures and shares in ``log.db``: rows that go for good, and the tombstone that lets them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from homeagent.errors import StoreError
from homeagent.memory.store.records import Doomed, ShareRow
from homeagent.memory.store.sqlite.codec import decode, encode
from homeagent.memory.store.sqlite.log_turns import new_entry
from homeagent.memory.turn import Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["erase_in_copy", "erase_rows", "finish", "insert_share", "share_rows", "stamps", "unfinished"]


def erase_rows(connection: sqlite3.Connection, doomed: Doomed, by: str, now_us: int) -> int:
    """Delete raw rows for good, leaving a tombstone that says when and who, and what stays out. Return its seq."""
    seq = new_entry(connection, "erasure", None, now_us)
    stored = json.dumps({str(segment): [list(part) for part in parts] for segment, parts in doomed.pins.items()})
    connection.execute(
        "INSERT INTO erasure(seq, at_us, by, pins) VALUES (?, ?, ?, ?)", (seq, now_us, by, stored.encode())
    )
    turns = f"SELECT value FROM json_each('{json.dumps(doomed.turns)}')"
    segments = f"SELECT value FROM json_each('{json.dumps(doomed.segments)}')"
    writes = f"SELECT value FROM json_each('{json.dumps(doomed.writes)}')"
    parts = f"SELECT seq FROM segment WHERE turn IN ({turns}) OR seq IN ({segments})"
    chosen = {
        "attachment": f"SELECT seq FROM attachment WHERE segment IN ({parts})",
        "segment": parts,
        "closing": f"SELECT seq FROM closing WHERE turn IN ({turns})",
        "forget": f"SELECT seq FROM forget WHERE turn IN ({turns})",
        "share": f"SELECT seq FROM share WHERE turn IN ({turns})",
        "explicit_write": f"SELECT seq FROM explicit_write WHERE turn IN ({turns}) OR seq IN ({writes})",
        "turn": f"SELECT seq FROM turn WHERE seq IN ({turns})",
    }
    for table, rows in chosen.items():
        connection.execute(f"INSERT INTO erased(seq, erasure) SELECT seq, {seq} FROM ({rows})")
        connection.execute(f"DELETE FROM {table} WHERE seq IN (SELECT seq FROM erased WHERE erasure = {seq})")
    _erase_orphan_blobs(connection, seq)
    return seq


def _erase_orphan_blobs(connection: sqlite3.Connection, erasure: int) -> None:
    orphans = (
        "SELECT seq FROM blob WHERE seq NOT IN (SELECT blob FROM segment WHERE blob IS NOT NULL)"
        " AND seq NOT IN (SELECT blob FROM attachment)"
    )
    connection.execute(f"INSERT INTO erased(seq, erasure) SELECT seq, {erasure} FROM ({orphans})")
    connection.execute(f"DELETE FROM blob WHERE seq IN ({orphans})")


def stamps(connection: sqlite3.Connection, doomed: Doomed) -> dict[int, int]:
    """Return when the single rows of ``doomed`` were recorded, by seq: by that a copy knows that they are the same."""
    chosen = json.dumps([*doomed.segments, *doomed.writes, *doomed.pins])
    rows = connection.execute(
        "SELECT seq, recorded_us FROM entry WHERE seq IN (SELECT value FROM json_each(?))", (chosen,)
    )
    return dict(rows.fetchall())


def erase_in_copy(
    path: Path, turns: Sequence[str], doomed: Doomed, recorded: Mapping[int, int], by: str, now_us: int
) -> int:
    """Delete the same rows from a copy of the log (a backup, a file kept before a migration); return how many went.

    Turns are known by their ids, single outputs and writes by their seq and when they were ``recorded``: a copy may
    have gone another way since. Raises `StoreError` when the copy can't be read or written.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=60.0)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("BEGIN IMMEDIATE")
            found = connection.execute(
                "SELECT seq FROM turn WHERE turn_id IN (SELECT value FROM json_each(?))", (json.dumps(list(turns)),)
            ).fetchall()
            here = tuple(seq for (seq,) in found) if doomed.turns else ()
            same = {seq for seq, at in stamps(connection, doomed).items() if recorded.get(seq) == at}
            pins = {seq: parts for seq, parts in doomed.pins.items() if seq in same}
            left = Doomed(here, _among(doomed.segments, same), _among(doomed.writes, same), pins)
            gone = len(left.turns) + len(left.segments) + len(left.writes)
            if gone or pins:
                erase_rows(connection, left, by, now_us)
            connection.execute("COMMIT")
            if gone:
                connection.execute("VACUUM")
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise StoreError(
            str(path),
            f"is a copy of the log that can't be erased from ({error})",
            "Nothing was erased; remove that file, or mend it, and try again",
        ) from error
    return gone


def _among(seqs: Sequence[int], wanted: set[int]) -> tuple[int, ...]:
    return tuple(seq for seq in seqs if seq in wanted)


def unfinished(connection: sqlite3.Connection) -> list[int]:
    """Return the erasures of which something may be left in some file, oldest first."""
    rows = connection.execute("SELECT seq FROM erasure WHERE seq NOT IN (SELECT seq FROM finished) ORDER BY seq")
    return [seq for (seq,) in rows]


def finish(connection: sqlite3.Connection, erasures: Sequence[int], now_us: int) -> None:
    """Say that nothing is left of these erasures."""
    connection.executemany(
        "INSERT INTO finished(seq, at_us) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM finished WHERE seq = ?)",
        ((seq, now_us, seq) for seq in erasures),
    )


def insert_share(connection: sqlite3.Connection, row: ShareRow, now_us: int) -> int:
    """Add that a turn is shared, or no longer; ``row.seq`` is ignored. Return the seq."""
    seq = new_entry(connection, "share", row.turn, now_us)
    place = [row.place.channel, row.place.chat] if row.place is not None else None
    connection.execute(
        "INSERT INTO share(seq, turn, audience, action) VALUES (?, ?, ?, ?)",
        (seq, row.turn, encode(json.dumps([row.person, place], ensure_ascii=False)), row.action),
    )
    return seq


def share_rows(connection: sqlite3.Connection, turn: int) -> list[ShareRow]:
    """Return what was said about sharing a turn, oldest first."""
    found: list[ShareRow] = []
    rows = connection.execute("SELECT seq, audience, action FROM share WHERE turn = ? ORDER BY seq", (turn,))
    for seq, audience, action in rows:
        person, place = json.loads(decode(audience))
        found.append(ShareRow(seq, turn, person, Place(*place) if place is not None else None, action))
    return found
