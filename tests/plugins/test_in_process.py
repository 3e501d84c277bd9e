from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import Deadline, Failure, guarded
from homeagent_sdk import (
    ArgumentsError,
    DeclarationError,
    Plugin,
    PluginContext,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    tool,
)
from tests.plugins.worlds import PRIVATE, World, in_loop

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Settings:
    city: str = "Berlin"


@dataclass(frozen=True)
class OthersSettings:
    token: str = "secret"


@tool
async def look(context: ToolContext, what: str) -> str:
    """Look at the context."""
    match what:
        case "ids":
            return f"{context.call_id} {context.turn_id} {context.channel}/{context.chat} {context.person}"
        case "settings":
            return context.settings(Settings).city
        case "theirs":
            return context.settings(OthersSettings).token
        case "state":
            return context.state(list)[0]
        case "folder":
            return str(context.data_folder)
        case "ask":
            return f"{await context.ask('yes?')} {await context.ask('no?')}"
        case "inject":
            return await context.inject("later", at=datetime(2026, 5, 1, tzinfo=UTC))
        case "naive":
            return await context.inject("later", at=datetime(2026, 5, 1))
        case "elsewhere":
            return await context.inject("hello", channel="qq", chat="5")
        case "progress":
            context.progress("half")
    return ""


@tool
def shout() -> str:
    """Print."""
    print("one\ntwo")
    threading.Thread(target=print, args=("in a thread of its own",)).start()
    return "said"


PLUGIN = Plugin("looker", "1.0.0", tools=[look, shout], settings=Settings, on_start=lambda _context: ["remembered"])


async def looked(world: World, what: str, **seat: object) -> str:
    call = ToolCall("c1", "look", {"what": what})
    return (await world.registry.runner("looker").call(call, world.seat(**seat))).text  # type: ignore[arg-type]


@in_loop
async def test_a_tool_sees_its_own_plugin_and_turn(tmp_path: Path) -> None:
    world = World(tmp_path, PLUGIN, looker={"city": "Wien"})
    await world.registry.start()
    assert await looked(world, "ids") == "c1 t1 cli/main owner"
    assert await looked(world, "settings") == "Wien"
    assert await looked(world, "state") == "remembered"
    assert await looked(world, "ask") == "True False"
    await looked(world, "progress")
    assert world.progress == ["half"]
    folder = tmp_path / "looker"
    assert await looked(world, "folder") == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


@in_loop
async def test_the_settings_of_another_plugin_are_out_of_reach(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=r"plugin 'looker', context\.settings: it has no OthersSettings"):
        await looked(World(tmp_path, PLUGIN), "theirs")


@in_loop
async def test_what_a_tool_puts_in_goes_to_its_chat_unless_it_names_another(tmp_path: Path) -> None:
    world = World(tmp_path, PLUGIN)
    number = await looked(world, "inject")
    await looked(world, "elsewhere")
    (_, here), (_, there) = world.injector.taken
    assert (here.id, here.text, here.channel, here.chat, here.at) == (
        number,
        "later",
        "cli",
        "main",
        datetime(2026, 5, 1, tzinfo=UTC),
    )
    assert (there.channel, there.chat, there.at) == ("qq", "5", None)


@pytest.mark.parametrize(("what", "private", "reason"), [("naive", False, "no zone"), ("inject", True, "private")])
@in_loop
async def test_an_injection_that_can_not_be_is_refused(tmp_path: Path, what: str, private: bool, reason: str) -> None:
    with pytest.raises(ToolError, match=reason):
        await looked(World(tmp_path, PLUGIN), what, **({"turn": PRIVATE} if private else {}))


@in_loop
async def test_arguments_are_checked_before_the_tool_runs(tmp_path: Path) -> None:
    runner = World(tmp_path, PLUGIN).registry.runner("looker")
    for method in (runner.check(ToolCall("c", "look", {})), runner.call(ToolCall("c", "look", {}), None)):  # type: ignore[arg-type]
        with pytest.raises(ArgumentsError, match="what: is missing"):
            await method


@in_loop
async def test_what_a_tool_prints_goes_to_its_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    world = World(tmp_path, PLUGIN)
    before = sys.stdout
    result = await world.registry.runner("looker").call(ToolCall("c", "shout", {}), world.seat())
    assert result == ToolResult("said")
    assert sys.stdout is before
    assert [record.getMessage() for record in caplog.records if record.name == "homeagent.plugin.looker"][:2] == [
        "printed: one",
        "printed: two",
    ]
    assert "one" not in capsys.readouterr().out


@in_loop
async def test_what_is_printed_in_a_private_turn_goes_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    world = World(tmp_path, PLUGIN)
    await world.registry.runner("looker").call(ToolCall("c", "shout", {}), world.seat(PRIVATE))
    assert not caplog.records
    assert "one" not in capsys.readouterr().out


@in_loop
async def test_foreign_work_that_hangs_is_stopped() -> None:
    cleaned: list[str] = []

    async def hang() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append("up")

    started = time.perf_counter()
    outcome = await guarded(hang(), 0.05)
    assert isinstance(outcome, Failure)
    assert outcome.kind == "timeout"
    assert cleaned == ["up"]
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError()])
@in_loop
async def test_whatever_foreign_work_raises_is_a_value(error: BaseException) -> None:
    async def fail() -> None:
        raise error

    outcome = await guarded(fail(), 5)
    assert isinstance(outcome, Failure)
    assert outcome.kind == "raised"
    assert type(error).__name__ in outcome.message


@in_loop
async def test_when_the_caller_is_cancelled_the_work_cleans_up_first() -> None:
    cleaned = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            cleaned.set()

    caller = asyncio.create_task(guarded(work(), 60))
    await asyncio.sleep(0.02)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert cleaned.is_set()


@in_loop
async def test_the_time_a_person_thinks_does_not_count() -> None:
    deadline = Deadline(0.2)

    async def work() -> str:
        with deadline.paused():
            await asyncio.sleep(0.5)
        return "done"

    assert await guarded(work(), deadline) == "done"

    async def slow() -> str:
        with slow_deadline.paused():
            await asyncio.sleep(0.2)
        await asyncio.sleep(30)
        return "done"

    slow_deadline = Deadline(0.1)
    assert isinstance(await guarded(slow(), slow_deadline), Failure)


def test_the_context_is_the_protocol_of_the_sdk(tmp_path: Path) -> None:
    seen: list[PluginContext] = []
    plugin = Plugin("p", "1", on_start=seen.append)
    asyncio.run(World(tmp_path, plugin).registry.start())
    assert seen[0].plugin == "p"
