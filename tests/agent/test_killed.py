"""A process that is killed in the middle of a tool: the next start knows what was said and what was begun."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

import pytest

from homeagent.agent.rendering import NO_ANSWER
from homeagent.app import App, AppParts
from homeagent.memory.embed import NoEmbedder
from homeagent.models import ScriptedModel
from tests.agent.worlds import HERE, World, in_loop

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
    import asyncio, json, sys
    from pathlib import Path
    from homeagent.agent import Incoming
    from homeagent.app import App, AppParts
    from homeagent.memory import Place
    from homeagent.memory.embed import NoEmbedder
    from homeagent.models import Say, ScriptedModel, ToolCall
    from homeagent_sdk import Plugin, tool

    home = Path(sys.argv[1])

    @tool
    async def quick() -> str:
        '''Be quick.'''
        return "quick is done"

    @tool
    async def slow(what: str) -> str:
        '''Be slow.'''
        (home / "begun").touch()
        await asyncio.sleep(60)
        return ""

    async def main() -> None:
        script = [ToolCall("c1", "quick"), Say("now the slow one", (ToolCall("c2", "slow", '{"what": "oven"}'),))]
        parts = AppParts(ScriptedModel(script), [Plugin("tools", "1", tools=[quick, slow])], embedder=NoEmbedder())
        async with App.open(home, parts) as app:
            await app.agent.respond(Incoming("heat the oven", Place("cli", "main")))

    asyncio.run(main())
"""


def begun(home: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(PROGRAM), str(home)])
    deadline = time.monotonic() + 50
    while not (home / "begun").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_turn_whose_process_ends_is_interrupted_and_knows_what_was_begun(tmp_path: Path, how: signal.Signals) -> None:
    process = begun(tmp_path)
    os.kill(process.pid, how)
    process.wait(30)

    async def afterwards() -> None:
        async with World(tmp_path, ["the slow one was interrupted"]) as world:
            assert world.statuses() == ["interrupted"]
            segments = world.raw()[0]
            roles = [each.role for each in segments]
            assert roles[:4] == ["user", "assistant", "tool", "assistant"]
            assert segments[2].text == "quick is done"
            assert segments[3].text == "now the slow one"
            assert "slow" in (segments[3].arguments or ""), "what was about to be done is known"
            if how is signal.SIGINT:
                assert segments[4].text == "[interrupted before it was finished]"
            await world.say("what happened?")
            messages = world.requests[0].messages
            assert "interrupted" in messages[-3].text
            assert messages[-2].text == NO_ANSWER
            assert world.statuses() == ["interrupted", "done"]
            assert world.hits("heat the oven")

    asyncio.run(afterwards())


@in_loop
async def test_a_turn_of_a_living_process_is_not_closed_by_another_start(tmp_path: Path) -> None:
    process = begun(tmp_path)
    try:
        app = App.open(tmp_path, AppParts(ScriptedModel(["hi"]), [], embedder=NoEmbedder()))
        async with app:
            assert [turn.status for turn in app.memory.turns()] == ["open"]
            assert (await app.agent.why(HERE)).question == ""
    finally:
        process.kill()
        process.wait(30)
