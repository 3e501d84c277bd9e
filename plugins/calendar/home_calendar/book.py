"""What is in the calendar: one SQLite file in the plugin's own folder, written through at every change."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from home_calendar.rules import Repeat

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Book", "Chat", "Entry", "Event", "Waiting"]

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL, chat TEXT NOT NULL,
    title TEXT NOT NULL, wall TEXT NOT NULL, zone TEXT NOT NULL, all_day INTEGER NOT NULL,
    rule TEXT NOT NULL, lunar TEXT NOT NULL, skipped TEXT NOT NULL, remind TEXT NOT NULL,
    reminded TEXT, injection TEXT NOT NULL DEFAULT ''
)"""
_COLUMNS: Final = "number, channel, chat, title, wall, zone, all_day, rule, lunar, skipped, remind, reminded, injection"


class Chat(NamedTuple):
    """Where an event belongs: it is seen, and reminded of, in the chat it was written in and in no other."""

    channel: str
    chat: str


@dataclass(frozen=True, slots=True)
class Event:
    """What is written down: when it happens, and how many minutes before that one is reminded."""

    title: str
    repeat: Repeat
    all_day: bool
    remind: tuple[int, ...]


class Waiting(NamedTuple):
    """The message that waits for an event: its id, and the moment it comes. What came last, when the id is empty."""

    injection: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in the book."""

    number: int
    chat: Chat
    event: Event
    waiting: Waiting


class Book:
    """The events of a home. Make one with `open`; one thread at a time uses it."""

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

    def add(self, chat: Chat, event: Event) -> int:
        """Write an event down; return its number."""
        values = (*chat, *_values(event))
        done = self._database.execute(
            "INSERT INTO events (channel, chat, title, wall, zone, all_day, rule, lunar, skipped, remind)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        return int(done.lastrowid or 0)

    def change(self, number: int, event: Event) -> None:
        """Put another event in its place. What waits for it is forgotten: see `wait`."""
        self._database.execute(
            "UPDATE events SET title = ?, wall = ?, zone = ?, all_day = ?, rule = ?, lunar = ?, skipped = ?,"
            " remind = ?, reminded = NULL, injection = '' WHERE number = ?",
            (*_values(event), number),
        )

    def wait(self, number: int, waiting: Waiting) -> None:
        """Note which message waits for an event."""
        at = waiting.at.isoformat() if waiting.at else None
        self._database.execute(
            "UPDATE events SET injection = ?, reminded = ? WHERE number = ?", (waiting.injection, at, number)
        )

    def remove(self, number: int) -> None:
        """Take an event out."""
        self._database.execute("DELETE FROM events WHERE number = ?", (number,))

    def find(self, chat: Chat, number: int) -> Entry | None:
        """Return an event of a chat by its number."""
        return next((each for each in self.all(chat) if each.number == number), None)

    def all(self, chat: Chat | None = None) -> list[Entry]:
        """Return the events of a chat, or all of them, in the order in which they were written down."""
        rows = self._database.execute(f"SELECT {_COLUMNS} FROM events ORDER BY number")  # noqa: S608 - our own names
        found = [_entry(row) for row in rows]
        return [each for each in found if chat is None or each.chat == chat]


def _values(event: Event) -> tuple[object, ...]:
    repeat = event.repeat
    skipped = sorted(each.isoformat() for each in repeat.skipped)
    return (
        event.title,
        repeat.wall.isoformat(),
        repeat.zone,
        int(event.all_day),
        repeat.rule,
        repeat.lunar,
        json.dumps(skipped),
        json.dumps(event.remind),
    )


def _entry(row: tuple[str, ...]) -> Entry:
    number, channel, chat, title, wall, zone, all_day, rule, lunar, skipped, remind, reminded, injection = row
    left_out = frozenset(datetime.fromisoformat(each) for each in json.loads(skipped))
    repeat = Repeat(datetime.fromisoformat(wall), zone, rule, lunar, left_out)
    event = Event(title, repeat, bool(all_day), tuple(json.loads(remind)))
    waiting = Waiting(injection, datetime.fromisoformat(reminded) if reminded else None)
    return Entry(int(number), Chat(channel, chat), event, waiting)
