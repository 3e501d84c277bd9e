"""The tools. All of them are plain: dates and titles are short, clean, and worth finding again."""

from __future__ import annotations

import dataclasses
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from home_calendar.agenda import Agenda, CalendarSettings
from home_calendar.book import Chat, Entry, Event
from home_calendar.lunar import named, read_lunar, solar_days
from home_calendar.moments import in_zone, shown, zone_of
from home_calendar.rules import Repeat, moments, read_rule
from homeagent_sdk import ToolContext, ToolError, tool

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["calendar_add", "calendar_change", "calendar_list", "calendar_lunar", "calendar_remove", "calendar_skip"]

_LONGEST_TITLE: Final = 500
_MOST_EVENTS: Final = 2_000
_MOST_LINES: Final = 200
_MOST_MINUTES: Final = 60 * 24 * 60
_MOST_REMINDERS: Final = 5


@tool
async def calendar_add(
    context: ToolContext,
    title: str,
    day: date | None = None,
    at: time | None = None,
    repeat: str = "",
    lunar: str = "",
    remind_minutes: list[int] | None = None,
    zone: str = "",
) -> str:
    """Write an event into this chat's calendar. Give a day, or a lunar date that comes back every year.

    Args:
        title: What it is, in the person's words.
        day: The first or only day, e.g. "2026-05-01".
        at: The time of day, e.g. "18:30"; left out for something that lasts all day.
        repeat: daily, weekly, monthly, yearly, workdays, or an RFC 5545 rule such as "FREQ=WEEKLY;BYDAY=MO,TH".
        lunar: A date of the Chinese calendar, e.g. "8-15", "中秋", "闰四月初一"; "*-15" for every month.
        remind_minutes: How many minutes before to be reminded, e.g. [0] or [1440, 30]; [] for never.
        zone: For another zone than the home's, e.g. "America/New_York".
    """
    agenda, settings = context.state(Agenda), context.settings(CalendarSettings)
    if context.private:
        raise ToolError("", "this turn is private and leaves nothing behind", "Do it outside the private mode")
    if len(agenda.book.all(_chat(context))) >= _MOST_EVENTS:
        raise ToolError("", f"this chat has {_MOST_EVENTS:,} events already", "Remove some with calendar_remove")
    zone_of(zone)
    wall = datetime.combine(_first_day(day, lunar, zone or settings.zone), at or settings.all_day())
    again = Repeat(wall, zone or settings.zone)
    remind = settings.remind_minutes if remind_minutes is None else tuple(remind_minutes)
    event = Event(_title(title), _repeated(again, repeat, lunar), at is None, _reminders(remind))
    number = agenda.book.add(_chat(context), event)
    await agenda.reminders.sync(context)
    return f"Event {number} written down. {_told(agenda, context, number)}"


@tool(parallel=True)
async def calendar_list(
    context: ToolContext, first: date | None = None, last: date | None = None, containing: str = ""
) -> str:
    """List what is in this chat's calendar, each time it happens, in order.

    Args:
        first: The first day; today if left out.
        last: The last day; 30 days after the first if left out.
        containing: Only events whose title holds these words.
    """
    zone = zone_of(context.settings(CalendarSettings).zone)
    begin = first or datetime.now(zone).date()
    end = last or begin + timedelta(days=30)
    if end < begin:
        raise ToolError("last", f"{end} is before {begin}", "Give a later day")
    words = containing.casefold().split()
    start, stop = (in_zone(datetime.combine(each, time()), zone) for each in (begin, end + timedelta(days=1)))
    entries = context.state(Agenda).book.all(_chat(context))
    wanted = [each for each in entries if all(word in each.event.title.casefold() for word in words)]
    found = sorted(_happenings(wanted, start, stop), key=lambda each: each[0])
    lines = [_line(entry, moment) for moment, entry in found[:_MOST_LINES]]
    if len(found) > _MOST_LINES:
        lines.append("There are more; ask for fewer days.")
    return "\n".join(lines) or f"Nothing from {begin} to {end}."


@tool
async def calendar_change(
    context: ToolContext,
    number: int,
    title: str = "",
    day: date | None = None,
    at: time | None = None,
    all_day: bool = False,
    repeat: str | None = None,
    lunar: str | None = None,
    remind_minutes: list[int] | None = None,
) -> str:
    """Change an event of this chat; what is left out stays.

    Args:
        number: Its number, as calendar_list gives it.
        title: What it is.
        day: The first or only day.
        at: The time of day.
        all_day: It has no time of day any more.
        repeat: How it repeats, as for calendar_add; "" for once.
        lunar: The date of the Chinese calendar it comes on; "" for none.
        remind_minutes: How many minutes before to be reminded; [] for never.
    """
    agenda, settings = context.state(Agenda), context.settings(CalendarSettings)
    old = _found(context, number).event
    before = old.repeat
    new_lunar = before.lunar if lunar is None else lunar
    first = _first_day(day, new_lunar, before.zone) if lunar else day or before.wall.date()
    hour = settings.all_day() if all_day else at or before.wall.time()
    # Another day or hour is another series: what was left out of the old one is none of it.
    same = (first, hour, repeat, lunar) == (before.wall.date(), before.wall.time(), None, None)
    again = Repeat(datetime.combine(first, hour), before.zone, skipped=before.skipped if same else frozenset())
    event = Event(
        _title(title) if title else old.title,
        _repeated(again, before.rule if repeat is None and not lunar else repeat or "", new_lunar),
        all_day or (old.all_day and at is None),
        old.remind if remind_minutes is None else _reminders(remind_minutes),
    )
    agenda.book.change(number, event)
    await agenda.reminders.sync(context)
    return f"Event {number} changed. {_told(agenda, context, number)}"


@tool
async def calendar_skip(context: ToolContext, number: int, day: date) -> str:
    """Leave one day out of an event of this chat that repeats.

    Args:
        number: Its number, as calendar_list gives it.
        day: The day on which it does not happen.
    """
    agenda, entry = context.state(Agenda), _found(context, number)
    repeat = entry.event.repeat
    if not repeat.rule and not repeat.lunar:
        raise ToolError("number", f"event {number} happens once", "Use calendar_remove")
    start = in_zone(datetime.combine(day, time()), zone_of(repeat.zone)) - timedelta(microseconds=1)
    moment = next(moments(repeat, start), None)
    if moment is None or moment.date() != day:
        raise ToolError("day", f"event {number} does not happen on {day}", "Look at its days with calendar_list")
    skipped = repeat.skipped | {moment.replace(tzinfo=None)}
    event = dataclasses.replace(entry.event, repeat=dataclasses.replace(repeat, skipped=skipped))
    agenda.book.change(number, event)
    await agenda.reminders.sync(context)
    return f"Event {number} does not happen on {day}. {_told(agenda, context, number)}"


@tool
async def calendar_remove(context: ToolContext, number: int) -> str:
    """Remove an event of this chat, with all its days and reminders.

    Args:
        number: Its number, as calendar_list gives it.
    """
    agenda, entry = context.state(Agenda), _found(context, number)
    agenda.book.remove(number)
    await agenda.reminders.sync(context)
    return f"Event {number} removed: {entry.event.title}"


@tool(parallel=True)
async def calendar_lunar(context: ToolContext, day: date | None = None, lunar: str = "") -> str:
    """Tell which date of the Chinese calendar a day is, or on which day such a date falls next.

    Args:
        day: The day, today if left out; with a lunar date the day from which to look.
        lunar: A date of the Chinese calendar, e.g. "8-15" or "中秋".
    """
    wanted = day or datetime.now(zone_of(context.settings(CalendarSettings).zone)).date()
    if not lunar:
        return f"{wanted}: {named(wanted)}"
    found = next(solar_days(read_lunar(lunar), wanted), None)
    if found is None:
        raise ToolError("lunar", f"{lunar!r} does not come again before 2101", "Give another date")
    return f"{lunar}: {shown(datetime.combine(found, time()), all_day=True)}, {named(found)}"


def _first_day(day: date | None, lunar: str, zone: str) -> date:
    if day is not None:
        return day
    if not lunar:
        raise ToolError("day", "is missing", "Give a day, or a lunar date")
    return next(solar_days(read_lunar(lunar), datetime.now(zone_of(zone)).date()))


def _repeated(once: Repeat, repeat: str, lunar: str) -> Repeat:
    if lunar and repeat:
        raise ToolError("repeat", "a lunar date comes back by itself", "Leave repeat out")
    if lunar:
        return dataclasses.replace(once, lunar=str(read_lunar(lunar)))
    return dataclasses.replace(once, rule=read_rule(repeat, once.wall, once.zone)) if repeat else once


def _title(title: str) -> str:
    words = " ".join(title.split())
    if not words:
        raise ToolError("title", "is empty", "Say what it is")
    if len(words) > _LONGEST_TITLE:
        raise ToolError(
            "title", f"has {len(words):,} characters", f"Give at most {_LONGEST_TITLE:,}; the rest fits a memo"
        )
    return words


def _reminders(minutes: Iterable[int]) -> tuple[int, ...]:
    found = tuple(sorted(set(minutes)))
    if len(found) > _MOST_REMINDERS or any(not 0 <= each <= _MOST_MINUTES for each in found):
        raise ToolError(
            "remind_minutes", f"{list(found)} can't be", f"At most {_MOST_REMINDERS}, within 60 days before"
        )
    return found


def _found(context: ToolContext, number: int) -> Entry:
    entry = context.state(Agenda).book.find(_chat(context), number)
    if entry is None:
        raise ToolError("number", f"this chat has no event {number}", "Look at the numbers with calendar_list")
    return entry


def _chat(context: ToolContext) -> Chat:
    return Chat(context.channel, context.chat)


def _happenings(entries: list[Entry], start: datetime, stop: datetime) -> Iterable[tuple[datetime, Entry]]:
    for entry in entries:
        for moment in moments(entry.event.repeat, start - timedelta(microseconds=1)):
            if moment >= stop:
                break
            yield moment, entry


def _told(agenda: Agenda, context: ToolContext, number: int) -> str:
    """Return what the book says of an event now: its title, when it is next, when one is reminded."""
    entry = agenda.book.find(_chat(context), number)
    if entry is None:
        return ""
    event, now = entry.event, datetime.now(zone_of(entry.event.repeat.zone))
    moment = next(moments(event.repeat, now), None)
    said = f"{event.title}: next {_shown(event, moment)}" if moment else f"{event.title}: it is over"
    if event.repeat.rule or event.repeat.lunar:
        said += f", again by {event.repeat.rule or 'the Chinese calendar, ' + event.repeat.lunar}"
    if entry.waiting.injection and entry.waiting.at:
        said += f"; reminder {shown(entry.waiting.at.astimezone(now.tzinfo), all_day=False)}"
    return said


def _line(entry: Entry, moment: datetime) -> str:
    return f"{_shown(entry.event, moment)}: {entry.event.title} (event {entry.number})"


def _shown(event: Event, moment: datetime) -> str:
    lunar = f" {named(moment.date())}" if event.repeat.lunar else ""
    zone = f" {event.repeat.zone}" if event.repeat.zone and not event.all_day else ""
    return f"{shown(moment, all_day=event.all_day)}{zone}{lunar}"
