"""Messages that came while nobody listened: fetched from the history of the chats when the connection is there again.

What was heard last is on the disk, so that this works over a restart too. What is older than half a day is left alone:
an answer to it would come as a surprise. A message that is fetched twice is the same message to the program.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from homeagent_sdk import ToolError
from qq.chats import number_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from qq.onebot import OneBot

__all__ = ["LastHeard", "missed"]

_OLDEST_SECONDS: Final = 12 * 3600
_MOST_CHATS: Final = 30
_MOST_MESSAGES: Final = 50
_PRIVATE, _GROUP = 1, 2


class LastHeard:
    """When a message was heard last, in seconds since 1970; 0 when none ever was."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self.at = int(path.read_text("utf-8"))
        except (OSError, ValueError):
            self.at = 0

    def heard(self, seconds: int) -> None:
        """Take note of a message; it is on the disk when this returns."""
        if seconds <= self.at:
            return
        self.at = seconds
        part = self._path.with_suffix(".part")
        part.write_text(str(seconds), "utf-8")
        part.replace(self._path)


async def missed(onebot: OneBot, since: int) -> list[Mapping[str, object]]:
    """Return the messages after ``since``, the oldest first. Raises ``ToolError`` when they can't be asked for."""
    begin = max(since, int(time.time()) - _OLDEST_SECONDS)
    found: list[Mapping[str, object]] = []
    for row in await onebot.rows("get_recent_contact", count=_MOST_CHATS):
        kind, number = number_in(row, "chatType"), number_in(row, "peerUin")
        if number_in(row, "msgTime") < begin or kind not in (_PRIVATE, _GROUP):
            continue
        try:
            found += await _said(onebot, kind, number)
        except ToolError:  # of one chat; the others may well be there
            continue
    return sorted(
        (each for each in found if number_in(each, "time") >= begin), key=lambda each: number_in(each, "time")
    )


async def _said(onebot: OneBot, kind: int, number: int) -> list[Mapping[str, object]]:
    if kind == _GROUP:
        answer = await onebot.table("get_group_msg_history", group_id=number, count=_MOST_MESSAGES)
    else:
        answer = await onebot.table("get_friend_msg_history", user_id=number, count=_MOST_MESSAGES)
    rows = answer.get("messages")
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []
