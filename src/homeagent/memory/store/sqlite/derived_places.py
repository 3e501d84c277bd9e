"""Chats, audiences and the scopes they make, in ``derived.db``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from homeagent.memory.store.protocols import Scope, Shares
from homeagent.memory.store.sqlite.codec import decode, encode

if TYPE_CHECKING:
    import sqlite3

    from homeagent.memory.store.records import IndexedTurn

__all__ = ["is_elsewhere", "prune", "put_places", "scopes"]


def put_places(connection: sqlite3.Connection, turn: IndexedTurn, scope: Scope) -> None:
    """Name the chat, the audience and the scope of a turn, where they are not named yet."""
    connection.execute(
        "INSERT OR IGNORE INTO chat(chat, channel, name) VALUES (?, ?, ?)",
        (turn.chat, encode(turn.place.channel), encode(turn.place.chat)),
    )
    connection.execute(
        "INSERT OR IGNORE INTO audience(audience, channel, members, shared) VALUES (?, ?, ?, ?)",
        (
            scope.audience,
            encode(scope.channel),
            encode(json.dumps(scope.members, ensure_ascii=False)),
            encode(json.dumps([scope.shared.persons, scope.shared.chats], ensure_ascii=False)),
        ),
    )
    connection.execute(
        "INSERT OR IGNORE INTO scope(scope, chat, audience) VALUES (?, ?, ?)", (turn.scope, scope.chat, scope.audience)
    )


def scopes(connection: sqlite3.Connection) -> list[tuple[int, Scope]]:
    """Return every scope: its id, chat and audience."""
    rows = connection.execute(
        "SELECT s.scope, s.chat, s.audience, a.channel, a.members, a.shared"
        " FROM scope s JOIN audience a ON a.audience = s.audience ORDER BY s.scope"
    )
    return [
        (scope, Scope(chat, audience, decode(channel), tuple(json.loads(decode(members))), _shares(shared)))
        for scope, chat, audience, channel, members, shared in rows
    ]


def _shares(data: bytes) -> Shares:
    persons, chats = json.loads(decode(data))
    return Shares(tuple(persons), tuple(chats))


def is_elsewhere(connection: sqlite3.Connection, turn: IndexedTurn) -> bool:
    """Whether a turn is indexed now under another scope: it has been shared since, or is shared no longer."""
    row = connection.execute("SELECT scope FROM turn WHERE seq = ?", (turn.seq,)).fetchone()
    return row is not None and row[0] != turn.scope


def prune(connection: sqlite3.Connection) -> None:
    """Take away the scopes, audiences and chats that no turn has."""
    connection.execute("DELETE FROM scope WHERE scope NOT IN (SELECT scope FROM turn)")
    connection.execute("DELETE FROM audience WHERE audience NOT IN (SELECT audience FROM scope)")
    connection.execute("DELETE FROM chat WHERE chat NOT IN (SELECT chat FROM turn)")
