from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from homeagent.models import Say
from homeagent_sdk import Capabilities, Outgoing, ToolContext, tool
from tests.channels.worlds import ANNA, HOUSE, OWN, Platform, World, call, in_loop, until

if TYPE_CHECKING:
    from pathlib import Path

QUICK = replace(HOUSE, status_seconds=0.05)


@in_loop
async def test_one_line_is_edited_while_a_turn_takes_long_and_it_is_no_memory(tmp_path: Path) -> None:
    platform = Platform(can=Capabilities(edit=True, typing=True))

    def lines() -> list[Outgoing]:
        return [each for each in platform.sent if re.fullmatch(r"\.\.\. look: page 2 of 9 · \d+ s", each.text)]

    @tool
    async def look(context: ToolContext, what: str) -> str:
        """Look at something until the chat was told of it twice."""
        context.progress(f"page 2 of {what}")
        await until(lambda: len(lines()) > 1)
        return "seen"

    async with World(
        tmp_path, [call("look", what="9"), "done looking"], look, platform=platform, options=QUICK
    ) as world:
        await world.says(OWN, "look at it")
        await until(lambda: any(each.text.startswith("done · ") for each in platform.sent))
        shown = [each for each in platform.sent if each.text != "done looking"]
        assert [each.edits for each in shown].count("") == 1, "one line, which is edited"
        assert {each.edits for each in shown} == {"", "m1"}
        assert len({each.text for each in lines()}) == len(lines()), "and says something else each time"
        await until(lambda: platform.texts(OWN).count("done looking") == 1)
        assert platform.typed[0] == OWN
        kept = "".join(segment.text for turn in world.raw() for segment in turn)
        assert "page 2" not in kept + world.computed()
        assert "page 2" not in str(world.requests[1].messages)


@in_loop
async def test_where_nothing_can_be_edited_lines_come_ever_more_seldom(tmp_path: Path) -> None:
    async with World(tmp_path, [Say("at last", pause=1.5)], options=QUICK) as world:
        await world.says(ANNA, "还好吗")
        await until(lambda: "at last" in world.platform.texts(ANNA))
        *lines, last = world.platform.texts(ANNA)
        assert last == "at last"
        assert 1 <= len(lines) <= 5
        assert re.fullmatch("…… 正在想 · [0-9]+ 秒", lines[0])


@in_loop
async def test_a_quick_answer_comes_without_any_line(tmp_path: Path) -> None:
    platform = Platform(can=Capabilities(edit=True))
    async with World(tmp_path, ["here"], platform=platform) as world:
        await world.says(ANNA, "quick")
        await world.hears(ANNA)
        await until(lambda: world.app.hub.state().unanswered == 0)
        assert platform.texts(ANNA) == ["here"]


@tool
async def paint(context: ToolContext, colour: str) -> str:
    """Paint the door."""
    return f"painted {colour}" if await context.ask(f"Paint the door {colour}?") else "not painted"


@in_loop
async def test_the_owner_is_asked_in_the_chat_and_his_yes_is_no_message(tmp_path: Path) -> None:
    async with World(tmp_path, [call("paint", colour="red"), "it is red"], paint) as world:
        await world.says(OWN, "paint it red")
        assert (await world.hears(OWN))[0] == "Paint the door red?\n(yes or no)"
        assert await world.says(OWN, "Yes!")
        assert (await world.hears(OWN, 2))[1] == "it is red"
        (turn,) = world.raw()
        assert [each.text for each in turn if each.role == "tool"] == ["painted red"]


@in_loop
async def test_another_message_is_a_no_and_is_answered_too(tmp_path: Path) -> None:
    async with World(tmp_path, [call("paint", colour="red"), "then not", "sunny"], paint) as world:
        await world.says(OWN, "paint it red")
        await world.hears(OWN)
        await world.says(OWN, "how is the weather?")
        assert (await world.hears(OWN, 3))[1:] == ["then not", "sunny"]


@in_loop
async def test_a_guest_has_no_tools_of_the_owner_and_agrees_to_nothing(tmp_path: Path) -> None:
    async with World(tmp_path, [call("paint", colour="red"), "I can't"], paint) as world:
        await world.says(ANNA, "paint it red")
        assert await world.hears(ANNA) == ["I can't"]
        assert [each.name for each in world.requests[0].tools] == ["read_more"]
        assert "there is no tool" in world.raw()[0][2].text
    allowed = replace(HOUSE, guest_tools=("pai*",))
    async with World(tmp_path, [call("paint", colour="red"), "no"], paint, options=allowed) as world:
        await world.says(ANNA, "paint it red now")
        assert await world.hears(ANNA) == ["no"], "and nobody was asked"
        assert world.raw()[1][2].text == "not painted"


@in_loop
async def test_a_turn_that_hangs_is_stopped_with_the_program_and_gone_on_with_after(tmp_path: Path) -> None:
    async with World(tmp_path, [Say("never", pause=math.inf)]) as world:
        await world.says(ANNA, "hello there")
        await until(lambda: len(world.requests) == 1)
    async with World(tmp_path, ["here I am"]) as world:
        assert await world.hears(ANNA) == ["here I am"]
        await world.settled()
        assert world.statuses() == ["interrupted", "done"]
        assert [[each.role for each in turn] for turn in world.raw()] == [["user"], ["system", "assistant"]]
        assert "hello there" in world.requests[0].messages[1].text
        assert "hello there" in world.requests[0].messages[-1].text
        assert world.computed().count("hello there") == 1
