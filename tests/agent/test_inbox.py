from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from homeagent.agent import Inbox, SilentUi
from homeagent.errors import HomeError
from homeagent_sdk import Injection, ToolContext, tool
from tests.agent.worlds import START, World, call, in_loop

if TYPE_CHECKING:
    from pathlib import Path


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def message(name: str, at: datetime | None = None) -> Injection:
    return Injection(name, f"text of {name}", "cli", "main", False, at)


@in_loop
async def test_what_is_due_comes_earliest_first_and_once(tmp_path: Path) -> None:
    clock = Clock()
    inbox = Inbox(tmp_path / "waiting.json", clock)
    await inbox.add(message("late", clock.now + timedelta(hours=1)), "clock")
    await inbox.add(message("soon", clock.now - timedelta(minutes=1)), "clock")
    await inbox.add(message("now"), "mail")
    assert (await inbox.next()).id == "now"
    assert (await inbox.next()).id == "soon"
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(inbox.next(), 0.05)
    clock.now += timedelta(hours=2)
    assert (await inbox.next()).id == "late"


@in_loop
async def test_what_waits_survives_a_restart_until_it_is_done(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "waiting.json"
    first = Inbox(path, clock)
    await first.add(message("a", clock.now), "clock")
    await first.add(message("b", clock.now + timedelta(days=1)), "clock")
    assert (await first.next()).id == "a"
    first.close()  # as when the process dies
    again = Inbox(path, clock)
    assert (await again.next()) == message("a", clock.now), "given, but not done: it comes again"
    await again.done("a")
    assert [each.id for each in await Inbox(path, clock).waiting("clock")] == ["b"]
    assert path.stat().st_mode & 0o777 == 0o600


@in_loop
async def test_only_its_own_plugin_sees_and_withdraws_a_message(tmp_path: Path) -> None:
    clock = Clock()
    inbox = Inbox(tmp_path / "waiting.json", clock)
    await inbox.add(message("a", clock.now + timedelta(hours=2)), "clock")
    await inbox.add(message("b", clock.now + timedelta(hours=1)), "clock")
    assert await inbox.waiting("mail") == []
    assert not await inbox.withdraw("a", "mail")
    assert [each.id for each in await inbox.waiting("clock")] == ["b", "a"]
    assert await inbox.withdraw("a", "clock")
    assert not await inbox.withdraw("a", "clock")


@in_loop
async def test_a_new_message_wakes_whoever_waits(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path / "waiting.json", Clock())
    waiting = asyncio.create_task(inbox.next())
    await asyncio.sleep(0.02)
    await inbox.add(message("now"), "mail")
    assert (await asyncio.wait_for(waiting, 5)).id == "now"


@in_loop
async def test_two_processes_put_in_and_one_takes_out(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "waiting.json"
    one, two = Inbox(path, clock), Inbox(path, clock)
    await one.add(message("a"), "mail")
    await two.add(message("b"), "mail")
    assert [each.id for each in await one.waiting("mail")] == ["a", "b"]
    assert (await one.next()).id == "a"
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(two.next(), 0.05)
    await one.done("a")
    assert (await one.next()).id == "b"
    one.close()
    assert (await two.next()).id == "b"


@pytest.mark.parametrize("text", ["{", "[{}]", '[{"id": 1}]', "[5]"])
def test_a_file_that_can_not_be_read_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "waiting.json"
    path.write_text(text, "utf-8")
    with pytest.raises(HomeError, match=r"waiting\.json: the waiting messages can't be read"):
        Inbox(path)


@tool
async def remind(context: ToolContext, text: str, minutes: int) -> str:
    """Remind the person later."""
    at = START + timedelta(minutes=minutes)
    return await context.inject(f"reminder: {text}", no_memory=True, at=at)


@in_loop
async def test_a_reminder_is_answered_after_a_restart_exactly_once(tmp_path: Path) -> None:
    async with World(tmp_path, [call("remind", text="the oven", minutes=1), "I will"], remind) as world:
        await world.say("remind me of the oven")
    waiting = json.loads((tmp_path / "waiting.json").read_text("utf-8"))
    assert [each["text"] for each in waiting] == ["reminder: the oven"]
    for _ in range(2):
        async with World(tmp_path, ["The oven!"], remind) as world:
            task = asyncio.create_task(world.app.answer_injections(lambda _injection: SilentUi()))
            for _ in range(200):
                await asyncio.sleep(0.01)
                if json.loads((tmp_path / "waiting.json").read_text("utf-8")) == []:
                    break
            task.cancel()
            turns = world.raw()
            (tmp_path / "waiting.json").write_text(json.dumps(waiting), "utf-8")  # as if it had died before `done`
    assert len(turns) == 2
    assert [each.text for each in turns[1]] == ["reminder: the oven", "The oven!"]
    assert turns[1][0].no_memory
