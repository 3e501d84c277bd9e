"""Arithmetic of days for `dates`: ranges, weeks that begin on Monday, months, seasons, feasts."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, timedelta

__all__ = [
    "DayRange", "day_of", "days_from", "feast", "month_of", "month_shifted", "nearest", "part_of", "season", "week_of",
    "year_of",
]  # fmt: skip

_THANKSGIVING = (11, 0)
_FEASTS = {
    "christmas eve": (12, 24), "christmas": (12, 25), "xmas": (12, 25), "boxing day": (12, 26), "halloween": (10, 31),
    "valentine": (2, 14), "independence day": (7, 4), "new year's eve": (12, 31), "new year": (1, 1),
    "thanksgiving": _THANKSGIVING,
    "元旦": (1, 1), "情人节": (2, 14), "妇女节": (3, 8), "劳动节": (5, 1), "儿童节": (6, 1), "教师节": (9, 10),
    "国庆": (10, 1), "万圣节": (10, 31), "双十一": (11, 11), "双11": (11, 11), "平安夜": (12, 24), "圣诞": (12, 25),
    "跨年夜": (12, 31),
}  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class DayRange:
    """Days from ``start`` to ``end``, both belonging to it; a single day has them equal."""

    start: date
    end: date

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise ValueError(f"a DayRange begins before it ends, got {self.start} to {self.end}; swap them")

    @property
    def days(self) -> int:
        """How many days it has, at least 1."""
        return (self.end - self.start).days + 1


def day_of(year: int, month: int, day: int) -> DayRange | None:
    """Return the day, or None when the calendar has no such day."""
    try:
        found = date(year, month, day)
    except (ValueError, OverflowError):
        return None
    return DayRange(found, found)


def month_of(year: int, month: int) -> DayRange | None:
    """Return the month, or None."""
    if not (MINYEAR <= year <= MAXYEAR and 1 <= month <= 12):
        return None
    return DayRange(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def part_of(month: DayRange | None, part: str) -> DayRange | None:
    """Return the first ten days of a month (``early``), those from the 11th (``mid``) or from the 21st (``late``)."""
    if month is None or not part:
        return month
    first = {"early": 0, "mid": 10, "late": 20}[part]
    return days_from(month.start, first, first + 9 if part != "late" else month.days - 1)


def year_of(year: int) -> DayRange | None:
    """Return the year, or None."""
    return DayRange(date(year, 1, 1), date(year, 12, 31)) if MINYEAR <= year <= MAXYEAR else None


def days_from(today: date, first: int, last: int | None = None) -> DayRange | None:
    """Return the days ``first`` to ``last`` after ``today`` (negative: before), or None outside the calendar."""
    try:
        low = today + timedelta(days=first)
        high = low if last is None else today + timedelta(days=last)
    except OverflowError:
        return None
    return DayRange(low, high)


def week_of(today: date, shift: int = 0, first: int = 1, last: int = 7) -> DayRange | None:
    """Return weekdays ``first`` to ``last`` (Monday is 1) of the week ``shift`` weeks after today's."""
    monday = 7 * shift - today.weekday()
    return days_from(today, monday + first - 1, monday + last - 1)


def month_shifted(today: date, shift: int) -> tuple[int, int]:
    """Return (year, month) of the month ``shift`` months after today's."""
    year, month = divmod(today.year * 12 + today.month - 1 + shift, 12)
    return year, month + 1


def season(year: int, name: str) -> DayRange | None:
    """Return a season of a year: ``spring`` is March to May; the winter of a year begins in its December."""
    if not MINYEAR <= year < MAXYEAR:
        return None
    first = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}[name]
    end_year, end_month = (year + 1, 2) if name == "winter" else (year, first + 2)
    return DayRange(date(year, first, 1), date(end_year, end_month, calendar.monthrange(end_year, end_month)[1]))


def feast(year: int, name: str) -> DayRange | None:
    """Return the day of a feast with a fixed date (``christmas``, ``元旦``) in a year, or None."""
    month, day = _FEASTS[name]
    if day:
        return day_of(year, month, day)
    if not MINYEAR <= year <= MAXYEAR:
        return None
    fourth = [week[3] for week in calendar.monthcalendar(year, month) if week[3]][3]  # the fourth Thursday
    return day_of(year, month, fourth)


def nearest(today: date, candidates: list[DayRange | None]) -> DayRange | None:
    """Return the range whose middle is nearest to ``today``: a date without a year is read that way."""
    ranges = [found for found in candidates if found is not None]
    if not ranges:
        return None
    return min(ranges, key=lambda found: abs(found.start.toordinal() + found.end.toordinal() - 2 * today.toordinal()))
