"""From the lines of a set to turns of the memory: who speaks, where, who is there, and who asks.

One turn a unit: its speaker is the sender, its date the turn's own time, its conversation the source and a chat of its
own whose members are the speakers. A pool is kept once, in a chat where everybody who asks is present.

**Who asks.** A question must see its own conversation, and the pool where the conversation has one, and nothing of the
others, although all of them lie in one home and "John" or 用户 speaks in many. A chat's own turns are always visible in
that chat; across chats, only what *everybody present* heard. So each question is asked in its conversation's chat, by
the user where the dialogue has one, else by the neutral `OBSERVER`, and always in the observer's presence: he sat in
on the pool and on no other conversation. Nobody's identity has to be invented and nothing is filtered by the bench.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from bench.dates import latest, parse_date
from homeagent.memory import Place, Segment, Turn, Viewer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from bench.data import Conversation, Unit

__all__ = [
    "OBSERVER",
    "USERS",
    "asked_at",
    "conversation_turns",
    "place_of",
    "pool_turns",
    "said_by",
    "unit_turn",
    "viewer_in",
]

OBSERVER: Final = "observer"
"""The sender id of somebody who only asks."""

USERS: Final = frozenset({"user", "用户"})
"""Speakers that are the user of an assistant."""

_ASSISTANTS: Final = frozenset({"assistant", "助手"})
_CHANNEL: Final = "bench"
_UNKNOWN_TIME: Final = datetime(2025, 1, 1, tzinfo=UTC)


def place_of(chat: str) -> Place:
    """Return the chat a conversation or pool is kept in."""
    return Place(_CHANNEL, chat)


def said_by(speaker: str, text: str) -> Segment:
    """Return what a speaker said as a segment: the assistant's role for an assistant, the user's for everybody else."""
    role: Literal["assistant", "user"] = "assistant" if speaker in _ASSISTANTS else "user"
    return Segment(role, text)


def conversation_turns(conversation: Conversation) -> list[Turn]:
    """Return the turns of a conversation, in order."""
    return [unit_turn(unit, conversation.id, conversation.speakers) for unit in conversation.units]


def pool_turns(name: str, units: Sequence[Unit], conversations: Iterable[Conversation]) -> list[Turn]:
    """Return the turns of a pool, heard by its own speakers, by those of the conversations, and by the observer."""
    present = {unit.speaker for unit in units} | {OBSERVER}
    for conversation in conversations:
        present.update(conversation.speakers)
    return [unit_turn(unit, name, tuple(sorted(present))) for unit in units]


def unit_turn(unit: Unit, source: str, members: tuple[str, ...]) -> Turn:
    """Return one unit as a turn."""
    return Turn(
        place_of(source),
        unit.speaker,
        (said_by(unit.speaker, unit.text),),
        at=parse_date(unit.date),
        members=members,
        source=source,
        external_id=unit.id,
    )


def viewer_in(chat: str, speakers: Sequence[str]) -> Viewer:
    """Return who asks about the conversation kept in ``chat``: see the module's words."""
    asker = next((name for name in speakers if name in USERS), OBSERVER)
    return Viewer(asker, place_of(chat), tuple(sorted({*speakers, OBSERVER})))


def asked_at(dates: Iterable[str]) -> datetime:
    """Return the moment of asking: a minute after the last date, or a fixed day when none is known."""
    last = latest(dates)
    return _UNKNOWN_TIME if last is None else last + timedelta(minutes=1)
