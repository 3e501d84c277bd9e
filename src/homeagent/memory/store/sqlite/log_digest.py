"""The raw digest: one number for everything that was ever said, unmoved by any policy."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

__all__ = ["raw_digest"]

_ROWS = (
    (
        "turn",
        "SELECT seq, turn_id, source, external_id, channel, chat, sender, members, at_us, offset_minutes FROM turn",
    ),
    (
        "segment",
        (
            "SELECT seq, turn, position, role, text, blob, tool, call_id, arguments, error, plugin, plugin_version,"
            " cites, no_memory FROM segment"
        ),
    ),
    ("attachment", "SELECT seq, segment, position, media_type, name, blob FROM attachment"),
    ("blob", "SELECT seq, sha256, codec, size, data FROM blob"),
)


def raw_digest(connection: sqlite3.Connection) -> str:
    """Return the SHA-256, in hex, over the rows of turns, segments, attachments and blobs in seq order.

    Every value goes in with its type and length, so that no two different logs give the same bytes to hash.
    """
    digest = hashlib.sha256()
    cursors = [(name, connection.cursor().execute(f"{sql} ORDER BY seq")) for name, sql in _ROWS]
    heads = [(name, cursor, cursor.fetchone()) for name, cursor in cursors]
    while True:
        waiting = [(row[0], place) for place, (_, _, row) in enumerate(heads) if row is not None]
        if not waiting:
            return digest.hexdigest()
        _, place = min(waiting)
        name, cursor, row = heads[place]
        digest.update(_packed((name, *row)))
        heads[place] = (name, cursor, cursor.fetchone())


def _packed(row: tuple[object, ...]) -> bytes:
    parts = [struct.pack(">I", len(row))]
    for value in row:
        match value:
            case None:
                parts.append(b"n")
            case int():
                parts.append(b"i" + struct.pack(">q", value))
            case str():
                data = value.encode("utf-8", "surrogatepass")
                parts.append(b"s" + struct.pack(">Q", len(data)) + data)
            case bytes():
                parts.append(b"b" + struct.pack(">Q", len(value)) + value)
            case _:
                raise TypeError(f"the log holds no {type(value).__name__}")
    return b"".join(parts)
