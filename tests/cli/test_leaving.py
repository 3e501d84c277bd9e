"""The program leaves when its work is done, whatever plugins left running."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest

from homeagent.cli.running import run_until_done


async def stubborn(seen: list[str]) -> None:
    """Swallow every cancellation."""
    while True:
        try:
            await asyncio.sleep(40)
        except asyncio.CancelledError:
            seen.append("swallowed")


def test_a_task_that_swallows_its_end_is_left_behind(caplog):
    seen: list[str] = []
    kept = []

    async def main():
        kept.append(asyncio.create_task(stubborn(seen)))
        await asyncio.sleep(0.01)
        return "done"

    started = time.monotonic()
    assert run_until_done(main()) == "done"
    assert time.monotonic() - started < 10
    assert seen == ["swallowed"]
    assert "1 tasks of plugins don't stop" in caplog.text


def test_a_task_that_cleans_up_has_the_time_to(caplog):
    seen = []

    async def tidy():
        try:
            await asyncio.sleep(40)
        finally:
            await asyncio.sleep(0.1)
            seen.append("tidy")

    async def main():
        kept = asyncio.create_task(tidy())
        await asyncio.sleep(0.01)
        return kept

    run_until_done(main())
    assert seen == ["tidy"]
    assert not caplog.text


def test_an_error_comes_out_as_it_is():
    async def main():
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run_until_done(main())


PROGRAM = """
import asyncio, sys
from pathlib import Path
from homeagent.agent import AgentSettings, Incoming
from homeagent.app import App, AppParts
from homeagent.cli.running import run_until_done
from homeagent.memory import Place
from homeagent.memory.embed import NoEmbedder
from homeagent.models import ScriptedModel, ToolCall
from homeagent_sdk import Plugin, tool

@tool
async def stuck() -> str:
    \'\'\'Never end.\'\'\'
    while True:
        try:
            await asyncio.sleep(40)
        except asyncio.CancelledError:
            pass

async def main():
    model = ScriptedModel([ToolCall("c", "stuck", "{}"), "it hangs"])
    plugins, agent = [Plugin("p", "1", tools=[stuck])], AgentSettings(tool_seconds=0.5)
    async with App.open(Path(sys.argv[1]), AppParts(model, plugins, agent=agent, embedder=NoEmbedder())) as app:
        return await app.agent.respond(Incoming("x", Place("cli", "main")))

print(run_until_done(main()))
"""


def test_a_process_whose_tool_never_ends_is_gone_after_its_turn(tmp_path):
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, timeout=30, check=True
    )
    assert told.stdout == "it hangs\n"
    assert "don't stop" in told.stderr
    assert "Traceback" not in told.stderr
