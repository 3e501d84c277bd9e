"""When something happens again: RFC 5545 rules by ``dateutil``, on the clock of the wall, so that nine stays nine."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from dateutil.rrule import rrulestr

from home_calendar.lunar import read_lunar, solar_days
from home_calendar.moments import in_zone, zone_of
from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Repeat", "moments", "read_rule"]

_WORDS: Final = {
    "daily": "FREQ=DAILY",
    "每天": "FREQ=DAILY",
    "weekly": "FREQ=WEEKLY",
    "每周": "FREQ=WEEKLY",
    "monthly": "FREQ=MONTHLY",
    "每月": "FREQ=MONTHLY",
    "yearly": "FREQ=YEARLY",
    "每年": "FREQ=YEARLY",
    "workdays": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "工作日": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
}
_PARTS: Final = ("FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "BYYEARDAY")
_FREQUENCIES: Final = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_UNTIL: Final = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?")
_MOST_TIMES: Final = 5_000
_YEARS: Final = {"DAILY": 12, "WEEKLY": 30, "MONTHLY": 60, "YEARLY": 100}
"""How far ahead a rule is followed: what does not happen within that time never does."""

_HINT: Final = 'Write daily, weekly, monthly, yearly, workdays, or a rule such as "FREQ=MONTHLY;BYDAY=-1FR"'


@dataclass(frozen=True, slots=True)
class Repeat:
    """How something happens: once at ``wall`` (no zone) in ``zone``, or again by a ``rule``, or on a ``lunar`` date.

    ``skipped`` are moments, on the wall too, at which it does not happen.
    """

    wall: datetime
    zone: str
    rule: str = ""
    lunar: str = ""
    skipped: frozenset[datetime] = frozenset()


def moments(repeat: Repeat, after: datetime) -> Iterator[datetime]:
    """Yield the moments after ``after`` (which has a zone), in order, each with the zone of what repeats."""
    zone = zone_of(repeat.zone)
    # A day earlier: around a change of the clock two walls show different orders.
    early = after.astimezone(zone).replace(tzinfo=None) - timedelta(days=1)
    for wall in _walls(repeat, early):
        moment = in_zone(wall, zone)
        if moment > after and wall not in repeat.skipped:
            yield moment


def read_rule(text: str, wall: datetime, zone: str) -> str:
    """Return the rule that a text means, in one form. Raises ``ToolError`` for one that can't be or never happens."""
    plain = _WORDS.get(text.strip().casefold(), text.strip().upper().removeprefix("RRULE:"))
    parts = dict(part.partition("=")[::2] for part in plain.split(";") if part)
    if not parts or not set(parts) <= set(_PARTS) or parts.get("FREQ") not in _FREQUENCIES:
        raise ToolError("repeat", f"{text!r} is no rule", _HINT)
    if "UNTIL" in parts:
        parts["UNTIL"] = _until(parts["UNTIL"], zone)
    rule = ";".join(f"{name}={value}" for name, value in parts.items())
    try:
        first = next(_by_rule(rule, wall, wall - timedelta(days=1)), None)
    except (ValueError, TypeError, OverflowError) as error:
        raise ToolError("repeat", f"{text!r} can't be read ({error})", _HINT) from None
    if first is None:
        raise ToolError("repeat", f"{text!r} never happens after {wall:%Y-%m-%d %H:%M}", _HINT)
    return rule


def _walls(repeat: Repeat, early: datetime) -> Iterator[datetime]:
    if repeat.lunar:
        days = solar_days(read_lunar(repeat.lunar), max(early, repeat.wall).date())
        return (datetime.combine(day, repeat.wall.time()) for day in days)
    if repeat.rule:
        return _by_rule(repeat.rule, repeat.wall, early)
    return iter([repeat.wall] if repeat.wall > early else [])


def _by_rule(rule: str, wall: datetime, early: datetime) -> Iterator[datetime]:
    """Yield what a rule gives after ``early``. Counted here: with COUNT a rule that never matches would search on."""
    parts = dict(part.partition("=")[::2] for part in rule.split(";"))
    count = int(parts.pop("COUNT", "0"))
    if not 0 <= count <= _MOST_TIMES:
        raise ValueError(f"COUNT is more than {_MOST_TIMES:,}")
    if "UNTIL" not in parts:
        parts["UNTIL"] = f"{max(wall, early) + timedelta(days=366 * _YEARS[parts['FREQ']]):%Y%m%dT%H%M%S}"
    found: Iterator[datetime] = iter(
        rrulestr(";".join(f"{name}={value}" for name, value in parts.items()), dtstart=wall)
    )
    return (each for each in (itertools.islice(found, count) if count else found) if each > early)


def _until(text: str, zone: str) -> str:
    """Return the end on the wall: a day is meant whole, UTC is turned into the zone."""
    found = _UNTIL.fullmatch(text)
    try:
        if found is None:
            raise ValueError(text)
        moment = datetime.strptime(f"{found[1]}{found[2] or '235959'}", "%Y%m%d%H%M%S")
    except ValueError:
        raise ToolError("repeat", f"UNTIL={text} is no date", "Write e.g. UNTIL=20271231") from None
    if found[3]:
        moment = moment.replace(tzinfo=UTC).astimezone(zone_of(zone)).replace(tzinfo=None)
    return f"{moment:%Y%m%dT%H%M%S}"
