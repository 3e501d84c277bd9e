"""The memos on the disk: one SQLite file in the plugin's own folder, written through at every change."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Book", "Chat", "Memo"]

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS memos (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL, chat TEXT NOT NULL,
    text TEXT NOT NULL, written TEXT NOT NULL,
    due TEXT, injection TEXT NOT NULL DEFAULT ''
)"""
_COLUMNS: Final = "number, text, written, due, injection"


class Chat(NamedTuple):
    """Where a memo belongs: it is seen in the chat it was written in and in no other."""

    channel: str
    chat: str


@dataclass(frozen=True, slots=True)
class Memo:
    """One memo. ``due`` is when its reminder comes, ``injection`` the id of the message that waits for it."""

    number: int
    text: str
    written: datetime
    due: datetime | None
    injection: str


class Book:
    """The memos of a home. Make one with `open`; one thread at a time uses it."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    @classmethod
    def open(cls, path: Path) -> Book:
        """Open the file, making it if it is not there. Raises ``sqlite3.Error``."""
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute(_TABLE)
        return cls(database)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def add(self, chat: Chat, text: str, written: datetime) -> Memo:
        """Write a memo down."""
        done = self._database.execute(
            "INSERT INTO memos (channel, chat, text, written) VALUES (?, ?, ?, ?)", (*chat, text, written.isoformat())
        )
        return Memo(int(done.lastrowid or 0), text, written, None, "")

    def find(self, chat: Chat, number: int) -> Memo | None:
        """Return a memo of a chat by its number."""
        row = self._database.execute(
            f"SELECT {_COLUMNS} FROM memos WHERE channel = ? AND chat = ? AND number = ?",  # noqa: S608 - our own names
            (*chat, number),
        ).fetchone()
        return _memo(row) if row else None

    def all(self, chat: Chat) -> list[Memo]:
        """Return the memos of a chat, the newest first."""
        rows = self._database.execute(
            f"SELECT {_COLUMNS} FROM memos WHERE channel = ? AND chat = ? ORDER BY number DESC",  # noqa: S608
            chat,
        )
        return [_memo(row) for row in rows]

    def change(self, number: int, text: str) -> None:
        """Put another text in a memo's place."""
        self._database.execute("UPDATE memos SET text = ? WHERE number = ?", (text, number))

    def remind(self, number: int, due: datetime | None, injection: str) -> None:
        """Note when a memo's reminder comes, and which message waits for it."""
        self._database.execute(
            "UPDATE memos SET due = ?, injection = ? WHERE number = ?",
            (due.isoformat() if due else None, injection, number),
        )

    def remove(self, number: int) -> None:
        """Take a memo out."""
        self._database.execute("DELETE FROM memos WHERE number = ?", (number,))


def _memo(row: tuple[int, str, str, str | None, str]) -> Memo:
    number, text, written, due, injection = row
    return Memo(number, text, datetime.fromisoformat(written), datetime.fromisoformat(due) if due else None, injection)
