"""Taking text out of everything computed at once, and finding the replies that repeat it, in ``derived.db``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from homeagent.memory.store.sqlite import derived_index
from homeagent.memory.store.sqlite.codec import decode

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator, Sequence

    from homeagent.memory.store.sqlite.database import Database

__all__ = ["BLANKED", "DerivedHiding"]

BLANKED = "its policy changed, it waits in the queue"
"""The reason of a computed row whose text was taken out until it is derived again."""

_PART = 400


class DerivedHiding:
    """The part of the derived store that is `homeagent.memory.store.hiding_protocol.HidingStore`."""

    @property
    def _database(self) -> Database:
        raise NotImplementedError

    def blank(self, segments: Collection[int]) -> list[int]:
        """Take the text of these segments out of compute text and of every index; return the turns that had some.

        Facts and document features are the caller's; what copying from the segments looks like stays.
        """
        touched: dict[int, set[int]] = {}
        with self._database.write() as connection:
            for marks, part in _parts(segments):
                rows = connection.execute(
                    f"SELECT segment, turn FROM computed WHERE segment IN ({marks}) AND text <> x''", part
                )
                for segment, turn in rows.fetchall():
                    touched.setdefault(turn, set()).add(segment)
                connection.execute(
                    "UPDATE computed SET text = x'', spans = '[]', decision = 'hidden', reason = ?, fingerprint = ''"
                    f" WHERE segment IN ({marks}) AND text <> x''",
                    (BLANKED, *part),
                )
            keys: set[bytes] = set()
            for turn, hidden in touched.items():
                keys |= _delete_passages(connection, turn, hidden)
                derived_index.note_change(connection, turn)
            derived_index.prune_texts(connection, keys)
        return sorted(touched)

    def copying_runs(self, chat: int, grams: Sequence[int], after: int) -> list[tuple[int, int, int]]:
        """Return (gram, context, segment) of the grams that own words of a chat after seq ``after`` hold."""
        with self._database.read() as connection:
            return connection.execute(
                "SELECT r.gram, r.context, r.segment FROM json_each(?) j CROSS JOIN copied_run r"
                " WHERE r.chat = ? AND r.gram = j.value AND r.own = 1 AND r.segment > ?",
                (json.dumps(grams), chat, after),
            ).fetchall()

    def unit_holders(self, chat: int, units: Sequence[int], *, own: bool) -> list[tuple[int, int]]:
        """Return (unit, segment) for those of the units that segments of the chat hold."""
        with self._database.read() as connection:
            return connection.execute(
                "SELECT u.unit, u.segment FROM json_each(?) j CROSS JOIN copied_unit u"
                " WHERE u.chat = ? AND u.unit = j.value AND u.own = ?",
                (json.dumps(units), chat, own),
            ).fetchall()

    def assistant_segments(self, segments: Collection[int]) -> set[int]:
        """Return those of the segments that are computed as the assistant's words."""
        found: set[int] = set()
        with self._database.read() as connection:
            for marks, part in _parts(segments):
                sql = f"SELECT segment FROM computed WHERE segment IN ({marks}) AND role = 'assistant'"
                found.update(segment for (segment,) in connection.execute(sql, part))
        return found

    def quoting_segments(self) -> set[int]:
        """Return every segment of which something is left out as a quotation."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT segment FROM computed WHERE cuts <> '[]'")
            return {segment for (segment,) in rows}

    def spoken_characters(self) -> dict[tuple[str, str], tuple[int, int, int]]:
        """Return (segments, raw, computed characters) by ("tool", name); by ("channel", name) people's words."""
        with self._database.read() as connection:
            tools = connection.execute(
                "SELECT tool, count(*), sum(raw_length), sum(length(CAST(text AS TEXT)))"
                " FROM computed WHERE role = 'tool' GROUP BY tool"
            ).fetchall()
            channels = connection.execute(
                "SELECT c.channel, count(*), sum(k.raw_length), sum(length(CAST(k.text AS TEXT))) FROM computed k"
                " JOIN turn t ON t.seq = k.turn JOIN chat c ON c.chat = t.chat"
                " WHERE k.role IN ('user', 'system') GROUP BY c.channel"
            ).fetchall()
        found = {("tool", decode(name)): (count, raw, text) for name, count, raw, text in tools}
        found |= {("channel", decode(name)): (count, raw, text) for name, count, raw, text in channels}
        return found


def _delete_passages(connection: sqlite3.Connection, turn: int, hidden: Collection[int]) -> set[bytes]:
    """Delete the passages of a turn that are not wholly from other segments; return the keys of their texts."""
    keys: set[bytes] = set()
    rows = connection.execute("SELECT passage, text_key, spans FROM passage WHERE turn = ?", (turn,)).fetchall()
    for passage, key, spans in rows:
        named = {span[2] for span in json.loads(spans)}
        if named and named.isdisjoint(hidden):
            continue
        connection.execute("DELETE FROM terms WHERE rowid = ?", (passage,))
        connection.execute("DELETE FROM passage WHERE passage = ?", (passage,))
        keys.add(key)
    if keys:
        connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, '1')", (derived_index.UNMERGED,))
    return keys


def _parts(segments: Collection[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the segments a few at a time, each time with as many question marks."""
    wanted = sorted(segments)
    for start in range(0, len(wanted), _PART):
        part = tuple(wanted[start : start + _PART])
        yield ",".join("?" * len(part)), part
