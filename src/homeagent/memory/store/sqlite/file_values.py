"""What stands in a SQLite file, whichever program wrote it there: every value, every index term, old pages too."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import zstandard

from homeagent.memory.store.sqlite.fts_pages import page_terms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["is_database", "stored_terms", "stored_values", "term_holders"]

_HEADER = b"SQLite format 3\0"
_WAL_HEADER = 32
_FRAME_HEADER = 24
_SAID = frozenset(("external_id", "source", "person", "by", "value"))
"""TEXT columns that hold names which people gave."""
_ZSTD = b"\x28\xb5\x2f\xfd"


def is_database(path: Path) -> bool:
    """Whether a file begins as a SQLite database does."""
    with path.open("rb") as file:
        return file.read(len(_HEADER)) == _HEADER


def stored_values(path: Path) -> Iterator[tuple[str, bytes, bool]]:
    """Yield (``table.column``, bytes, whether it is plain text of the program) of every value but numbers.

    Text is given as UTF-8; what was compressed is given as it was before. Values that the program itself chooses
    (kinds, decisions, fingerprints, the schema) are marked: this database keeps what people say as BLOBs.
    """
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        rows = connection.execute("SELECT name, coalesce(sql, '') FROM sqlite_schema").fetchall()
        for name, sql in rows:
            yield "sqlite_schema.sql", bytes(sql), True
            yield "sqlite_schema.name", bytes(name), True
        tables = [bytes(name).decode() for name, sql in rows if re.match(rb"(?i)create (virtual )?table", bytes(sql))]
        virtual = {bytes(name).decode() for name, sql in rows if b"using fts5" in bytes(sql).lower()}
        for table in tables:
            said = table in virtual or any(table.startswith(f"{name}_") for name in virtual)
            info = connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall()
            own = {bytes(name).decode() for name, kind in info if kind == b"TEXT" and not said} - _SAID
            cursor = connection.execute(f'SELECT * FROM "{table}"')
            columns = [column for column, *_ in cursor.description]
            for row in cursor:
                for column, value in zip(columns, row, strict=True):
                    if isinstance(value, bytes):
                        yield f"{table}.{column}", _unpacked(value), column in own


def _unpacked(value: bytes) -> bytes:
    if not value.startswith(_ZSTD):
        return value
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(value)
    except zstandard.ZstdError:
        return value


def stored_terms(path: Path) -> set[str]:
    """Return every term of the full-text tables, and every term that any page of the file or its WAL still holds.

    In a page a term is shortened by what it shares with the one before it, so a search for its bytes misses it.
    """
    found: set[str] = set()
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name FROM sqlite_schema WHERE sql LIKE '%using fts5%'").fetchall()
        for (table,) in rows:
            connection.execute(f'CREATE VIRTUAL TABLE temp."{table}_now" USING fts5vocab(main, "{table}", row)')
            found.update(term for (term,) in connection.execute(f'SELECT term FROM temp."{table}_now"'))
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    if rows:
        for page in _pages(path, size):
            found.update(page_terms(page))
    return found


def term_holders(path: Path, term: str) -> set[int]:
    """Return the turns whose passages the full-text index finds by ``term`` in any column."""
    with closing(sqlite3.connect(path)) as connection:
        quoted = '"' + term.replace('"', '""') + '"'
        rows = connection.execute(
            "SELECT turn FROM passage WHERE passage IN (SELECT rowid FROM terms WHERE terms MATCH ?)", (quoted,)
        )
        return {turn for (turn,) in rows}


def _pages(path: Path, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        while page := file.read(size):
            yield page
    wal = path.with_name(path.name + "-wal")
    if wal.exists():
        with wal.open("rb") as file:
            file.read(_WAL_HEADER)
            while frame := file.read(_FRAME_HEADER + size):
                yield frame[_FRAME_HEADER:]
