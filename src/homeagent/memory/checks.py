"""What may be kept: checks of turns and segments before anything is written, and small matters of lock files."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from homeagent.errors import HomeError, InputError
from homeagent.memory.store.records import Moment
from homeagent.memory.turn import Role, Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from homeagent.memory.store.records import SegmentRow, TurnRow
    from homeagent.memory.turn import Segment, Turn

__all__ = [
    "check_backup_target",
    "check_closing",
    "check_name",
    "check_segment",
    "check_status",
    "check_turn",
    "same_content",
]

_LONGEST = 900_000_000


def check_turn(turn: Turn) -> None:
    """Raise `InputError` when a turn can't be kept as it is."""
    for name, value in (("source", turn.source), ("external_id", turn.external_id)):
        if not _is_plain(value):
            raise InputError(
                f"turn {value!r}", f"its {name} holds NUL or half a surrogate pair", "Give it a plain name"
            )
    check_status(turn.external_id, turn.status)
    if turn.at is not None:
        try:
            Moment.of(turn.at).datetime()
        except OverflowError as error:
            raise InputError(
                f"turn {turn.external_id!r}", f"happened at {turn.at}, which is no time in UTC", "Leave its time out"
            ) from error
    for segment in turn.segments:
        check_segment(segment)


def check_status(name: str, status: str) -> None:
    """Raise `InputError` for a status that there is not."""
    if status not in get_args(Status):
        raise InputError(f"turn {name!r}", f"has the status {status!r}", f"Use one of {', '.join(get_args(Status))}")


def check_closing(name: str, status: str) -> None:
    """Raise `InputError` for a status that no turn can be closed with."""
    check_status(name, status)
    if status == "open":
        raise InputError(f"turn {name}", "can't be closed as open", "Close it as done, failed or interrupted")


def check_name(what: str, name: str) -> None:
    """Raise `InputError` for a name that no database can hold as text."""
    if not _is_plain(name):
        raise InputError(f"{what} {name!r}", "holds NUL or half a surrogate pair", "Give a plain name")


def _is_plain(value: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" or character == "\0" for character in value)


def check_segment(segment: Segment) -> None:
    """Raise `InputError` when a segment can't be kept as it is."""
    if segment.role not in get_args(Role):
        raise InputError("segment", f"has the role {segment.role!r}", f"Use one of {get_args(Role)}")
    if segment.role == "tool" and not segment.tool:
        raise InputError(
            "segment", "has the role 'tool' and no tool name", "Give the tool's name: it decides the policy"
        )
    media = (attachment.media_type for attachment in segment.attachments)
    plain = (segment.plugin, segment.plugin_version, *media)
    if not all(_is_plain(value) for value in plain):
        raise InputError(
            "segment",
            "its plugin, version or a media type holds NUL or half a surrogate pair",
            "Give a plain name",
        )
    if len(segment.text) > _LONGEST // 4:
        raise InputError("segment", f"holds {len(segment.text):,} characters", "Keep it as an attachment or in parts")
    for attachment in segment.attachments:
        if len(attachment.data) > _LONGEST:
            raise InputError(
                f"attachment {attachment.name!r}", "is larger than 900 MB", "Keep it elsewhere and its path here"
            )


def same_content(turn: Turn, row: TurnRow, segments: Sequence[SegmentRow]) -> bool:
    """Whether a turn says the same as one that is kept: place, people, time and every segment."""
    at = Moment.of(turn.at) if turn.at is not None else None
    return (turn.place, turn.sender, tuple(turn.members), at) == (
        row.place,
        row.sender,
        row.members,
        row.at,
    ) and tuple(turn.segments) == tuple(each.segment for each in segments)


def check_backup_target(target: Path) -> None:
    """Raise `HomeError` when ``target`` is there already or its folder is not."""
    if target.exists():
        raise HomeError(str(target), "is there already", "Name a new file; a backup never overwrites one")
    if not target.parent.is_dir():
        raise HomeError(str(target.parent), "is no folder", "Make it first")
