"""Dates of the Chinese calendar: read from a text, told of a day, found year after year.

Years 1900 to 2100. The tables are those of ``lunar-python``; here is what people mean: a day that a short month lacks
is its last, and what fell into a leap month is kept in the month of that name in years that don't have it.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from lunar_python import LunarMonth, Solar

from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EVERY_MONTH", "LunarDate", "lunar_date_of", "named", "read_lunar", "solar_days"]

EVERY_MONTH: Final = 0
"""The month of a date that comes in every month of the Chinese calendar."""

_FIRST, _LAST = 1900, 2100
_MONTHS: Final = ("正", "二", "三", "四", "五", "六", "七", "八", "九", "十", "冬", "腊")
_OTHER_MONTHS: Final = {"一": 1, "十一": 11, "十二": 12, "每": EVERY_MONTH}
_DIGITS: Final = "一二三四五六七八九十"
_DAYS: Final = (
    *(f"初{each}" for each in _DIGITS),
    *(f"十{each}" for each in _DIGITS[:9]),
    "二十",
    *(f"廿{each}" for each in _DIGITS[:9]),
    "三十",
)
_FESTIVALS: Final = {
    "春节": (1, 1),
    "元宵": (1, 15),
    "龙抬头": (2, 2),
    "端午": (5, 5),
    "七夕": (7, 7),
    "中元": (7, 15),
    "中秋": (8, 15),
    "重阳": (9, 9),
    "腊八": (12, 8),
    "除夕": (12, 30),
}
_NUMBERS: Final = re.compile(r"(?P<leap>L|闰)?(?P<month>\*|[0-9]{1,2})[-/月](?P<day>[0-9]{1,2})日?")
_CHARACTERS: Final = re.compile(r"(?P<leap>闰)?(?P<month>十一|十二|[正一二三四五六七八九十冬腊每])月(?P<day>\w{1,3})")


class LunarDate(NamedTuple):
    """A month (1 to 12, or `EVERY_MONTH`), whether it is the leap one of that number, and a day (1 to 30)."""

    month: int
    day: int
    leap: bool = False

    def __str__(self) -> str:
        return f"{'L' if self.leap else ''}{self.month or '*'}-{self.day}"


def read_lunar(text: str) -> LunarDate:
    """Read ``8-15``, ``八月十五``, ``中秋``, ``闰四月初一``, ``L4-1``, ``*-15`` or ``每月十五``.

    Raises ``ToolError`` for anything else.
    """
    plain = re.sub(r"农历|阴历|旧历|节$|\s", "", text)
    if plain in _FESTIVALS:
        return LunarDate(*_FESTIVALS[plain])
    found = _NUMBERS.fullmatch(plain) or _CHARACTERS.fullmatch(plain)
    if found:
        month, day = _month(found["month"]), _day(found["day"])
        if EVERY_MONTH <= month <= 12 and 1 <= day <= 30 and not (found["leap"] and month == EVERY_MONTH):
            return LunarDate(month, day, bool(found["leap"]))
    hint = 'Write month and day, e.g. "8-15" or "八月十五"; "L4-1" or "闰四月初一" in a leap month, "*-15" each month'
    raise ToolError("lunar", f"{text!r} is no date of the Chinese calendar", hint)


def solar_days(wanted: LunarDate, start: date) -> Iterator[date]:
    """Yield the days on which a date falls, from ``start`` on, one for each year (or month) until 2100."""
    for year in range(max(start.year - 1, _FIRST), _LAST + 1):
        months = _months_of(year) if wanted.month == EVERY_MONTH else [_month_meant(year, wanted)]
        for month in months:
            day = _first_day(month) + timedelta(days=min(wanted.day, month.getDayCount()) - 1)
            if day >= start:
                yield day


def lunar_date_of(day: date) -> LunarDate:
    """Return the date of the Chinese calendar that a day is. Raises ``ToolError`` outside of 1900 to 2100."""
    return _lunar(day)[1]


def named(day: date) -> str:
    """Return what a day is called: ``农历丙午年八月十五``. Raises ``ToolError`` outside of 1900 to 2100."""
    year, found = _lunar(day)
    return f"农历{year}年{'闰' if found.leap else ''}{_MONTHS[found.month - 1]}月{_DAYS[found.day - 1]}"


def _lunar(day: date) -> tuple[str, LunarDate]:
    if not date(_FIRST, 1, 31) <= day <= date(_LAST, 12, 31):
        raise ToolError("day", f"{day} is not within {_FIRST} to {_LAST}", "Give a nearer day")
    found = Solar.fromYmd(day.year, day.month, day.day).getLunar()
    month = int(found.getMonth())
    return str(found.getYearInGanZhi()), LunarDate(abs(month), int(found.getDay()), month < 0)


def _month_meant(year: int, wanted: LunarDate) -> LunarMonth:
    found = LunarMonth.fromYm(year, -wanted.month) if wanted.leap else None
    return found or LunarMonth.fromYm(year, wanted.month)


def _months_of(year: int) -> list[LunarMonth]:
    numbers = [number for each in range(1, 13) for number in (each, -each)]
    return [found for number in numbers if (found := LunarMonth.fromYm(year, number))]


def _first_day(month: LunarMonth) -> date:
    first = Solar.fromJulianDay(month.getFirstJulianDay())
    return date(first.getYear(), first.getMonth(), first.getDay())


def _month(text: str) -> int:
    if text == "*":
        return EVERY_MONTH
    if text.isdecimal():
        return int(text) or 99
    return _OTHER_MONTHS[text] if text in _OTHER_MONTHS else _MONTHS.index(text) + 1


def _day(text: str) -> int:
    if text.isdecimal():
        return int(text)
    plain = text.removesuffix("日")
    plain = plain.replace("二十", "廿") if len(plain) == 3 else plain
    return _DAYS.index(plain) + 1 if plain in _DAYS else 0
