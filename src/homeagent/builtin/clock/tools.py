"""The tools of the clock and its settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time
from typing import TYPE_CHECKING, Annotated

from homeagent.builtin.clock.moments import due_after, due_at, in_words, local_zone, spoken, zone_named
from homeagent_sdk import ToolContext, ToolError, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent_sdk import Injection

__all__ = ["ClockSettings", "clock_cancel", "clock_list", "clock_now", "clock_remind", "clock_set_timer"]

_MOST_WAITING = 100
_LONGEST_TEXT = 2_000
_TIME_IS_UP = "时间到了 Time is up"


@dataclass(frozen=True)
class ClockSettings:
    """Which time it is."""

    zone: Annotated[str, "the time zone of the home, e.g. Asia/Shanghai; that of the machine if empty"] = ""

    def __post_init__(self) -> None:
        """Refuse a zone that there is not."""
        if self.zone:
            zone_named(self.zone)


@tool(parallel=True)
def clock_now(context: ToolContext, zone: str = "") -> str:
    """Tell date, time and weekday.

    Args:
        zone: For another place than here, e.g. "America/New_York".
    """
    now = _now(context) if not zone else datetime.now(zone_named(zone))
    offset = f"{now:%z}"
    return f"{spoken(now)}, {now:%H:%M:%S}, {now.tzinfo} (UTC{offset[:3]}:{offset[3:5]})"


@tool
async def clock_set_timer(context: ToolContext, minutes: float, text: str = "") -> str:
    """Set a timer: in so many minutes a message comes into this chat. It survives a restart.

    Args:
        minutes: In how many minutes, e.g. 5, or 0.5 for 30 seconds.
        text: What it is for, e.g. "take the eggs off".
    """
    now = _now(context)
    due = due_after(minutes, now)
    return await _set(context, text.strip() or _TIME_IS_UP, due, now)


@tool
async def clock_remind(
    context: ToolContext, text: str, at: datetime | time | None = None, minutes: float | None = None
) -> str:
    """Set a reminder: at that moment a message comes into this chat. It survives a restart. Give at or minutes.

    Args:
        text: What to remind of, understandable on its own, in the person's language.
        at: When: "2026-05-01T10:00", or "10:00" for the next ten o'clock; in the zone of the home unless it names one.
        minutes: In how many minutes, instead of at.
    """
    now = _now(context)
    if not text.strip():
        raise ToolError("text", "is empty", "Say what to remind of")
    if at is not None and minutes is not None:
        raise ToolError("minutes", "there is a moment in at already", "Give only one of the two")
    if at is None and minutes is None:
        raise ToolError("at", "is missing", 'Give a moment such as "2026-05-01T10:00", or minutes')
    due = due_at(at, now) if at is not None else due_after(minutes or 0.0, now)
    return await _set(context, text.strip(), due, now)


@tool(parallel=True)
async def clock_list(context: ToolContext) -> str:
    """List the timers and reminders of this chat that still wait, the next one first."""
    now = _now(context)
    waiting = await _waiting(context)
    return "\n".join(_line(each, now) for each in waiting) or "No timers or reminders wait in this chat."


@tool
async def clock_cancel(context: ToolContext, reminder: str) -> str:
    """Take back a timer or reminder of this chat.

    Args:
        reminder: Its id as clock_list gives it, or words that only its text holds.
    """
    wanted = reminder.strip().casefold()
    now = _now(context)
    waiting = await _waiting(context)
    found = [each for each in waiting if each.id.casefold() == wanted]
    found = found or [each for each in waiting if wanted and wanted in each.text.casefold()]
    if len(found) != 1:
        reason = f"{len(found)} of those that wait hold this" if found else "none of those that wait is this one"
        listed = "; ".join(_line(each, now) for each in found or waiting)
        raise ToolError("reminder", reason, f"Give the id of one: {listed}" if listed else "None wait in this chat")
    if not await context.withdraw(found[0].id):
        raise ToolError("reminder", "it has just come", "There is nothing left to take back")
    return f"Taken back: {found[0].text}"


async def _set(context: ToolContext, text: str, due: datetime, now: datetime) -> str:
    if len(text) > _LONGEST_TEXT:
        raise ToolError("text", f"has {len(text):,} characters", f"Give at most {_LONGEST_TEXT:,}")
    if len(await _waiting(context)) >= _MOST_WAITING:
        raise ToolError("", f"{_MOST_WAITING} reminders wait in this chat already", "Cancel some with clock_cancel")
    found = await context.inject(_message(text, due), at=due)
    return f"Set for {spoken(due)}, in {in_words(due - now)} (id {found}): {text}"


async def _waiting(context: ToolContext) -> Sequence[Injection]:
    # Only of this chat: what someone set in private is not told in a group.
    here = (context.channel, context.chat)
    return [each for each in await context.injections() if (each.channel, each.chat) == here]


def _message(text: str, due: datetime) -> str:
    # With its time, since after a pause it may come late.
    if re.search("[\u4e00-\u9fff]", text):
        return f"提醒（{due:%Y-%m-%d %H:%M}）：{text}"
    return f"Reminder ({due:%Y-%m-%d %H:%M}): {text}"


def _line(each: Injection, now: datetime) -> str:
    if each.at is None:
        return f"{each.id}: {each.text}"
    due = each.at.astimezone(now.tzinfo)
    when = f"in {in_words(due - now)}" if due > now else "due now"
    return f"{each.id}: {spoken(due)}, {when}: {each.text}"


def _now(context: ToolContext) -> datetime:
    zone = context.settings(ClockSettings).zone
    return datetime.now(zone_named(zone) if zone else local_zone())
