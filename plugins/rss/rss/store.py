"""What is subscribed to, which items have been seen, and what has still to be told: one SQLite file.

That an item is new and that it has to be told is written in one transaction, so that a crash loses none and tells none
twice.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from rss.fetching import Known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rss.feed import Item

__all__ = ["Chat", "Checked", "Store", "Subscription", "Telling"]

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS feeds (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL, chat TEXT NOT NULL, address TEXT NOT NULL, title TEXT NOT NULL, minutes REAL NOT NULL,
    etag TEXT NOT NULL DEFAULT '', modified TEXT NOT NULL DEFAULT '', next_check TEXT,
    failures INTEGER NOT NULL DEFAULT 0, problem TEXT NOT NULL DEFAULT '',
    UNIQUE (channel, chat, address)
);
CREATE TABLE IF NOT EXISTS seen (
    feed INTEGER NOT NULL, item TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (feed, item)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS telling (
    number INTEGER PRIMARY KEY AUTOINCREMENT, feed INTEGER NOT NULL, text TEXT NOT NULL
);
"""
_COLUMNS: Final = "number, channel, chat, address, title, minutes, etag, modified, next_check, failures, problem"
_REMEMBERED: Final = 2_000
"""So many items of a feed that are no longer in it stay known: feeds bring old ones back."""


class Chat(NamedTuple):
    """Where a subscription belongs: its items come there, and it is seen there."""

    channel: str
    chat: str


class Telling(NamedTuple):
    """A message that has still to be put in."""

    number: int
    chat: Chat
    text: str


@dataclass(frozen=True, slots=True)
class Subscription:
    """A feed that a chat gets. ``next_check`` is None when it is gone for good."""

    number: int
    chat: Chat
    address: str
    title: str
    minutes: float
    known: Known
    next_check: datetime | None
    failures: int
    problem: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look at a feed gave, without its items."""

    address: str
    title: str
    known: Known
    next_check: datetime


class Store:
    """The file. Make one with `open`; one thread at a time uses it. Raises ``sqlite3.Error``."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open the file, making it if it is not there."""
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.executescript(_TABLES)
        return cls(database)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def add(self, chat: Chat, checked: Checked, minutes: float, items: Sequence[Item]) -> int:
        """Subscribe a chat to a feed, of which ``items`` are known; return its number."""
        with self._transaction():
            done = self._database.execute(
                "INSERT INTO feeds (channel, chat, address, title, minutes, etag, modified, next_check)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*chat, checked.address, checked.title, minutes, *_stored(checked)),
            )
            number = int(done.lastrowid or 0)
            self._take(number, items)
        return number

    def remove(self, number: int) -> None:
        """End a subscription; nothing of it stays."""
        with self._transaction():
            for table, column in (("feeds", "number"), ("seen", "feed"), ("telling", "feed")):
                self._database.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))  # noqa: S608 - our names

    def all(self, chat: Chat | None = None) -> list[Subscription]:
        """Return the subscriptions of a chat, or of all."""
        rows = self._database.execute(f"SELECT {_COLUMNS} FROM feeds ORDER BY number")  # noqa: S608
        found = [_subscription(row) for row in rows]
        return [each for each in found if chat is None or each.chat == chat]

    def checked(
        self, number: int, checked: Checked, items: Sequence[Item], words: Callable[[Sequence[Item]], str]
    ) -> list[Item]:
        """Note a look at a feed and what is to be told of it; return the items that are new."""
        with self._transaction():
            self._database.execute(
                "UPDATE feeds SET address = ?, title = ?, etag = ?, modified = ?, next_check = ?, failures = 0,"
                " problem = '' WHERE number = ?",
                (checked.address, checked.title, *_stored(checked), number),
            )
            new = self._take(number, items)
            if new:
                self._database.execute("INSERT INTO telling (feed, text) VALUES (?, ?)", (number, words(new)))
        return new

    def failed(self, number: int, problem: str, next_check: datetime | None) -> None:
        """Note that a feed could not be read, and when to try again; None for never."""
        moment = next_check.isoformat() if next_check else None
        self._database.execute(
            "UPDATE feeds SET failures = failures + 1, problem = ?, next_check = ? WHERE number = ?",
            (problem, moment, number),
        )

    def telling(self) -> list[Telling]:
        """Return what has still to be told, the oldest first."""
        rows = self._database.execute(
            "SELECT telling.number, channel, chat, text FROM telling JOIN feeds ON feeds.number = telling.feed"
            " ORDER BY telling.number"
        )
        return [Telling(number, Chat(channel, chat), text) for number, channel, chat, text in rows]

    def told(self, number: int) -> None:
        """Note that something has been told."""
        self._database.execute("DELETE FROM telling WHERE number = ?", (number,))

    def _take(self, number: int, items: Sequence[Item]) -> list[Item]:
        """Note that items were seen; return those that had not been."""
        seen = {item for (item,) in self._database.execute("SELECT item FROM seen WHERE feed = ?", (number,))}
        (last,) = self._database.execute("SELECT coalesce(max(last), 0) FROM seen WHERE feed = ?", (number,)).fetchone()
        self._database.executemany(
            "INSERT INTO seen (feed, item, last) VALUES (?, ?, ?)"
            " ON CONFLICT (feed, item) DO UPDATE SET last = excluded.last",
            [(number, item.id, last + 1) for item in items],
        )
        self._database.execute(
            "DELETE FROM seen WHERE feed = ?1 AND item IN"
            " (SELECT item FROM seen WHERE feed = ?1 AND last <= ?2 ORDER BY last DESC LIMIT -1 OFFSET ?3)",
            (number, last, _REMEMBERED),
        )
        return [item for item in items if item.id not in seen]

    def _transaction(self) -> _Transaction:
        return _Transaction(self._database)


class _Transaction:
    """Begins at once, so that two processes that have the file open don't both find an item new."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._database.execute("ROLLBACK" if kind else "COMMIT")


def _stored(checked: Checked) -> tuple[str, str, str]:
    return checked.known.etag, checked.known.modified, checked.next_check.isoformat()


def _subscription(row: tuple[str, ...]) -> Subscription:
    number, channel, chat, address, title, minutes, etag, modified, next_check, failures, problem = row
    moment = datetime.fromisoformat(next_check) if next_check else None
    known = Known(etag, modified)
    return Subscription(
        int(number), Chat(channel, chat), address, title, float(minutes), known, moment, int(failures), problem
    )
