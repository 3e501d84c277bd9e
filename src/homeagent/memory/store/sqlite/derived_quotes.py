"""Salted hashes of what is hidden in a chat, and of what its people wrote themselves, in ``derived.db``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from homeagent.memory.store.protocols import CopySketch

__all__ = ["delete_own", "delete_segments", "delete_sketch", "insert_sketch", "matching_runs", "matching_units"]

_PART = 500


def insert_sketch(connection: sqlite3.Connection, chat: int, segment: int, sketch: CopySketch, *, own: bool) -> None:
    """Remember what copying from this segment would look like; ``own`` when its author may repeat it freely."""
    connection.executemany(
        "INSERT OR IGNORE INTO copied_run(chat, gram, context, segment, own) VALUES (?, ?, ?, ?, ?)",
        ((chat, gram, context, segment, own) for gram, context in sketch.pairs()),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO copied_unit(chat, unit, segment, own) VALUES (?, ?, ?, ?)",
        ((chat, unit, segment, own) for unit in sketch.units),
    )


def delete_sketch(connection: sqlite3.Connection, chat: int, segment: int, sketch: CopySketch) -> None:
    """Take back `insert_sketch`."""
    connection.executemany(
        "DELETE FROM copied_run WHERE chat = ? AND own IN (0, 1) AND gram = ? AND segment = ? AND context = ?",
        ((chat, gram, segment, context) for gram, context in sketch.pairs()),
    )
    connection.executemany(
        "DELETE FROM copied_unit WHERE chat = ? AND own IN (0, 1) AND unit = ? AND segment = ?",
        ((chat, unit, segment) for unit in sketch.units),
    )


def delete_own(connection: sqlite3.Connection, segment: int) -> None:
    """Take back what was remembered of a segment as its author's own words."""
    for table in ("copied_run", "copied_unit"):
        connection.execute(f"DELETE FROM {table} WHERE own = 1 AND segment = ?", (segment,))


def delete_segments(connection: sqlite3.Connection, segments: Sequence[int]) -> None:
    """Take back every sketch of segments that go for good."""
    for table in ("copied_run", "copied_unit"):
        for start in range(0, len(segments), _PART):
            part = segments[start : start + _PART]
            marks = ",".join("?" * len(part))
            connection.execute(f"DELETE FROM {table} WHERE segment IN ({marks})", tuple(part))


def matching_runs(
    connection: sqlite3.Connection, chat: int, grams: Sequence[int], before: int, *, own: bool
) -> list[tuple[int, int, int]]:
    """Return (gram, context, segment) of the grams that segments of the chat before seq ``before`` hold."""
    found: list[tuple[int, int, int]] = []
    for start in range(0, len(grams), _PART):
        part = grams[start : start + _PART]
        marks = ",".join("?" * len(part))
        found += connection.execute(
            f"SELECT gram, context, segment FROM copied_run WHERE chat = ? AND own = ? AND gram IN ({marks})"
            " AND segment < ?",
            (chat, own, *part, before),
        ).fetchall()
    return found


def matching_units(
    connection: sqlite3.Connection, chat: int, units: Sequence[int], before: int, *, own: bool
) -> set[int]:
    """Return those of the units (whole lines, opaque tokens) that segments of the chat before ``before`` hold."""
    found: set[int] = set()
    for start in range(0, len(units), _PART):
        part = units[start : start + _PART]
        marks = ",".join("?" * len(part))
        found.update(
            row[0]
            for row in connection.execute(
                f"SELECT DISTINCT unit FROM copied_unit WHERE chat = ? AND own = ? AND unit IN ({marks})"
                " AND segment < ?",
                (chat, own, *part, before),
            )
        )
    return found
