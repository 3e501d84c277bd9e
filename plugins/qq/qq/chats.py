"""Chats of QQ and who may look into which: ``group:123456`` and ``private:10001``.

A number alone would not say which of the two it is. What was said in one chat is read in that chat, or by the owner
where nobody else reads along; what changes something is the owner's alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from homeagent_sdk import ToolError
from qq.settings import QqSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent_sdk import ToolContext

__all__ = ["CHANNEL", "QqChat", "chat_of_message", "is_owner_alone", "may_look", "number_in", "owner_only", "read_chat"]

CHANNEL: Final = "qq"
"""The name of the channel that this plugin brings."""

_OWN_CHANNELS: Final = ("api", "cli", "page")
_CHAT: Final = re.compile(r"(group|private):([1-9][0-9]{4,19})")


class QqChat(NamedTuple):
    """A group or a private chat, by its number: the group's, or that of the other person."""

    kind: str
    number: int

    @property
    def is_group(self) -> bool:
        """Whether more than two are there."""
        return self.kind == "group"

    def __str__(self) -> str:
        return f"{self.kind}:{self.number}"


def read_chat(text: str, field: str = "chat") -> QqChat:
    """Read ``group:123456`` or ``private:10001``. Raises ``ToolError`` about ``field``."""
    found = _CHAT.fullmatch(text.strip())
    if found is None:
        hint = "Write group:NUMBER or private:NUMBER; qq_list_chats and qq_resolve_name tell the numbers"
        raise ToolError(field, f"{text!r} is no chat of QQ", hint)
    return QqChat(found[1], int(found[2]))


def chat_of_message(message: Mapping[str, object], own: int) -> QqChat:
    """Return the chat that a OneBot message or event is from; ``own`` is the bot's number."""
    if message.get("message_type") == "group":
        return QqChat("group", number_in(message, "group_id"))
    sender = number_in(message, "user_id")
    if sender == own:  # what the bot sent itself names the other person as the target
        return QqChat("private", number_in(message, "target_id") or sender)
    return QqChat("private", sender)


def number_in(found: Mapping[str, object], name: str) -> int:
    """Return a number that an object holds, also as a text; 0 where there is none."""
    value = found.get(name)
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else 0


def is_owner_alone(context: ToolContext) -> bool:
    """Whether the owner asks where nobody else reads along: at the program itself, or in private on QQ."""
    if context.channel in _OWN_CHANNELS:
        return context.person == "owner"
    owner = context.settings(QqSettings).owner
    private = context.chat == str(QqChat("private", owner))
    return context.channel == CHANNEL and owner > 0 and private and context.person == str(owner)


def may_look(context: ToolContext, chat: QqChat, field: str = "chat") -> None:
    """Raise ``ToolError`` when what was said in ``chat`` is not to be told here."""
    if is_owner_alone(context) or (context.channel == CHANNEL and context.chat == str(chat)):
        return
    hint = "Tell the person that only the owner can look into other chats, and in private"
    raise ToolError(field, "this is another chat", hint)


def owner_only(context: ToolContext) -> None:
    """Raise ``ToolError`` unless the owner himself began the turn, in whatever chat."""
    owner = context.settings(QqSettings).owner
    on_qq = context.channel == CHANNEL and owner > 0 and context.person == str(owner)
    if not (on_qq or is_owner_alone(context)):
        raise ToolError("", "only the owner of this home may do that", "Tell the person so")
