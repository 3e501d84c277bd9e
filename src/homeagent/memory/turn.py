"""The raw words of the log: turns, segments, places, attachments. Frozen; text is verbatim and never edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NewType

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "INJECTED",
    "OWNER",
    "Attachment",
    "Place",
    "Role",
    "Segment",
    "Status",
    "Turn",
    "TurnId",
    "Viewer",
    "is_owner",
]

TurnId = NewType("TurnId", str)
"""The id of a turn: the same name for it everywhere in one home."""
Role = Literal["user", "assistant", "tool", "system"]
"""Who speaks in a segment."""
Status = Literal["open", "done", "failed", "interrupted"]
"""How a turn stands: open, or how it ended."""

OWNER: Final = "owner"
"""The person who owns the home; as a sender's id it means him in the home's own channels only (see `is_owner`)."""

INJECTED: Final = "injected"
"""The source of turns that a plugin put in, by a timer for example; their external id is the injection's.

What came in with such a turn is in the name of whose chat it is, and not what he said.
"""

_OWN_CHANNELS: Final = frozenset(("", "cli", "api", "page"))
"""The terminal, the server's own faces, and the empty name for what is said outside of any channel."""


def is_owner(channel: str, sender: str) -> bool:
    """Whether a sender that nobody linked is the owner: who is called so at the terminal or by the server's token.

    In any other channel ids are chosen by strangers, and one who calls himself ``owner`` is a stranger.
    """
    return sender == OWNER and channel in _OWN_CHANNELS


@dataclass(frozen=True, slots=True)
class Place:
    """Where a turn happened: a channel and one chat in it, as the channel names them."""

    channel: str
    chat: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture, a sound or a file that came with a segment; ``data`` is kept byte for byte."""

    media_type: str
    data: bytes
    name: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of a turn.

    ``text`` is verbatim: any code point, lone surrogates and NUL too. ``arguments`` is the JSON text of a tool call's
    arguments exactly as it was sent, or None. ``cites`` are turn ids that a memory tool handed out here.
    ``no_memory`` marks one injected message that enters no computation.
    """

    role: Role
    text: str
    tool: str | None = None
    call_id: str | None = None
    arguments: str | None = None
    error: bool = False
    plugin: str = ""
    plugin_version: str = ""
    attachments: tuple[Attachment, ...] = ()
    cites: tuple[TurnId, ...] = ()
    no_memory: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange: what came in, what was done, what went out.

    ``at`` is the moment it began, with its zone, or None when unknown. ``sender`` and ``members`` are ids as the
    channel gave them. ``external_id`` is its name in ``source`` (an import file, another program).
    """

    place: Place
    sender: str
    segments: tuple[Segment, ...] = field(default=())
    at: datetime | None = None
    members: tuple[str, ...] = ()
    source: str = ""
    external_id: str = ""
    status: Status = "done"


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks, and where: recall shows only what everybody present may see. Ids as the channel gives them."""

    person: str
    place: Place
    members: tuple[str, ...] = ()
