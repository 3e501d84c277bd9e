"""When something happens again: rules, zones, changes of the clock."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from home_calendar.rules import Repeat, moments, read_rule

from homeagent_sdk import ToolError

BERLIN = "Europe/Berlin"


def first(repeat: Repeat, count: int, after: str = "2026-01-01T00:00+00:00") -> list[str]:
    found = itertools.islice(moments(repeat, datetime.fromisoformat(after)), count)
    return [moment.isoformat(timespec="minutes") for moment in found]


def repeated(wall: str, rule: str = "", zone: str = BERLIN, lunar: str = "") -> Repeat:
    begin = datetime.fromisoformat(wall)
    return Repeat(begin, zone, read_rule(rule, begin, zone) if rule else "", lunar)


def test_nine_stays_nine_when_the_clock_changes() -> None:
    assert first(repeated("2026-03-28T09:00", "daily"), 3) == [
        "2026-03-28T09:00+01:00",
        "2026-03-29T09:00+02:00",
        "2026-03-30T09:00+02:00",
    ]


def test_an_hour_that_there_is_not_is_the_one_after_and_one_that_comes_twice_counts_once() -> None:
    assert first(repeated("2026-03-29T02:30"), 2) == ["2026-03-29T03:30+02:00"]
    assert first(repeated("2026-10-25T02:30", "daily"), 2, "2026-10-25T00:00+02:00") == [
        "2026-10-25T02:30+02:00",
        "2026-10-26T02:30+01:00",
    ]


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ("workdays", ["01-02", "01-05", "01-06"]),
        ("FREQ=MONTHLY;BYDAY=-1FR", ["01-30", "02-27", "03-27"]),
        ("RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", ["01-12", "01-15", "01-26"]),
        ("freq=monthly;bymonthday=31", ["01-31", "03-31", "05-31"]),
        ("FREQ=DAILY;COUNT=2", ["01-02", "01-03"]),
        ("FREQ=DAILY;UNTIL=20260103", ["01-02", "01-03"]),
        ("每年", ["01-02"]),
    ],
)
def test_rules_give_their_days(rule: str, days: list[str]) -> None:
    found = first(repeated("2026-01-02T18:00", rule), 3, "2026-01-01T00:00+00:00")
    assert [each[5:10] for each in found][: len(days)] == days
    if "COUNT" in rule or "UNTIL" in rule:
        assert len(found) == len(days)


def test_an_end_in_utc_is_turned_into_the_zone() -> None:
    rule = read_rule("FREQ=DAILY;UNTIL=20260103T170000Z", datetime(2026, 1, 1, 18, 0), BERLIN)
    assert rule == "FREQ=DAILY;UNTIL=20260103T180000"


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("sometimes", "is no rule"),
        ("FREQ=SECONDLY", "is no rule"),
        ("FREQ=DAILY;BYHOUR=1", "is no rule"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "never happens"),
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=3", "never happens"),
        ("FREQ=DAILY;UNTIL=20250101", "never happens"),
        ("FREQ=DAILY;UNTIL=tomorrow", "is no date"),
        ("FREQ=DAILY;COUNT=9999999", "can't be read"),
        ("FREQ=DAILY;INTERVAL=x", "can't be read"),
    ],
)
def test_what_is_no_rule_or_never_happens_is_refused(rule: str, reason: str) -> None:
    with pytest.raises(ToolError, match=reason):
        repeated("2026-01-02T18:00", rule)


def test_lunar_dates_come_at_their_hour_in_their_zone() -> None:
    assert first(repeated("2026-01-01T18:30", zone="Asia/Shanghai", lunar="8-15"), 2) == [
        "2026-09-25T18:30+08:00",
        "2027-09-15T18:30+08:00",
    ]


def test_what_is_left_out_does_not_happen_and_the_order_is_that_of_time() -> None:
    skipped = frozenset({datetime(2026, 1, 3, 18, 0)})
    repeat = Repeat(datetime(2026, 1, 2, 18, 0), BERLIN, "FREQ=DAILY", "", skipped)
    assert [each[8:10] for each in first(repeat, 3)] == ["02", "04", "05"]
    after = datetime(2026, 1, 4, 17, 0, tzinfo=UTC)  # the very moment is not after itself
    assert next(moments(repeat, after)) == datetime(2026, 1, 5, 18, 0, tzinfo=ZoneInfo(BERLIN))
