"""How many bytes what takes in a database file: by layer, counted in pages, and by tool, counted in text."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Final

from homeagent.memory.store.sqlite.codec import decode

__all__ = ["DERIVED_LAYERS", "LOG_LAYERS", "layers", "texts"]

LOG_LAYERS: Final = {
    "turn": "turns",
    "closing": "turns",
    "segment": "segments",
    "attachment": "attachments",
    "blob": "blobs",
}
"""Which layer a table of ``log.db`` belongs to, by the longest beginning of its name; the rest are events."""

DERIVED_LAYERS: Final = {
    "computed": "compute text",
    "passage": "index",
    "terms": "index",
    "turn": "index",
    "embedded": "index",
    "vector": "vectors",
    "copied": "quotes",
    "document": "documents",
    "fact": "graph",
    "mention": "graph",
    "extracted": "graph",
}
"""The same for ``derived.db``; the rest is bookkeeping."""


def layers(connection: sqlite3.Connection, names: dict[str, str], other: str) -> dict[str, int]:
    """Return the bytes of each layer, its indexes with it; empty where this SQLite has no ``dbstat``."""
    try:
        rows = connection.execute(
            "SELECT coalesce(m.tbl_name, d.name), sum(d.pgsize) FROM dbstat d"
            " LEFT JOIN sqlite_schema m ON m.name = d.name GROUP BY 1"
        ).fetchall()
    except sqlite3.OperationalError:
        return {}
    found: Counter[str] = Counter()
    for table, size in rows:
        known = [layer for start, layer in names.items() if table == start or table.startswith(f"{start}_")]
        found[known[0] if known else other] += size
    return dict(sorted(found.items()))


def texts(connection: sqlite3.Connection) -> dict[str, int]:
    """Return the bytes of text, arguments and attachments that each tool brought in; people and replies by role.

    A text that is stored once for several counts at each of them.
    """
    rows = connection.execute(
        "SELECT s.tool, s.role, sum(coalesce(length(s.text), b.size, 0) + coalesce(length(s.arguments), 0)"
        " + coalesce((SELECT sum(c.size) FROM attachment a JOIN blob c ON c.seq = a.blob WHERE a.segment = s.seq), 0))"
        " FROM segment s LEFT JOIN blob b ON b.seq = s.blob GROUP BY s.tool, s.role"
    )
    found: Counter[str] = Counter()
    for tool, role, size in rows:
        found[decode(tool) if tool is not None else f"({role})"] += size
    return dict(found.most_common())
