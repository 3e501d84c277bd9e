"""Moments: which zone, and the moment that is meant."""

from __future__ import annotations

import zoneinfo
from datetime import datetime, timedelta, tzinfo

import tzlocal

from homeagent_sdk import ToolError

__all__ = ["moment_meant", "shown", "zone_of"]

_FARTHEST = timedelta(days=3660)


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


def moment_meant(at: datetime, now: datetime) -> datetime:
    """Return ``at`` in the zone of ``now``, in which it is unless it names one.

    Raises ``ToolError`` for a moment that is over, or ten years away.
    """
    moment = at.astimezone(now.tzinfo) if at.tzinfo else at.replace(tzinfo=now.tzinfo)
    if moment <= now:
        raise ToolError("remind_at", f"{shown(moment)} is over", f"It is {shown(now)} now; give a later moment")
    if moment - now > _FARTHEST:
        raise ToolError("remind_at", f"{shown(moment)} is more than ten years away", "Give an earlier moment")
    return moment


def shown(moment: datetime) -> str:
    """Return a moment as it is written: ``2026-05-01 10:00``."""
    return f"{moment:%Y-%m-%d %H:%M}"
