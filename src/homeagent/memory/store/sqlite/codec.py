"""Text and blobs as bytes: lossless for every code point, large ones compressed and stored once."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import zstandard

if TYPE_CHECKING:
    import sqlite3

__all__ = ["INLINE_BYTES", "blob_data", "decode", "encode", "store_blob"]

INLINE_BYTES = 32 * 1024
"""Texts of more bytes than this are stored as blobs."""

_WORTH = 0.9


def encode(text: str) -> bytes:
    """Return the text as UTF-8; lone surrogates get the three bytes UTF-8 would give them."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """Return the text of `encode`, code point by code point."""
    return data.decode("utf-8", "surrogatepass")


def store_blob(connection: sqlite3.Connection, new_seq: int, data: bytes) -> tuple[int, bool]:
    """Store ``data`` under ``new_seq`` unless its content is there already; return its seq and whether it is new."""
    digest = hashlib.sha256(data).digest()
    row = connection.execute("SELECT seq FROM blob WHERE sha256 = ?", (digest,)).fetchone()
    if row is not None:
        return int(row[0]), False
    packed = zstandard.ZstdCompressor(level=3).compress(data)
    codec, kept = ("zstd", packed) if len(packed) < len(data) * _WORTH else ("raw", data)
    connection.execute(
        "INSERT INTO blob(seq, sha256, codec, size, data) VALUES (?, ?, ?, ?, ?)",
        (new_seq, digest, codec, len(data), kept),
    )
    return new_seq, True


def blob_data(connection: sqlite3.Connection, seq: int) -> bytes:
    """Return the bytes of blob ``seq`` as they were handed in."""
    codec, size, data = connection.execute("SELECT codec, size, data FROM blob WHERE seq = ?", (seq,)).fetchone()
    if codec == "raw":
        return bytes(data)
    return zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
