from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from homeagent.agent import Incoming, SilentUi
from homeagent.models import Say
from homeagent_sdk import Injection, ToolContext, tool
from tests.agent.worlds import HERE, Ui
from tests.agent.worlds import World as PlainWorld
from tests.channels.worlds import ANNA, OWN, World, call, in_loop, until

if TYPE_CHECKING:
    from pathlib import Path


FIRE = "The smoke detector says fire"


async def put_in(world: World, name: str, text: str, chat: str = OWN, **how: object) -> None:
    given = {"no_memory": False, "at": None, **how}
    await world.app.inbox.add(Injection(name, text, "chat", chat, **given), "test")  # type: ignore[arg-type]


async def nothing_waits(world: World) -> None:
    while await world.app.inbox.waiting("test"):
        await asyncio.sleep(0.01)


@in_loop
async def test_what_a_plugin_puts_in_is_answered_in_its_chat(tmp_path: Path) -> None:
    async with World(tmp_path, ["Tea time!"]) as world:
        await put_in(world, "i1", "time for tea", no_memory=True)
        assert await world.hears(OWN) == ["Tea time!"]
        assert world.raw()[0][0].no_memory
        assert "time for tea" not in world.computed()
        await nothing_waits(world)


@tool
async def remind(context: ToolContext, text: str) -> str:
    """Remind the person."""
    return await context.inject(f"reminder: {text}", no_memory=True, priority=2)


@in_loop
async def test_a_tool_puts_a_message_into_its_own_chat_with_a_priority(tmp_path: Path) -> None:
    async with World(tmp_path, [call("remind", text="tea"), "I will", "Tea!"], remind) as world:
        await world.says(OWN, "remind me of tea")
        assert await world.hears(OWN, 2) == ["I will", "Tea!"]
        assert [turn.source for turn in world.app.memory.turns()] == ["channel chat", "injected"]


@in_loop
async def test_an_interrupt_is_answered_first_and_the_turn_under_way_is_gone_on_with(tmp_path: Path) -> None:
    begun = asyncio.Event()

    @tool
    async def measure(room: str) -> str:
        """Measure a room."""
        return f"{room} has 21 degrees"

    @tool
    async def wait_long() -> str:
        """Wait very long."""
        begun.set()
        await asyncio.sleep(math.inf)
        return ""

    script = [
        Say("I measure first.", (call("measure", 1, room="kitchen"),)),
        call("wait_long", 2),
        "Everybody out!",
        "As I measured, the kitchen has 21 degrees.",
    ]
    async with World(tmp_path, script, measure, wait_long) as world:
        await world.says(OWN, "how warm is the kitchen, exactly?")
        await begun.wait()
        await put_in(world, "i1", FIRE, interrupt=True)
        said = await world.hears(OWN, 3)
        assert said == ["I measure first.", "Everybody out!", "As I measured, the kitchen has 21 degrees."]
        await world.settled()
        assert world.statuses() == ["interrupted", "done", "done"]
        first, fire, rest = world.raw()
        assert [each.role for each in first] == ["user", "assistant", "tool", "assistant", "tool"]
        assert first[2].text == "kitchen has 21 degrees", "what was done is kept"
        assert first[4].text == "[interrupted before it was finished]"
        assert [each.text for each in fire] == [FIRE, "Everybody out!"]
        assert [each.role for each in rest] == ["system", "assistant"]
        seen = world.requests[-1].messages
        assert any("kitchen has 21 degrees" in each.text for each in seen), "it goes on with what it had"
        assert "how warm is the kitchen" in seen[-1].text
        await until(lambda: world.app.hub.state().unanswered == 0)


@in_loop
async def test_without_interrupt_it_waits_and_the_highest_priority_comes_first(tmp_path: Path) -> None:
    gate = asyncio.Event()

    @tool
    async def wait_for_it() -> str:
        """Wait."""
        await gate.wait()
        return "over"

    async with World(
        tmp_path, lambda _request: call("wait_for_it") if len(world.requests) == 1 else "done", wait_for_it
    ) as world:
        await world.says(OWN, "go")
        await until(lambda: bool(world.requests))
        await put_in(world, "i1", "low", priority=-1)
        await put_in(world, "i2", "middle")
        await put_in(world, "i3", "high", priority=5)
        await until(lambda: len(world.app.inbox._given) == 3)
        assert world.statuses() == ["open"], "nothing was stopped"
        gate.set()
        await world.hears(OWN, 4)
        assert [turn[0].text for turn in world.raw()] == ["go", "high", "middle", "low"]
        await world.settled()
        assert set(world.statuses()) == {"done"}


@in_loop
async def test_an_interrupt_of_lower_priority_stops_nothing(tmp_path: Path) -> None:
    gate = asyncio.Event()

    @tool
    async def wait_for_it() -> str:
        """Wait."""
        await gate.wait()
        return "over"

    async with World(tmp_path, ["hello", call("wait_for_it"), "first", "second"], wait_for_it) as world:
        await world.says(OWN, "hi")  # a chat in which nobody spoke yet has the tools of guests
        await world.settled()
        await put_in(world, "i1", "important", priority=9)
        await until(lambda: len(world.requests) == 2)
        await put_in(world, "i2", "urgent but small", interrupt=True)
        await until(lambda: len(world.app.inbox._given) == 2)
        gate.set()
        assert await world.hears(OWN, 3) == ["hello", "first", "second"]
        await world.settled()
        assert world.statuses() == ["done", "done", "done"]
        assert "over" in world.prompts()[2]


@in_loop
async def test_an_interrupt_stops_no_other_chat(tmp_path: Path) -> None:
    gate = asyncio.Event()

    @tool
    async def wait_for_it() -> str:
        """Wait."""
        await gate.wait()
        return "over"

    async with World(tmp_path, [call("wait_for_it"), "out!", "over it is"], wait_for_it) as world:
        await world.says(OWN, "go")
        await until(lambda: bool(world.requests))
        await put_in(world, "i1", FIRE, chat="elsewhere", interrupt=True)
        assert await world.hears("elsewhere") == ["out!"]
        gate.set()
        assert await world.hears(OWN) == ["over it is"]
        await world.settled()
        assert sorted(world.statuses()) == ["done", "done"]


@in_loop
async def test_an_injection_that_was_cut_off_is_gone_on_with_after_a_restart(tmp_path: Path) -> None:
    async with World(tmp_path, [Say("never", pause=math.inf)]) as world:
        await put_in(world, "i1", "time for tea")
        await until(lambda: bool(world.requests))
    async with World(tmp_path, ["Tea, as I wanted to say!"]) as world:
        assert await world.hears(OWN) == ["Tea, as I wanted to say!"]
        await world.settled()
        assert world.statuses() == ["interrupted", "done"]
        await nothing_waits(world)


@in_loop
async def test_a_guest_s_reminder_has_no_more_tools_than_the_guest(tmp_path: Path) -> None:
    async with World(tmp_path, ["hi", "no", "hello", "yes"], remind) as world:
        await world.says(ANNA, "hello")
        await world.hears(ANNA)
        await put_in(world, "i1", "call remind", chat=ANNA)
        await world.hears(ANNA, 2)
        assert world.requests[1].tools[1:] == ()
        await world.says(OWN, "hello")
        await world.hears(OWN)
        await put_in(world, "i2", "call remind")
        await world.hears(OWN, 2)
        assert [each.name for each in world.requests[3].tools] == ["read_more", "remind"]


@in_loop
async def test_at_the_terminal_an_interrupted_answer_comes_in_the_end(tmp_path: Path) -> None:
    begun = asyncio.Event()

    @tool
    async def wait_long() -> str:
        """Wait very long."""
        begun.set()
        await asyncio.sleep(math.inf)
        return ""

    async with PlainWorld(tmp_path, [call("wait_long"), "Out!", "Here is your answer."], wait_long) as world:
        asides: list[Ui] = []

        def beside(_injection: Injection) -> Ui:
            asides.append(Ui())
            return asides[-1]

        answering = asyncio.create_task(world.app.answer_injections(beside))
        responding = asyncio.create_task(world.app.hub.respond(Incoming("a question", HERE), SilentUi()))
        await begun.wait()
        await world.app.inbox.add(Injection("i1", FIRE, "cli", "main", False, None, interrupt=True), "test")
        assert await responding == "Here is your answer."
        assert world.statuses() == ["interrupted", "done", "done"]
        assert len(asides) == 1
        answering.cancel()


@in_loop
async def test_who_stops_waiting_at_the_terminal_stops_the_turn(tmp_path: Path) -> None:
    async with PlainWorld(tmp_path, [Say("never", pause=math.inf), "next"]) as world:
        responding = asyncio.create_task(world.app.hub.respond(Incoming("a question", HERE), SilentUi()))
        await until(lambda: bool(world.requests))
        responding.cancel()
        await asyncio.wait({responding})
        assert world.statuses() == ["interrupted"]
        assert await world.app.hub.respond(Incoming("another", HERE), SilentUi()) == "next"


@in_loop
async def test_what_waits_for_a_chat_of_a_channel_is_left_to_a_running_hub(tmp_path: Path) -> None:
    async with PlainWorld(tmp_path, ["never"]) as world:
        waits = Injection("i1", "tea", "chat", OWN, False, None)
        assert world.app.hub._is_ours(lambda _each: SilentUi(), waits) is None, "no such channel: shown at the terminal"
    async with World(tmp_path, ["Tea!"]) as world:
        await put_in(world, "i1", "tea")
        assert await world.hears(OWN) == ["Tea!"]
