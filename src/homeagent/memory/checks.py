"""What may be kept: checks of turns and segments before anything is written, and small matters of lock files."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, get_args

from homeagent.errors import HomeError, InputError
from homeagent.memory.lease import is_held
from homeagent.memory.turn import Role, Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from homeagent.memory.store.records import SegmentRow, TurnRow
    from homeagent.memory.turn import Segment, Turn

__all__ = ["check_backup_target", "check_segment", "check_turn", "release", "same_content", "sweep"]

_LONGEST = 900_000_000


def check_turn(turn: Turn) -> None:
    """Raise `InputError` when a turn can't be kept as it is."""
    for name, value in (("source", turn.source), ("external_id", turn.external_id)):
        if any("\ud800" <= character <= "\udfff" or character == "\0" for character in value):
            raise InputError(
                f"turn {value!r}", f"its {name} holds NUL or half a surrogate pair", "Give it a plain name"
            )
    if turn.status not in get_args(Status):
        raise InputError(
            f"turn {turn.external_id!r}", f"has the status {turn.status!r}", f"Use one of {get_args(Status)}"
        )
    for segment in turn.segments:
        check_segment(segment)


def check_segment(segment: Segment) -> None:
    """Raise `InputError` when a segment can't be kept as it is."""
    if segment.role not in get_args(Role):
        raise InputError("segment", f"has the role {segment.role!r}", f"Use one of {get_args(Role)}")
    if segment.role == "tool" and not segment.tool:
        raise InputError(
            "segment", "has the role 'tool' and no tool name", "Give the tool's name: it decides the policy"
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
    at = row.at.datetime() if row.at is not None else None
    return (turn.place, turn.sender, tuple(turn.members), turn.at) == (
        row.place,
        row.sender,
        row.members,
        at,
    ) and tuple(turn.segments) == tuple(each.segment for each in segments)


def check_backup_target(target: Path) -> None:
    """Raise `HomeError` when ``target`` is there already or its folder is not."""
    if target.exists():
        raise HomeError(str(target), "is there already", "Name a new file; a backup never overwrites one")
    if not target.parent.is_dir():
        raise HomeError(str(target.parent), "is no folder", "Make it first")


def release(descriptor: int, path: Path) -> None:
    """Let go of a writer's lock file."""
    if descriptor >= 0:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        os.close(descriptor)


def sweep(folder: Path) -> None:
    """Remove the lock files of processes that are gone."""
    for path in folder.glob("*.lock"):
        if not is_held(path):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
