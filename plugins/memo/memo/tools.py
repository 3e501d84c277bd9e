"""The tools and the settings. All tools are plain: what they say is short, clean, and worth finding again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from homeagent_sdk import ToolContext, ToolError, tool
from memo.book import Book, Chat, Memo
from memo.moments import moment_meant, shown, zone_of

__all__ = ["MemoSettings", "memo_add", "memo_edit", "memo_list", "memo_remove"]

_LONGEST: Final = 8_000
_MOST: Final = 2_000
_HAN: Final = re.compile("[\u3400-\u9fff]")


@dataclass(frozen=True)
class MemoSettings:
    """Which time it is."""

    zone: Annotated[str, "the time zone of the home, e.g. Asia/Shanghai; that of the machine if empty"] = ""

    def __post_init__(self) -> None:
        """Refuse a zone that there is not."""
        zone_of(self.zone)


@tool
async def memo_add(context: ToolContext, text: str, remind_at: datetime | None = None) -> str:
    """Write a memo down for this chat, word for word; with a moment its text comes back into the chat then.

    Args:
        text: What to write down, in the person's words.
        remind_at: When to bring it up, e.g. "2026-05-01T10:00", in the zone of the home unless it names one.
    """
    now = _now(context)
    words = _checked(text)
    due = moment_meant(remind_at, now) if remind_at else None
    book, chat = context.state(Book), _chat(context)
    if context.private:
        raise ToolError("", "this turn is private and leaves nothing behind", "Do it outside the private mode")
    if len(book.all(chat)) >= _MOST:
        raise ToolError("", f"this chat has {_MOST:,} memos already", "Remove some with memo_remove")
    memo = book.add(chat, words, now)
    if due:
        book.remind(memo.number, due, await context.inject(_reminder(words), at=due))
    return f"Memo {memo.number} written{_when(due)}: {words}"


@tool(parallel=True)
async def memo_list(context: ToolContext, containing: str = "", count: int = 20) -> str:
    """List the memos of this chat, the newest first.

    Args:
        containing: Only those that hold all of these words, in any order.
        count: How many at most, 1 to 200.
    """
    if not 1 <= count <= 200:
        raise ToolError("count", f"is {count}", "Give 1 to 200")
    words = containing.casefold().split()
    found = [memo for memo in context.state(Book).all(_chat(context)) if _holds(memo, words)]
    if not found:
        return "No memo holds these words." if words else "There are no memos in this chat."
    waiting = {each.id for each in await context.injections()}
    lines = [_line(memo, waiting) for memo in found[:count]]
    if len(found) > count:
        lines.append(f"{len(found) - count} more are older.")
    return "\n".join(lines)


@tool
async def memo_edit(
    context: ToolContext, number: int, text: str = "", remind_at: datetime | None = None, no_reminder: bool = False
) -> str:
    """Change the text of a memo of this chat, or when it is brought up.

    Args:
        number: Its number, as memo_list gives it.
        text: The new text, whole; the old one stays if left out.
        remind_at: When to bring it up; the old moment stays if left out.
        no_reminder: Not to bring it up any more.
    """
    memo, now = _found(context, number), _now(context)
    if not text and remind_at is None and not no_reminder:
        raise ToolError("text", "nothing is to be changed", "Give a text, a moment, or no_reminder")
    if remind_at is not None and no_reminder:
        raise ToolError("no_reminder", "there is a moment as well", "Give only one of the two")
    words = _checked(text) if text else memo.text
    waiting = {each.id for each in await context.injections()}
    due = memo.due if memo.injection in waiting else None
    if no_reminder:
        due = None
    elif remind_at is not None:
        due = moment_meant(remind_at, now)
    book = context.state(Book)
    # The new message first: a crash in between brings the memo up twice rather than never.
    injection = await context.inject(_reminder(words), at=due) if due else ""
    book.change(memo.number, words)
    book.remind(memo.number, due, injection)
    if memo.injection:
        await context.withdraw(memo.injection)
    return f"Memo {memo.number} changed{_when(due)}: {words}"


@tool
async def memo_remove(context: ToolContext, number: int) -> str:
    """Remove a memo of this chat, with its reminder.

    Args:
        number: Its number, as memo_list gives it.
    """
    memo = _found(context, number)
    if memo.injection:
        await context.withdraw(memo.injection)
    context.state(Book).remove(memo.number)
    return f"Memo {memo.number} removed: {memo.text}"


def _found(context: ToolContext, number: int) -> Memo:
    memo = context.state(Book).find(_chat(context), number)
    if memo is None:
        raise ToolError("number", f"this chat has no memo {number}", "Look at the numbers with memo_list")
    return memo


def _chat(context: ToolContext) -> Chat:
    return Chat(context.channel, context.chat)


def _checked(text: str) -> str:
    words = text.strip()
    if not words:
        raise ToolError("text", "is empty", "Say what to write down")
    if len(words) > _LONGEST:
        raise ToolError("text", f"has {len(words):,} characters", f"Give at most {_LONGEST:,}")
    return words


def _holds(memo: Memo, words: list[str]) -> bool:
    text = memo.text.casefold()
    return all(word in text for word in words)


def _reminder(text: str) -> str:
    return f"备忘提醒：{text}" if _HAN.search(text) else f"Memo reminder: {text}"


def _when(due: datetime | None) -> str:
    return f", to be brought up {shown(due)}" if due else ""


def _line(memo: Memo, waiting: set[str]) -> str:
    due = _when(memo.due if memo.injection in waiting else None)
    return f"{memo.number}. ({memo.written:%Y-%m-%d}{due}) {memo.text}"


def _now(context: ToolContext) -> datetime:
    return datetime.now(zone_of(context.settings(MemoSettings).zone))
