"""Moments in time: in which zone, how they are spoken of, and when a reminder is due."""

from __future__ import annotations

import difflib
import os
import zoneinfo
from datetime import datetime, time, timedelta, tzinfo
from pathlib import Path

from homeagent_sdk import ToolError

__all__ = ["due_after", "due_at", "in_words", "local_zone", "spoken", "zone_named"]

_WEEKDAYS = (
    ("Monday", "星期一"),
    ("Tuesday", "星期二"),
    ("Wednesday", "星期三"),
    ("Thursday", "星期四"),
    ("Friday", "星期五"),
    ("Saturday", "星期六"),
    ("Sunday", "星期日"),
)
_FARTHEST = timedelta(days=3660)
_MINUTES_OF_A_DAY = 24 * 60
_MANY_DAYS = 60


def local_zone() -> tzinfo:
    """Return the zone of this machine, by name where one can be found, so that summer time is kept."""
    for name in (os.environ.get("TZ", "").lstrip(":"), _name_of_localtime()):
        if name:
            try:
                return zoneinfo.ZoneInfo(name)
            except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
                continue
    return datetime.now().astimezone().tzinfo or zoneinfo.ZoneInfo("UTC")


def zone_named(name: str) -> tzinfo:
    """Return a zone such as ``Asia/Shanghai``. Raises ``ToolError``, with what may have been meant."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        known = zoneinfo.available_timezones()
    wanted = name.strip().replace(" ", "_").casefold()
    near = [each for each in sorted(known) if wanted and wanted in each.casefold()]
    near = near[:3] or difflib.get_close_matches(name, known, n=3)
    hint = f"Did you mean {' or '.join(near)}?" if near else "Give a zone such as Asia/Shanghai or Europe/Berlin"
    raise ToolError("zone", f"there is no time zone {name!r}", hint)


def spoken(moment: datetime) -> str:
    """Return date, time and weekday in English and Chinese: ``2026-05-01 10:00 (Friday 星期五)``."""
    english, chinese = _WEEKDAYS[moment.weekday()]
    return f"{moment:%Y-%m-%d %H:%M} ({english} {chinese})"


def in_words(length: timedelta) -> str:
    """Return a length of time in its two largest units: ``2 days 3 hours``, ``25 minutes``, ``40 seconds``."""
    seconds = max(round(length.total_seconds()), 0)
    minutes = round(seconds / 60)
    if seconds < 120:
        return _counted(seconds, "second")
    if minutes < 60:
        return _counted(minutes, "minute")
    if minutes < _MINUTES_OF_A_DAY:
        return _joined(_counted(minutes // 60, "hour"), _counted(minutes % 60, "minute"))
    hours = round(minutes / 60)
    if hours > _MANY_DAYS * 24:
        return _counted(hours // 24, "day")
    return _joined(_counted(hours // 24, "day"), _counted(hours % 24, "hour"))


def due_at(at: datetime | time, now: datetime) -> datetime:
    """Return the moment that is meant: a time without a date is the next one, without a zone it is that of ``now``.

    Raises ``ToolError`` for a moment that is over or ten years away.
    """
    if isinstance(at, time):
        here = now.astimezone(at.tzinfo or now.tzinfo)
        moment = datetime.combine(here.date(), at, tzinfo=here.tzinfo)
        if moment <= now:
            moment = datetime.combine(here.date() + timedelta(days=1), at, tzinfo=here.tzinfo)
        return moment.astimezone(now.tzinfo)
    moment = at.astimezone(now.tzinfo) if at.tzinfo is not None else at.replace(tzinfo=now.tzinfo)
    if moment <= now:
        over = f"{spoken(moment)} is over: it was {in_words(now - moment)} ago"
        raise ToolError("at", over, f"It is {spoken(now)} now; give a later moment")
    if moment - now > _FARTHEST:
        raise ToolError("at", f"{spoken(moment)} is more than ten years away", "Give an earlier moment")
    return moment


def due_after(minutes: float, now: datetime) -> datetime:
    """Return the moment in so many minutes. Raises ``ToolError`` unless it lies ahead, and within ten years."""
    if minutes <= 0:
        raise ToolError("minutes", f"is {minutes:g}, which is not ahead", "Give more than 0, e.g. 0.5 for 30 seconds")
    if minutes > _FARTHEST.total_seconds() / 60:
        raise ToolError("minutes", "is more than ten years", "Give fewer")
    # In UTC, since an hour is an hour on the night when the clocks change too.
    later = now.astimezone(zoneinfo.ZoneInfo("UTC")) + timedelta(minutes=minutes)
    return later.astimezone(now.tzinfo)


def _name_of_localtime() -> str:
    _, found, name = os.path.realpath(Path("/etc/localtime")).partition("/zoneinfo/")
    return name if found else ""


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"


def _joined(larger: str, smaller: str) -> str:
    return larger if smaller.startswith("0 ") else f"{larger} {smaller}"
