"""Days in text, relative ones against the moment and zone in which they were said."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent.memory.compute import QueryText
from homeagent.memory.text.dates import (
    DayRange,
    Direction,
    Window,
    alternative_days,
    asked_days,
    day_terms,
    query_window,
    spoken_days,
    turn_day_terms,
)

WEDNESDAY = datetime(2026, 5, 20, 10, tzinfo=timezone(timedelta(hours=8)))


def days(text: str, at: datetime | None = WEDNESDAY) -> list[tuple[str, str]]:
    return [(str(found.start), str(found.end)) for found in spoken_days(QueryText(text), at)]


def window(text: str, at: datetime | None = WEDNESDAY) -> Window | None:
    return query_window(QueryText(text), at)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026年5月3日发生了什么", "2026-05-03"), ("二〇二六年五月三号", "2026-05-03"), ("2026-05-03", "2026-05-03"),
        ("2026/05/03", "2026-05-03"), ("29.12.2023", "2023-12-29"), ("8 May 2023", "2023-05-08"),
        ("8 May, 2023", "2023-05-08"), ("May 8th, 2023", "2023-05-08"), ("the 8th of May 2023", "2023-05-08"),
        ("March 15", "2026-03-15"), ("3月2日下午", "2026-03-02"), ("五月三号", "2026-05-03"),
        ("去年12月25日", "2025-12-25"),
        ("今天", "2026-05-20"), ("昨天", "2026-05-19"), ("昨晚", "2026-05-19"), ("前天", "2026-05-18"),
        ("大前天", "2026-05-17"), ("明天下午三点", "2026-05-21"), ("后天", "2026-05-22"), ("上周三", "2026-05-13"),
        ("週三晚上", "2026-05-20"), ("下周五", "2026-05-29"), ("下下周三", "2026-06-03"),
        ("下个星期五", "2026-05-29"),
        ("周六下午三点打羽毛球", "2026-05-23"), ("三天前", "2026-05-17"), ("10天后", "2026-05-30"),
        ("上个月15号", "2026-04-15"),
        ("15号下午", "2026-05-15"), ("today", "2026-05-20"), ("tonight", "2026-05-20"), ("Yesterday", "2026-05-19"),
        ("last night", "2026-05-19"), ("tomorrow", "2026-05-21"), ("the day before yesterday", "2026-05-18"),
        ("the day after tomorrow", "2026-05-22"), ("last Wednesday", "2026-05-13"), ("last Friday", "2026-05-15"),
        ("next Friday", "2026-05-29"), ("this Friday", "2026-05-22"), ("in three days", "2026-05-23"),
        ("two days ago", "2026-05-18"), ("Thanksgiving 2023", "2023-11-23"), ("元旦2027年", "2026-01-01"),
        ("the Friday before last", "2026-05-08"), ("Friday of last week", "2026-05-15"),
        ("Monday after next", "2026-06-01"), ("two Fridays ago", "2026-05-08"),
    ],
)  # fmt: skip
def test_a_spoken_day_is_that_day(text: str, day: str) -> None:
    assert (day, day) in days(text)
    assert len([found for found in days(text) if found[0] == found[1]]) == 1


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("May 2023", "2023-05-01", "2023-05-31"), ("2023年", "2023-01-01", "2023-12-31"),
        ("in 2023", "2023-01-01", "2023-12-31"),
        ("上个月", "2026-04-01", "2026-04-30"), ("去年", "2025-01-01", "2025-12-31"),
        ("去年夏天", "2025-06-01", "2025-08-31"),
        ("last summer", "2025-06-01", "2025-08-31"), ("这周末", "2026-05-23", "2026-05-24"),
        ("上周", "2026-05-11", "2026-05-17"),
        ("this weekend", "2026-05-23", "2026-05-24"), ("last week", "2026-05-11", "2026-05-17"),
        ("last month", "2026-04-01", "2026-04-30"), ("last year", "2025-01-01", "2025-12-31"),
        ("two weeks ago", "2026-05-03", "2026-05-09"), ("两周后", "2026-05-31", "2026-06-06"),
        ("5月3日到5日", "2026-05-03", "2026-05-05"), ("5月3日到6月1日", "2026-05-03", "2026-06-01"),
        ("from May 3 to May 5", "2026-05-03", "2026-05-05"), ("April 15-20", "2026-04-15", "2026-04-20"),
        ("上个月底", "2026-04-21", "2026-04-30"), ("下个月初", "2026-06-01", "2026-06-10"),
        ("月初", "2026-05-01", "2026-05-10"), ("3月中旬", "2026-03-11", "2026-03-20"),
        ("end of next month", "2026-06-21", "2026-06-30"), ("early June", "2026-06-01", "2026-06-10"),
        ("a fortnight ago", "2026-05-03", "2026-05-09"), ("半个月前", "2026-05-02", "2026-05-08"),
        ("1月装了什么", "2026-01-01", "2026-01-31"),
        ("spring of 2024", "2024-03-01", "2024-05-31"), ("2019年7月", "2019-07-01", "2019-07-31"),
    ],
)  # fmt: skip
def test_a_longer_time_is_one_range(text: str, start: str, end: str) -> None:
    assert days(text) == [(start, end)]


@pytest.mark.parametrize(
    "text",
    [
        "v3.17.0 10.0.0.1 192.168.1.20", "Version 2024.1.2", "$2023 price", "2023 元", "5号柜", "5 号柜",
        "地铁3号线", "I may 2 go",
        "march 3 miles", "2026-03-02T14:00:01 zqgate31 link up", "2026-03-02 14:00:01.123 WARN",
        "Jun 10 08:00:01 host sshd",
        "[10/Oct/2000:13:55:36 -0700]", "12:30", "1/2", "20260503", "第三天", "两个月", "on Mondays", "小明天天", "5月天的歌", "3月租", "每个月初", "岁月末",
        "100天后端",
        "https://a.example/2026/05/03/x", "31.02.2023", "早上8点", "2026-13-45", "port 2026", "",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert days(text) == []


def test_a_bare_weekday_that_is_over_keeps_both_readings() -> None:
    assert days("on Friday") == [("2026-05-15", "2026-05-15"), ("2026-05-22", "2026-05-22")]


def test_half_past_midnight_belongs_to_its_local_day() -> None:
    at = datetime(2026, 5, 3, 0, 30, tzinfo=timezone(timedelta(hours=8)))
    assert "d20260503" in turn_day_terms(at)
    assert days("今天", at) == [("2026-05-03", "2026-05-03")]


def test_tomorrow_said_the_day_before_shares_its_term_with_the_date() -> None:
    said = spoken_days(
        QueryText("明天下午三点要去复查牙齿"), datetime(2026, 2, 19, 20, tzinfo=timezone(timedelta(hours=8)))
    )
    asked = window("2026年2月20日有什么安排")
    assert asked is not None
    assert asked.days is not None
    assert "d20260220" in set(day_terms(said)) & set(day_terms([asked.days]))


def test_without_a_moment_only_complete_dates_are_read() -> None:
    assert days("昨天 last week 3月2日 on Friday", None) == []
    assert days("8 May 2023", None) == [("2023-05-08", "2023-05-08")]


def test_day_terms_name_day_month_year_and_weekday() -> None:
    assert day_terms([DayRange(date(2026, 5, 3), date(2026, 5, 3))]) == ("d20260503", "m202605", "y2026", "w7")
    assert day_terms([DayRange(date(2026, 1, 1), date(2026, 12, 31))]) == ("y2026",)
    assert day_terms([DayRange(date(2026, 4, 1), date(2026, 4, 30))]) == ("m202604", "y2026")
    assert turn_day_terms(WEDNESDAY) == ("d20260520", "m202605", "y2026", "w3")
    assert turn_day_terms(None) == ()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("what did I buy yesterday", date(2026, 5, 19), date(2026, 5, 20)),
        ("what did I buy today", date(2026, 5, 20), date(2026, 5, 21)),
        ("3月2日有什么安排", date(2026, 3, 2), date(2026, 3, 3)),
        ("周六的羽毛球还打吗", date(2026, 5, 23), date(2026, 5, 24)),
        ("周一吃了什么", date(2026, 5, 18), date(2026, 5, 19)),
        ("what did I do on Friday", date(2026, 5, 15), date(2026, 5, 16)),
        ("what's on Friday", date(2026, 5, 22), date(2026, 5, 23)),
        ("上周买了什么", date(2026, 5, 11), date(2026, 5, 18)),
    ],
)
def test_a_question_about_a_day_ends_with_it(text: str, start: date, end: date) -> None:
    assert window(text) == Window(start, end, Direction.EXACT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("before May 2023 where did I live", Window(None, date(2023, 5, 1), Direction.BEFORE)),
        ("5月3日之前", Window(None, date(2026, 5, 3), Direction.BEFORE)),
        ("as of 8 May 2023", Window(None, date(2023, 5, 9), Direction.BEFORE)),
        ("what happened after March 15", Window(date(2026, 3, 16), None, Direction.AFTER)),
        ("5月3日以后买了什么", Window(date(2026, 5, 4), None, Direction.AFTER)),
        ("since last week", Window(date(2026, 5, 11), None, Direction.AFTER)),
    ],
)
def test_before_and_after_a_date_are_half_open(text: str, expected: Window) -> None:
    assert window(text) == expected


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("服务器 SSH 端口以前是多少", Direction.BEFORE), ("what was it before?", Direction.BEFORE),
        ("原来的端口", Direction.BEFORE),
        ("我之前住哪", Direction.BEFORE), ("where did I use to work", Direction.BEFORE),
        ("my old address", Direction.BEFORE),
        ("服务器 SSH 端口现在是多少", Direction.LATEST), ("what do I drink in the morning now", Direction.LATEST),
        ("目前的版本", Direction.LATEST), ("the current port", Direction.LATEST), ("最新的地址", Direction.LATEST),
    ],
)  # fmt: skip
def test_older_and_newest_values_are_told_apart(text: str, direction: Direction) -> None:
    assert window(text) == Window(None, None, direction)


@pytest.mark.parametrize(
    "text",
    ["when did I go", "体检到底是哪天", "did I ever drink coffee", "睡觉之前吃什么药",
     "What did I eat before going to bed?",
     "is he used to it", "最近的超市在哪", "现在和以前有什么不同", "do you know how", "出门之前要带什么",
     "什么时候开会"],
)  # fmt: skip
def test_a_question_without_bounds_has_no_window(text: str) -> None:
    assert window(text) is None


MOMENTS = st.datetimes(timezones=st.just(timezone(timedelta(hours=8)))) | st.none()
PIECES = st.lists(
    st.sampled_from(
        ["5月", "3日", "2026年", "明天", "上", "下", "周", "三", "天", "前", "去年", "冬天", "底", "last ",
         "next ", "9999年12月31日",
         "0001-01-01", "May ", "8 ", "2023 ", "week ", "ago", "in ", "999 ", "years ", "winter ", "before ", "到",
         "-", "31.12.2023",
         "past ", "九百九十九", "Christmas ", "Friday ", "号", "初", " "]
    )
).map("".join)  # fmt: skip


@given(st.text(alphabet=st.characters()) | PIECES, MOMENTS)
def test_reading_dates_never_raises_and_stays_bounded(text: str, at: datetime | None) -> None:
    found = spoken_days(QueryText(text), at)
    assert len(found) <= 32
    assert len(day_terms(found)) <= 64
    assert list(found) == sorted(found)
    query_window(QueryText(text), at)


@given(st.dates(date(1950, 1, 1), date(2099, 12, 31)), st.dates(date(1950, 1, 1), date(2099, 12, 31)))
def test_a_complete_date_is_read_back_whatever_today_is(day: date, today: date) -> None:
    at = datetime(today.year, today.month, today.day)
    for text in (
        day.isoformat(),
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.day} {day:%B} {day.year}",
        f"{day:%d.%m.%Y}",
    ):
        assert spoken_days(QueryText(text), at) == (DayRange(day, day),), text


def test_any_day_of_a_longer_time_is_meant_and_none_beside_a_single_day() -> None:
    week = DayRange(date(2026, 5, 18), date(2026, 5, 24))
    assert alternative_days([week]) == frozenset(f"d202605{day}" for day in range(18, 25))
    assert alternative_days([DayRange(date(2026, 5, 18), date(2026, 5, 18))]) == frozenset()
    assert alternative_days([DayRange(date(2026, 1, 1), date(2026, 12, 31))]) == {"y2026"}
    assert alternative_days(spoken_days(QueryText("on Friday"), WEDNESDAY)) == {"d20260515", "d20260522"}
    assert alternative_days(spoken_days(QueryText("last week, on May 3 2026"), WEDNESDAY)) == frozenset()


def test_what_came_after_a_day_is_asked_of_the_days_since() -> None:
    since = asked_days(QueryText("5月14日之后寄给谁了"), WEDNESDAY)
    assert since == (DayRange(date(2026, 5, 15), date(2026, 5, 20)),)
    assert asked_days(QueryText("2020年3月2日之后"), WEDNESDAY) == spoken_days(QueryText("2020年3月2日之后"), WEDNESDAY)
