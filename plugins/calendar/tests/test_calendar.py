"""The tools, and reminders that survive a restart."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from home_calendar import plugin
from home_calendar.agenda import Agenda
from home_calendar.book import Book, Chat, Event
from home_calendar.reminders import Reminders, next_reminder
from home_calendar.rules import Repeat

from homeagent_sdk import SettingsError
from homeagent_sdk.calling import call_tool
from homeagent_sdk.convert import convert_arguments
from homeagent_sdk.testing import FakeContext, FakeHost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

SHANGHAI = ZoneInfo("Asia/Shanghai")
TODAY = datetime.now(SHANGHAI).date()
TOMORROW = TODAY + timedelta(days=1)


def with_host(folder: Path, run: Callable[[FakeHost], Awaitable[None]]) -> None:
    async def start() -> None:
        async with FakeHost(plugin, settings={"zone": "Asia/Shanghai"}, data_folder=folder) as host:
            await run(host)

    asyncio.run(start())


async def in_chat(host: FakeHost, chat: str, name: str, **arguments: object) -> str:
    context = FakeContext(host)
    context.chat = chat
    tool = next(each for each in plugin.tools if each.name == name)
    return (await call_tool(tool, context, convert_arguments(tool, arguments))).text


def test_an_event_is_written_listed_changed_and_removed_and_its_reminder_goes_along(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        added = await host.call("calendar_add", title="牙医", day=str(TOMORROW), at="15:30", remind_minutes=[60, 0])
        assert added.text.startswith("Event 1 written down. 牙医: next ")
        (waiting,) = host.injected
        assert waiting.at == datetime.combine(TOMORROW, datetime.min.time(), SHANGHAI) + timedelta(hours=14, minutes=30)
        assert waiting.text.startswith("日程提醒：牙医（")
        assert "15:30" in waiting.text
        assert "牙医 (event 1)" in (await host.call("calendar_list")).text
        await host.call("calendar_change", number=1, at="16:00", title="dentist")
        (waiting,) = host.injected
        assert waiting.text.startswith("Calendar reminder: dentist (")
        assert waiting.at is not None
        assert waiting.at.hour == 15
        await host.call("calendar_remove", number=1)
        assert host.injected == []
        assert (await host.call("calendar_list")).text.startswith("Nothing from ")

    with_host(tmp_path, run)


def test_all_day_recurring_and_lunar_events(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        birthday = await host.call("calendar_add", title="外婆生日", lunar="八月十五")
        assert "again by the Chinese calendar, 8-15" in birthday.text
        (waiting,) = host.injected
        assert waiting.at is not None
        assert (waiting.at.hour, waiting.at.minute) == (9, 0)
        assert waiting.at.tzinfo is not None
        await host.call("calendar_add", title="choir", day="2026-01-05", at="19:00", repeat="FREQ=WEEKLY;BYDAY=MO")
        listed = (await host.call("calendar_list", first="2027-09-01", last="2027-09-30")).text.splitlines()
        assert listed[2] == "2027-09-15 Wed 星期三 农历丁未年八月十五: 外婆生日 (event 1)"
        assert [line[:10] for line in listed if "choir" in line] == [
            "2027-09-06",
            "2027-09-13",
            "2027-09-20",
            "2027-09-27",
        ]
        await host.call("calendar_skip", number=2, day="2027-09-13")
        only = await host.call("calendar_list", first="2027-09-01", last="2027-09-30", containing="CHOIR")
        assert [line[:10] for line in only.text.splitlines()] == ["2027-09-06", "2027-09-20", "2027-09-27"]
        await host.call("calendar_change", number=2, title="big choir")  # what was left out stays out
        assert "09-13" not in (await host.call("calendar_list", first="2027-09-01", last="2027-09-30")).text
        assert (await host.call("calendar_skip", number=2, day="2027-09-14")).error

    with_host(tmp_path, run)


def test_the_chinese_calendar_is_told(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        assert (await host.call("calendar_lunar", day="2026-09-25")).text == "2026-09-25: 农历丙午年八月十五"
        assert (await host.call("calendar_lunar", day="2026-01-01", lunar="端午")).text == (
            "端午: 2026-06-19 Fri 星期五, 农历丙午年五月初五"
        )
        assert (await host.call("calendar_lunar", lunar="never")).error

    with_host(tmp_path, run)


def test_a_reminder_survives_a_restart_and_the_next_one_follows_when_it_has_come(tmp_path: Path) -> None:
    book = Book.open(tmp_path / "events.sqlite")
    wall = datetime(2026, 3, 27, 8, 0)
    book.add(Chat("cli", "main"), Event("feed the cat", Repeat(wall, "Europe/Berlin", "FREQ=DAILY"), False, (0,)))
    book.close()
    now = [datetime(2026, 3, 27, 0, 0, tzinfo=UTC)]

    async def sync(host: FakeHost) -> float:
        again = Book.open(tmp_path / "events.sqlite")  # as after a restart
        try:
            return await Reminders(again, lambda: now[0]).sync(FakeContext(host))
        finally:
            again.close()

    async def run() -> None:
        host = FakeHost(plugin, data_folder=tmp_path)
        await sync(host)
        await sync(host)
        assert [each.at for each in host.injected] == [datetime(2026, 3, 27, 7, 0, tzinfo=UTC)]
        assert (host.injected[0].channel, host.injected[0].chat) == ("cli", "main")
        now[0] = datetime(2026, 3, 27, 9, 0, tzinfo=UTC)
        assert await sync(host) == 1.0
        assert len(host.injected) == 1  # it is due and has not been told yet: the home still has it
        now[0] = datetime(2026, 3, 30, 12, 0, tzinfo=UTC)  # told after three days of rest
        host.injected.clear()
        await sync(host)
        assert [each.at for each in host.injected] == [datetime(2026, 3, 31, 6, 0, tzinfo=UTC)]  # summer time by now

    asyncio.run(run())


def test_a_crash_between_putting_in_and_noting_it_leaves_one_reminder(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        await host.call("calendar_add", title="walk", day=str(TOMORROW), at="10:00")
        agenda, context = host.state, FakeContext(host)
        assert isinstance(agenda, Agenda)
        await context.inject("Calendar reminder: walk", at=host.injected[0].at)  # put in, never noted
        await agenda.reminders.sync(context)
        assert len(host.injected) == 1
        assert host.injected[0].id == agenda.book.all()[0].waiting.injection

    with_host(tmp_path, run)


def test_of_several_reminders_the_earliest_comes_next() -> None:
    event = Event("train", Repeat(datetime(2026, 5, 1, 10, 0), "UTC"), False, (0, 30, 1440))
    at = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)
    expected = {
        "2026-04-29T00:00": at - timedelta(days=1),
        "2026-04-30T10:00": at - timedelta(minutes=30),
        "2026-05-01T09:45": at,
    }
    for after, moment in expected.items():
        found = next_reminder(event, datetime.fromisoformat(f"{after}+00:00"))
        assert found is not None
        assert found == (moment, at)
    assert next_reminder(event, at) is None
    assert next_reminder(Event("x", event.repeat, False, ()), at - timedelta(days=9)) is None


def test_the_background_puts_in_what_is_missing(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        agenda = host.state
        assert isinstance(agenda, Agenda)
        wall = datetime.combine(TOMORROW, datetime.min.time())
        agenda.book.add(Chat("cli", "main"), Event("by night", Repeat(wall, "Asia/Shanghai"), False, (0,)))
        for _ in range(200):
            if host.injected:
                break
            await asyncio.sleep(0.01)
        assert host.injected[0].text.startswith("Calendar reminder: by night")

    book = Book.open(tmp_path / "events.sqlite")
    book.close()
    with_host(tmp_path, run)


def test_an_event_is_seen_in_its_own_chat_only(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        await in_chat(host, "private", "calendar_add", title="surprise party", day=str(TOMORROW))
        assert "surprise" not in await in_chat(host, "family", "calendar_list")
        for name, arguments in (
            ("calendar_remove", {}),
            ("calendar_change", {"title": "mine"}),
            ("calendar_skip", {"day": str(TOMORROW)}),
        ):
            with pytest.raises(Exception, match="this chat has no event 1"):
                await in_chat(host, "family", name, number=1, **arguments)
        assert host.injected[0].chat == "private"

    with_host(tmp_path, run)


def test_what_can_not_be_is_refused_with_what_to_do(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        for arguments, reason in (
            ({"title": "x"}, "Give a day, or a lunar date"),
            ({"title": " ", "day": "2026-01-01"}, "is empty"),
            ({"title": "x", "day": "2026-01-01", "lunar": "8-15", "repeat": "daily"}, "comes back by itself"),
            ({"title": "x", "day": "2026-01-01", "zone": "Nowhere"}, "no time zone"),
            ({"title": "x", "day": "2026-01-01", "remind_minutes": [-5]}, "can't be"),
        ):
            result = await host.call("calendar_add", **arguments)
            assert result.error
            assert reason in result.text
        assert (await host.call("calendar_list", first="2026-02-01", last="2026-01-01")).error
        past = await host.call("calendar_add", title="moved in", day=str(date(2001, 5, 6)))
        assert "it is over" in past.text
        assert host.injected == []

    with_host(tmp_path, run)
    with pytest.raises(SettingsError):
        FakeHost(plugin, settings={"all_day_time": "noon"})
