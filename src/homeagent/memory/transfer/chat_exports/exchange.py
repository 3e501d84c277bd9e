"""Putting messages of an exported conversation together to turns: what a person said, and all that came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from homeagent.memory.turn import OWNER, Place, Segment, Turn

if TYPE_CHECKING:
    from datetime import datetime

    from homeagent.memory.turn import Attachment

__all__ = ["Exchange", "file_note", "json_text", "with_attachments"]


@dataclass(slots=True)
class Exchange:
    """A turn in the making; ``ids`` are the names of its messages, in order."""

    ids: list[str] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    at: datetime | None = None

    def add(self, name: str, segments: list[Segment], at: datetime | None) -> None:
        """Add a message."""
        if segments:
            self.ids.append(name)
            self.segments += segments
            self.at = self.at or at

    def turn(self, source: str, chat: str) -> Turn:
        """Return the turn.

        Its name has its chat's in it, because a forked chat repeats the messages of the other, and that of its last
        message, because a later export may know more answers.
        """
        name = "/".join(dict.fromkeys((chat, self.ids[0], self.ids[-1])))
        return Turn(Place(source, chat), OWNER, tuple(self.segments), self.at, source=source, external_id=name)


def file_note(name: str) -> Segment:
    """Return the mark of a file that was sent and is not in the export."""
    return Segment("system", f"[file: {name}]")


def json_text(value: object) -> str | None:
    """Return a value as the JSON text of arguments, None for null."""
    return None if value is None else json.dumps(value, ensure_ascii=False)


def with_attachments(segments: list[Segment], attachments: list[Attachment]) -> list[Segment]:
    """Return the segments, the first with these attachments; a message of files alone gets empty words."""
    if not attachments:
        return segments
    first = segments[0] if segments else Segment("user", "")
    held = Segment(first.role, first.text, attachments=tuple(attachments))
    return [held, *segments[1:]]
