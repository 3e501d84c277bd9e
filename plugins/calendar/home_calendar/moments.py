"""Moments: which zone, and a wall clock's time in it."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, tzinfo

import tzlocal

from homeagent_sdk import ToolError

__all__ = ["in_zone", "shown", "zone_of"]

_WEEKDAYS = ("Mon 星期一", "Tue 星期二", "Wed 星期三", "Thu 星期四", "Fri 星期五", "Sat 星期六", "Sun 星期日")


def zone_of(name: str) -> tzinfo:
    """Return the zone of that name, that of this machine for an empty one. Raises ``ToolError`` for an unknown one."""
    if not name:
        return tzlocal.get_localzone()
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ToolError(
            "zone", f"there is no time zone {name!r}", "Write e.g. Asia/Shanghai or Europe/Berlin"
        ) from None


def in_zone(wall: datetime, zone: tzinfo) -> datetime:
    """Return when a clock on the wall shows ``wall``: the first time where it does twice, later where it never does."""
    return wall.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)


def shown(moment: datetime, *, all_day: bool) -> str:
    """Return a moment as it is written: ``2026-05-01 Fri 星期五 10:00``."""
    return f"{moment:%Y-%m-%d} {_WEEKDAYS[moment.weekday()]}" + ("" if all_day else f" {moment:%H:%M}")
