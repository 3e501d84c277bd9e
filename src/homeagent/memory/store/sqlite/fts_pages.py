"""Index terms inside raw database pages: pages that were freed or overwritten hold them where no query looks.

The layout is that of SQLite's b-tree leaf pages (sqlite.org/fileformat2.html) and of FTS5's leaves (the comment at the
head of ``fts5_index.c``): two 16-bit numbers, terms with their rowids, and a footer that says where each term begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["index_levels", "page_terms"]

_TABLE_LEAF = 0x0D
_FIRST_PAGE_HEADER = 100
_MAIN = b"0"
"""What FTS5 puts before each term of the index itself."""
_MIN_LEAF = 6
_COOKIE = 4
_SECOND_FORMAT = b"\xff\x00\x00\x01"


def page_terms(page: bytes) -> set[str]:
    """Return the full-text terms that a database page holds; none for a page of another kind or one that is torn."""
    found: set[str] = set()
    start = _FIRST_PAGE_HEADER if page.startswith(b"SQLite format 3\0") else 0
    if len(page) <= start + 8 or page[start] != _TABLE_LEAF:
        return found
    count = int.from_bytes(page[start + 3 : start + 5])
    for number in range(count):
        at = start + 8 + 2 * number
        try:
            for blob in _blobs(page, int.from_bytes(page[at : at + 2])):
                found.update(_leaf_terms(blob))
        except (IndexError, ValueError):
            continue
    return found


def index_levels(structure: bytes) -> int:
    """Return how many levels an FTS5 index has, by its structure record (row 10 of its ``_data`` table).

    Two big-endian numbers of 32 bits, the second only in newer files, then levels and segments as varints.
    """
    at = _COOKIE + (len(_SECOND_FORMAT) if structure[_COOKIE:].startswith(_SECOND_FORMAT) else 0)
    return _varint(structure, at)[0]


def _blobs(page: bytes, at: int) -> Iterator[bytes]:
    """Yield the BLOB values of one table row; a row that goes on in overflow pages gives what stands here."""
    size, at = _varint(page, at)
    _, at = _varint(page, at)
    end = at + size
    header, place = _varint(page, at)
    body = at + header
    while place < at + header:
        kind, place = _varint(page, place)
        length = _length(kind)
        if kind >= 12 and kind % 2 == 0:
            yield page[body : min(body + length, end)]
        body += length


def _length(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2 if kind % 2 == 0 else (kind - 13) // 2
    return (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)[kind]


def _leaf_terms(leaf: bytes) -> Iterator[str]:
    """Yield the terms of an FTS5 leaf; nothing for any other value."""
    size = int.from_bytes(leaf[2:4])
    if not _MIN_LEAF <= size < len(leaf):
        return
    at, place, before = 0, size, b""
    while place < len(leaf):
        step, place = _varint(leaf, place)
        first = at == 0
        at += step
        if not 4 <= at < size:
            return
        shared, body = (0, at) if first else _varint(leaf, at)
        length, body = _varint(leaf, body)
        if shared > len(before) or body + length > size:
            return
        before = before[:shared] + leaf[body : body + length]
        if before[:1] == _MAIN:
            try:
                yield before[1:].decode("utf-8")
            except UnicodeDecodeError:
                return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(8):
        byte = data[at + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    return value << 8 | data[at + 8], at + 9
