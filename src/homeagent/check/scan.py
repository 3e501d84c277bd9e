"""Looking for a text in the derived database itself, whatever table or full-text shadow table it may have got into.

This reads the file with SQLite and not through the store: a check that asked the store what it holds would believe it.
"""

from __future__ import annotations

import sqlite3
import unicodedata
from typing import TYPE_CHECKING, Final

from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["DerivedText", "compared"]

_LEAST_BYTES: Final = 4
"""A shorter marker may stand in a vector by chance."""


def compared(text: str) -> str:
    """Return a text as the checks compare it: NFKC, case and script folded. Never empty for a text that is not."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return fold_text(plain) or plain


class DerivedText:
    """Every text and blob in a derived database, folded, with the place where it stands."""

    def __init__(self, path: Path) -> None:
        self._texts: list[tuple[str, str]] = []
        self._blobs: list[tuple[str, bytes]] = []
        for place, value in _values(path):
            if isinstance(value, str):
                self._texts.append((place, compared(value)))
                continue
            try:
                self._texts.append((place, compared(value.decode("utf-8", "surrogatepass"))))
            except UnicodeDecodeError:
                self._blobs.append((place, value))

    def places(self, marker: str) -> list[str]:
        """Return the tables and columns where the marker occurs, each once."""
        wanted = compared(marker)
        found = [place for place, text in self._texts if wanted in text]
        data = wanted.encode("utf-8", "surrogatepass")
        if len(data) >= _LEAST_BYTES:
            spellings = {data, marker.encode("utf-8", "surrogatepass")}
            found += [place for place, blob in self._blobs if any(each in blob for each in spellings)]
        return list(dict.fromkeys(found))


def _values(path: Path) -> Iterator[tuple[str, str | bytes]]:
    """Yield every text and blob of every table, shadow tables included, and every term of the full-text tables."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.text_factory = lambda data: data.decode("utf-8", "surrogatepass")
        tables = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        for name, sql in tables:
            cursor = connection.execute(f'SELECT * FROM "{name}"')  # noqa: S608 - a name of the file's own schema
            columns = [column for column, *_ in cursor.description]
            for row in cursor:
                for column, value in zip(columns, row, strict=True):
                    if isinstance(value, (str, bytes)):
                        yield f"{name}.{column}", value
            if "using fts5" in (sql or "").casefold():
                yield from ((f"{name} (term)", term) for term in _terms(connection, name))
    finally:
        connection.close()


def _terms(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    """Yield the terms of a full-text index; in its pages they are shortened against one another."""
    connection.execute("PRAGMA query_only = OFF")
    connection.execute(f'CREATE VIRTUAL TABLE temp."{table}_terms" USING fts5vocab(main, "{table}", row)')
    connection.execute("PRAGMA query_only = ON")
    for (term,) in connection.execute(f'SELECT term FROM temp."{table}_terms"'):  # noqa: S608 - likewise
        yield term
