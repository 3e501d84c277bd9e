"""Turns and segments in ``log.db``: writing them once, reading them back byte for byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from homeagent.errors import InputError
from homeagent.memory.store.records import ChatRow, Moment, SegmentRow, TurnRow
from homeagent.memory.store.sqlite.codec import INLINE_BYTES, blob_data, decode, encode, store_blob
from homeagent.memory.turn import Attachment, Place, Role, Segment, Status, Turn, TurnId

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from homeagent.memory.store.records import EntryKind

__all__ = [
    "chat_list",
    "chat_rows",
    "external_turn",
    "find_turn",
    "insert_closing",
    "insert_segment",
    "insert_turn",
    "new_entry",
    "newest_rows",
    "segment_page",
    "segment_rows",
    "turn_row",
    "turn_rows",
]

_TURN = """SELECT t.seq, t.turn_id, t.source, t.external_id, t.channel, t.chat, t.sender, t.members, t.at_us,
    t.offset_minutes, c.status, c.seq FROM turn t LEFT JOIN closing c ON c.turn = t.seq"""
_SEGMENT = """SELECT seq, turn, position, role, text, blob, tool, call_id, arguments, error, plugin, plugin_version,
    cites, no_memory FROM segment"""


def new_entry(connection: sqlite3.Connection, kind: EntryKind, turn: int | None, now_us: int) -> int:
    """Add a line to the log's order and return its seq."""
    cursor = connection.execute("INSERT INTO entry(kind, turn, recorded_us) VALUES (?, ?, ?)", (kind, turn, now_us))
    seq = cursor.lastrowid
    assert seq is not None  # noqa: S101 - sqlite3 gives None only before the first insert
    return seq


def insert_turn(connection: sqlite3.Connection, turn: Turn, turn_id: TurnId, writer: str, now_us: int) -> int:
    """Add the opening of a turn (not its segments) and return its seq."""
    seq = new_entry(connection, "turn", None, now_us)
    at = Moment.of(turn.at) if turn.at is not None else None
    connection.execute(
        "INSERT INTO turn(seq, turn_id, source, external_id, channel, chat, sender, members, at_us, offset_minutes,"
        " writer) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            seq, turn_id, turn.source, turn.external_id, encode(turn.place.channel), encode(turn.place.chat),
            encode(turn.sender), encode(json.dumps(turn.members, ensure_ascii=False)),
            at.microseconds if at else None, at.offset_minutes if at else None, writer,
        ),
    )  # fmt: skip
    return seq


def insert_segment(connection: sqlite3.Connection, turn: int, segment: Segment, now_us: int) -> int:
    """Add the next segment of an open turn and return its seq. Raises `InputError` when the turn is closed."""
    if connection.execute("SELECT 1 FROM closing WHERE turn = ?", (turn,)).fetchone() is not None:
        raise InputError(f"turn {turn}", "is closed and can't change", "Open a new turn with begin()")
    (position,) = connection.execute("SELECT count(*) FROM segment WHERE turn = ?", (turn,)).fetchone()
    data = encode(segment.text)
    blob = _blob(connection, turn, data, now_us) if len(data) > INLINE_BYTES else None
    seq = new_entry(connection, "segment", turn, now_us)
    connection.execute(
        "INSERT INTO segment(seq, turn, position, role, text, blob, tool, call_id, arguments, error, plugin,"
        " plugin_version, cites, no_memory) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            seq, turn, position, segment.role, data if blob is None else None, blob, _optional(segment.tool),
            _optional(segment.call_id), _optional(segment.arguments), segment.error, segment.plugin,
            segment.plugin_version, encode(json.dumps(segment.cites, ensure_ascii=False)), segment.no_memory,
        ),
    )  # fmt: skip
    for place, attachment in enumerate(segment.attachments):
        stored = _blob(connection, turn, attachment.data, now_us)
        connection.execute(
            "INSERT INTO attachment(seq, segment, position, media_type, name, blob) VALUES (?, ?, ?, ?, ?, ?)",
            (
                new_entry(connection, "attachment", turn, now_us), seq, place, attachment.media_type,
                encode(attachment.name), stored,
            ),
        )  # fmt: skip
    return seq


def insert_closing(connection: sqlite3.Connection, turn: int, status: Status, now_us: int) -> int:
    """Close a turn; closing it twice is an error."""
    row = connection.execute("SELECT status FROM closing WHERE turn = ?", (turn,)).fetchone()
    if row is not None:
        raise InputError(f"turn {turn}", f"was closed already as '{row[0]}'", "Open a new turn with begin()")
    seq = new_entry(connection, "closing", turn, now_us)
    connection.execute("INSERT INTO closing(seq, turn, status, at_us) VALUES (?, ?, ?, ?)", (seq, turn, status, now_us))
    return seq


def turn_row(connection: sqlite3.Connection, seq: int) -> TurnRow | None:
    """Return the turn opened at ``seq``."""
    row = connection.execute(f"{_TURN} WHERE t.seq = ?", (seq,)).fetchone()
    return _as_turn(row) if row else None


def external_turn(connection: sqlite3.Connection, source: str, external_id: str) -> TurnRow | None:
    """Return the turn that came from ``source`` under this name."""
    # Without the last condition, that of the index, SQLite reads every turn there is.
    sql = f"{_TURN} WHERE t.source = ? AND t.external_id = ? AND t.external_id <> ''"
    row = connection.execute(sql, (source, external_id)).fetchone()
    return _as_turn(row) if row else None


def find_turn(connection: sqlite3.Connection, name: str, source: str | None) -> list[TurnRow]:
    """Return the turns whose id, or external id (in ``source``, or in any when None), is ``name``."""
    rows = connection.execute(f"{_TURN} WHERE t.turn_id = ?", (name,)).fetchall()
    if not rows and source is not None:
        found = external_turn(connection, source, name)
        return [] if found is None else [found]
    if not rows:
        rows = connection.execute(f"{_TURN} WHERE t.external_id = ? AND t.external_id <> ''", (name,)).fetchall()
    return [_as_turn(row) for row in rows]


def turn_rows(connection: sqlite3.Connection, after: int, limit: int) -> list[TurnRow]:
    """Return up to ``limit`` turns opened after seq ``after``, oldest first."""
    rows = connection.execute(f"{_TURN} WHERE t.seq > ? ORDER BY t.seq LIMIT ?", (after, limit))
    return [_as_turn(row) for row in rows]


def chat_rows(connection: sqlite3.Connection, place: Place, before: int, limit: int) -> list[TurnRow]:
    """Return up to ``limit`` turns of a chat opened before seq ``before``, newest first."""
    rows = connection.execute(
        f"{_TURN} WHERE t.channel = ? AND t.chat = ? AND t.seq < ? ORDER BY t.seq DESC LIMIT ?",
        (encode(place.channel), encode(place.chat), before, limit),
    )
    return [_as_turn(row) for row in rows]


def newest_rows(connection: sqlite3.Connection, before: int, limit: int) -> list[TurnRow]:
    """Return up to ``limit`` turns opened before seq ``before``, newest first."""
    rows = connection.execute(f"{_TURN} WHERE t.seq < ? ORDER BY t.seq DESC LIMIT ?", (before, limit))
    return [_as_turn(row) for row in rows]


def chat_list(connection: sqlite3.Connection) -> list[ChatRow]:
    """Return every chat, the one with the newest turn first."""
    rows = connection.execute(
        "SELECT channel, chat, count(*), min(seq), max(seq) FROM turn GROUP BY channel, chat ORDER BY max(seq) DESC"
    )
    return [ChatRow(Place(decode(channel), decode(chat)), *numbers) for channel, chat, *numbers in rows]


def segment_rows(connection: sqlite3.Connection, where: str, value: int) -> Iterator[SegmentRow]:
    """Yield segments, raw and whole, in order; ``where`` names the column (``turn`` or ``seq``) to look at."""
    for row in connection.execute(f"{_SEGMENT} WHERE {where} = ? ORDER BY position", (value,)).fetchall():
        yield _as_segment(connection, row, _attachments(connection, row[0], row[0]).get(row[0], []))


def segment_page(connection: sqlite3.Connection, after: int, limit: int) -> list[SegmentRow]:
    """Return up to ``limit`` segments of any turn after seq ``after``, in the order of the log."""
    rows = connection.execute(f"{_SEGMENT} WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)).fetchall()
    found = _attachments(connection, rows[0][0], rows[-1][0]) if rows else {}
    return [_as_segment(connection, row, found.get(row[0], [])) for row in rows]


def _attachments(connection: sqlite3.Connection, first: int, last: int) -> dict[int, list[Attachment]]:
    """Return the attachments of the segments between two seqs, by segment."""
    found: dict[int, list[Attachment]] = {}
    for segment, media_type, name, stored in connection.execute(
        "SELECT segment, media_type, name, blob FROM attachment WHERE segment BETWEEN ? AND ?"
        " ORDER BY segment, position",
        (first, last),
    ).fetchall():
        found.setdefault(segment, []).append(Attachment(media_type, blob_data(connection, stored), decode(name)))
    return found


def _blob(connection: sqlite3.Connection, turn: int, data: bytes, now_us: int) -> int:
    seq, fresh = store_blob(connection, _next_seq(connection), data)
    if fresh:
        new_entry(connection, "blob", turn, now_us)
    return seq


def _next_seq(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'entry'").fetchone()
    return (int(row[0]) if row else 0) + 1


def _optional(text: str | None) -> bytes | None:
    return None if text is None else encode(text)


def _as_turn(row: tuple[object, ...]) -> TurnRow:
    seq, turn_id, source, external, channel, chat, sender, members, at_us, offset, status, closed = row
    at = None if at_us is None else Moment(cast("int", at_us), cast("int", offset))
    return TurnRow(
        seq=cast("int", seq),
        turn_id=TurnId(cast("str", turn_id)),
        source=cast("str", source),
        external_id=cast("str", external),
        place=Place(decode(cast("bytes", channel)), decode(cast("bytes", chat))),
        sender=decode(cast("bytes", sender)),
        members=tuple(json.loads(decode(cast("bytes", members)))),
        at=at,
        status=cast("Status", status or "open"),
        closed=cast("int | None", closed),
    )


def _as_segment(connection: sqlite3.Connection, row: tuple[object, ...], attachments: list[Attachment]) -> SegmentRow:
    seq, turn, position, role, text, blob, tool, call_id, arguments, error, plugin, version, cites, hidden = row
    data = cast("bytes", text) if blob is None else blob_data(connection, cast("int", blob))
    segment = Segment(
        role=cast("Role", role),
        text=decode(data),
        tool=_text(tool),
        call_id=_text(call_id),
        arguments=_text(arguments),
        error=bool(error),
        plugin=cast("str", plugin),
        plugin_version=cast("str", version),
        attachments=tuple(attachments),
        cites=tuple(TurnId(cite) for cite in json.loads(decode(cast("bytes", cites)))),
        no_memory=bool(hidden),
    )
    return SegmentRow(cast("int", seq), cast("int", turn), cast("int", position), segment)


def _text(data: object) -> str | None:
    return None if data is None else decode(cast("bytes", data))
