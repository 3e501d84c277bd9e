from __future__ import annotations

import asyncio
import re
from datetime import datetime, time, timedelta, timezone
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from homeagent.builtin.clock import PLUGIN
from homeagent.builtin.clock.moments import due_after, due_at, in_words, local_zone, spoken
from homeagent_sdk import SettingsError, ToolError
from homeagent_sdk.context import Injection
from homeagent_sdk.testing import FakeHost

if TYPE_CHECKING:
    from homeagent_sdk import ToolResult

SHANGHAI, BERLIN = ZoneInfo("Asia/Shanghai"), ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 5, 1, 15, 0, tzinfo=SHANGHAI)


def called(*calls: tuple[str, dict[str, object]], zone: str = "Asia/Shanghai") -> tuple[list[ToolResult], FakeHost]:
    async def call() -> tuple[list[ToolResult], FakeHost]:
        async with FakeHost(PLUGIN, settings={"zone": zone}) as host:
            return [await host.call(name, **arguments) for name, arguments in calls], host

    return asyncio.run(call())


def test_now_is_told_with_weekday_in_both_languages_and_zone() -> None:
    (result,), _ = called(("clock_now", {}))
    pattern = r"\d{4}-\d\d-\d\d \d\d:\d\d \(\w+day 星期.\), \d\d:\d\d:\d\d, Asia/Shanghai \(UTC\+08:00\)"
    assert re.fullmatch(pattern, result.text)
    told = datetime.strptime(result.text[:16], "%Y-%m-%d %H:%M").replace(tzinfo=SHANGHAI)
    assert abs(datetime.now(SHANGHAI) - told) < timedelta(minutes=2)


def test_another_zone_can_be_asked_for_and_a_wrong_one_is_corrected() -> None:
    (there, wrong), _ = called(("clock_now", {"zone": "Asia/Tokyo"}), ("clock_now", {"zone": "new york"}))
    assert "Asia/Tokyo (UTC+09:00)" in there.text
    assert "Did you mean America/New_York?" in wrong.text


def test_a_path_is_no_zone() -> None:
    (result,), _ = called(("clock_now", {"zone": "../../etc/passwd"}))
    assert "no time zone" in result.text


def test_the_zone_of_the_machine_follows_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    assert local_zone() == BERLIN
    monkeypatch.setenv("TZ", "no/such")
    assert datetime.now(local_zone()).tzinfo is not None


def test_a_wrong_zone_in_the_settings_is_refused() -> None:
    with pytest.raises(SettingsError, match="Did you mean"):
        FakeHost(PLUGIN, settings={"zone": "Asia/Shanghia"})


def test_a_timer_puts_a_message_in_at_its_time() -> None:
    before = datetime.now(SHANGHAI)
    (result,), host = called(("clock_set_timer", {"minutes": 0.5, "text": "take the eggs off"}))
    (injection,) = host.injected
    assert injection.at is not None
    assert timedelta(seconds=29) < injection.at - before < timedelta(seconds=40)
    assert re.fullmatch(r"Reminder \(\d{4}-\d\d-\d\d \d\d:\d\d\): take the eggs off", injection.text)
    assert "in 30 seconds (id injection-1): take the eggs off" in result.text
    assert (injection.channel, injection.chat, injection.no_memory) == ("test", "main", False)


def test_a_timer_without_words_says_that_the_time_is_up() -> None:
    _, host = called(("clock_set_timer", {"minutes": 5}))
    assert host.injected[0].text.endswith("时间到了 Time is up")


def test_a_chinese_reminder_comes_in_chinese() -> None:
    (result,), host = called(("clock_remind", {"text": "交电费", "minutes": 90}))
    assert re.fullmatch(r"提醒（\d{4}-\d\d-\d\d \d\d:\d\d）：交电费", host.injected[0].text)
    assert "in 1 hour 30 minutes" in result.text


def test_a_reminder_at_a_moment_of_another_zone_is_told_in_that_of_the_home() -> None:
    year = datetime.now(SHANGHAI).year + 1
    (result,), host = called(("clock_remind", {"text": "call", "at": f"{year}-01-02T01:00+01:00"}))
    assert host.injected[0].at == datetime(year, 1, 2, 8, tzinfo=SHANGHAI)
    assert f"{year}-01-02 08:00" in result.text


def test_a_time_without_a_date_is_the_next_one() -> None:
    assert due_at(time(16, 0), NOW) == NOW + timedelta(hours=1)
    assert due_at(time(15, 0), NOW) == NOW + timedelta(days=1)
    assert due_at(time(7, 30), NOW) == datetime(2026, 5, 2, 7, 30, tzinfo=SHANGHAI)
    assert due_at(time(9, 0, tzinfo=timezone.utc), NOW) == NOW + timedelta(hours=2)  # noqa: UP017 - a fixed offset


def test_a_moment_that_is_over_is_refused_with_how_long_ago_it_was() -> None:
    with pytest.raises(ToolError, match=r"2026-05-01 09:00 \(Friday 星期五\) is over: it was 6 hours ago"):
        due_at(datetime(2026, 5, 1, 9), NOW)


def test_a_moment_far_away_is_refused() -> None:
    with pytest.raises(ToolError, match="ten years"):
        due_at(datetime(2046, 5, 1, tzinfo=SHANGHAI), NOW)
    with pytest.raises(ToolError, match="ten years"):
        due_after(1e9, NOW)


def test_an_hour_is_an_hour_when_the_clocks_change_and_a_date_keeps_its_time_of_day() -> None:
    evening = datetime(2026, 3, 28, 20, 0, tzinfo=BERLIN)
    assert f"{due_after(12 * 60, evening):%H:%M}" == "09:00"
    assert f"{due_at(time(8, 0), evening):%H:%M %z}" == "08:00 +0200"


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("clock_set_timer", {"minutes": 0}, "minutes"),
        ("clock_set_timer", {"minutes": -5}, "minutes"),
        ("clock_set_timer", {"minutes": 5, "text": "x" * 2001}, "text"),
        ("clock_remind", {"text": " ", "minutes": 5}, "text"),
        ("clock_remind", {"text": "x"}, "at"),
        ("clock_remind", {"text": "x", "at": "10:00", "minutes": 5}, "minutes"),
        ("clock_remind", {"text": "x", "at": "tomorrow"}, "at"),
        ("clock_remind", {"text": "x", "at": "2020-01-01"}, "at"),
        ("clock_remind", {"text": "x", "minutes": 0}, "minutes"),
        ("clock_cancel", {"reminder": "nothing"}, "reminder"),
        ("clock_cancel", {"reminder": ""}, "reminder"),
    ],
)
def test_what_makes_no_sense_is_an_error_about_the_right_argument(
    tool: str, arguments: dict[str, object], field: str
) -> None:
    (result,), host = called((tool, arguments))
    assert f'"field": "{field}"' in result.text
    assert host.injected == []


def test_what_waits_is_listed_and_can_be_taken_back_by_id_or_words() -> None:
    (_, _, listed, by_words, by_id, rest), host = called(
        ("clock_remind", {"text": "交电费", "minutes": 90}),
        ("clock_set_timer", {"minutes": 5, "text": "eggs"}),
        ("clock_list", {}),
        ("clock_cancel", {"reminder": "电费"}),
        ("clock_cancel", {"reminder": "INJECTION-2"}),
        ("clock_list", {}),
    )
    first, second = listed.text.splitlines()
    assert first.startswith("injection-2: ")
    assert "in 5 minutes: Reminder" in first
    assert second.endswith("交电费")
    assert by_words.text.startswith("Taken back: 提醒")
    assert by_id.text.endswith("eggs")
    assert rest.text == "No timers or reminders wait in this chat."
    assert host.injected == []


def test_words_that_fit_two_reminders_take_back_neither() -> None:
    (_, _, result), host = called(
        ("clock_set_timer", {"minutes": 5, "text": "tea one"}),
        ("clock_set_timer", {"minutes": 6, "text": "tea two"}),
        ("clock_cancel", {"reminder": "tea"}),
    )
    assert "injection-1" in result.text
    assert "injection-2" in result.text
    assert len(host.injected) == 2


def test_reminders_of_another_chat_are_neither_listed_nor_taken_back() -> None:
    async def call() -> tuple[str, str, int]:
        async with FakeHost(PLUGIN) as host:
            later = datetime.now(SHANGHAI) + timedelta(hours=1)
            host.injected.append(Injection("other-1", "surprise party", "test", "private", False, later))
            listed = (await host.call("clock_list")).text
            cancelled = (await host.call("clock_cancel", reminder="other-1")).text
            return listed, cancelled, len(host.injected)

    listed, cancelled, count = asyncio.run(call())
    assert "surprise" not in listed + cancelled
    assert '"error"' in cancelled
    assert count == 1


def test_there_is_an_end_to_how_many_may_wait() -> None:
    results, host = called(*[("clock_set_timer", {"minutes": 5, "text": "x"})] * 101)
    assert results[-1].error
    assert len(host.injected) == 100


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "1 second"),
        (90, "90 seconds"),
        (150, "2 minutes"),
        (3600, "1 hour"),
        (5430, "1 hour 30 minutes"),
        (90_000, "1 day 1 hour"),
        (86_399, "1 day"),
        (86_400 * 100, "100 days"),
    ],
)
def test_lengths_of_time_are_told_in_two_units(seconds: int, words: str) -> None:
    assert in_words(timedelta(seconds=seconds)) == words


def test_every_weekday_has_both_names() -> None:
    days = [spoken(datetime(2026, 5, day, tzinfo=SHANGHAI)) for day in range(4, 11)]
    assert days[0].endswith("(Monday 星期一)")
    assert days[6].endswith("(Sunday 星期日)")
