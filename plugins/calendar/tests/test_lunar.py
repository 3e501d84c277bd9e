"""Dates of the Chinese calendar, against days that are known from elsewhere."""

from __future__ import annotations

import itertools
from datetime import date, timedelta

import pytest
from home_calendar.lunar import EVERY_MONTH, LunarDate, lunar_date_of, named, read_lunar, solar_days

from homeagent_sdk import ToolError

# New Year's days as they were kept, from the almanacs of the years; of years to come as the observatories give them.
NEW_YEARS = (
    "1912-02-18 1949-01-29 1966-01-21 1976-01-31 1985-02-20 1997-02-07 2000-02-05 2008-02-07 2012-01-23"
    " 2015-02-19 2020-01-25 2021-02-12 2022-02-01 2023-01-22 2024-02-10 2025-01-29 2026-02-17 2027-02-06 2028-01-26"
    " 2029-02-13 2030-02-03 2033-01-31 2034-02-19 2050-01-23 2099-01-21"
)
LEAP_MONTHS = {
    1984: 10,
    1987: 6,
    1995: 8,
    2001: 4,
    2004: 2,
    2006: 7,
    2009: 5,
    2012: 4,
    2014: 9,
    2017: 6,
    2020: 4,
    2023: 2,
    2025: 6,
    2028: 5,
    2033: 11,
}


@pytest.mark.parametrize("day", NEW_YEARS.split())
def test_the_new_year_is_when_it_was_kept(day: str) -> None:
    begin = date.fromisoformat(day)
    assert lunar_date_of(begin) == LunarDate(1, 1)
    assert next(solar_days(LunarDate(1, 1), begin)) == begin
    assert lunar_date_of(begin - timedelta(days=1)).month == 12


@pytest.mark.parametrize("year", LEAP_MONTHS)
def test_the_leap_month_is_the_known_one(year: int) -> None:
    begin = next(solar_days(LunarDate(1, 1), date(year, 1, 1)))
    days = [lunar_date_of(begin + timedelta(days=number)) for number in range(383)]
    assert {day.month for day in days if day.leap} == {LEAP_MONTHS[year]}


@pytest.mark.parametrize(
    ("text", "start", "day"),
    [
        ("中秋", "2024-01-01", "2024-09-17"),
        ("中秋节", "2025-01-01", "2025-10-06"),
        ("8-15", "2026-01-01", "2026-09-25"),
        ("农历八月十五", "2033-01-01", "2033-09-08"),
        ("端午", "2026-01-01", "2026-06-19"),
        ("重阳", "2025-10-29", "2025-10-29"),
        ("腊八", "2026-01-01", "2026-01-26"),
        ("除夕", "2025-02-01", "2026-02-16"),  # a twelfth month of 29 days
        ("除夕", "2024-01-01", "2024-02-09"),
        ("闰六月初一", "2025-01-01", "2025-07-25"),
        ("L6-1", "2025-01-01", "2025-07-25"),
        ("闰六月初一", "2026-01-01", "2026-07-14"),  # a year without it: the sixth month itself
        ("四月廿五", "2026-01-01", "2026-06-10"),
        ("四月二十五", "2026-01-01", "2026-06-10"),
        ("12/30", "2025-02-01", "2026-02-16"),
    ],
)
def test_a_date_falls_on_the_known_day(text: str, start: str, day: str) -> None:
    assert next(solar_days(read_lunar(text), date.fromisoformat(start))) == date.fromisoformat(day)


def test_a_date_of_every_month_comes_in_leap_months_too() -> None:
    days = list(itertools.islice(solar_days(read_lunar("每月十五"), date(2025, 1, 1)), 14))
    assert all(lunar_date_of(day).day == 15 for day in days)
    assert sum(lunar_date_of(day).leap for day in days) == 1
    assert {(b - a).days for a, b in itertools.pairwise(days)} <= {29, 30}


def test_the_months_of_two_centuries_follow_one_another_without_a_gap() -> None:
    first_days = solar_days(LunarDate(EVERY_MONTH, 1), date(1901, 1, 1))
    last_days = solar_days(LunarDate(EVERY_MONTH, 30), date(1901, 1, 20))
    for begin, end in zip(first_days, last_days, strict=False):
        following = end + timedelta(days=1)
        assert (end - begin).days in (28, 29), begin
        if begin.month == 6 and begin.year % 5 == 0:
            assert lunar_date_of(begin).day == 1
            assert lunar_date_of(following).day == 1


def test_a_day_is_called_by_its_year_month_and_day() -> None:
    assert named(date(2026, 9, 25)) == "农历丙午年八月十五"
    assert named(date(2025, 7, 25)) == "农历乙巳年闰六月初一"
    assert named(date(2026, 2, 16)) == "农历乙巳年腊月廿九"
    assert named(date(2026, 1, 1)) == "农历乙巳年冬月十三"


@pytest.mark.parametrize(
    "text", ["", "13-1", "8-31", "0-1", "八月", "八月四十", "闰每月十五", "L*-1", "8", "tomorrow", "8-0"]
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="no date of the Chinese calendar"):
        read_lunar(text)
    with pytest.raises(ToolError, match="1900 to 2100"):
        lunar_date_of(date(1899, 1, 1))
