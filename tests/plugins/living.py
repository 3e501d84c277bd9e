"""A plugin written into a folder and run in its own process, with an environment of its own."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

from homeagent.plugins import OutOfProcess, describe, find_source, prepare_runtime, put_in
from homeagent_sdk import ToolCall, ToolResult
from tests.plugins.worlds import TURN, World

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from homeagent_sdk import TurnInfo

HEAD = """\
# /// script
# [tool.homeagent]
# name = "probe"
# version = "1.0"
# sdk = ">=0.1"
# permissions = ["exec"]
# settings = { city = "where" }
# ///
import asyncio, os, sys, time
from dataclasses import dataclass
from homeagent_sdk import *
"""


class Living:
    """A plugin that runs, and the world it runs in."""

    def __init__(self, world: World, runner: OutOfProcess) -> None:
        self.world = world
        self.runner = runner

    async def call(self, tool: str, turn: TurnInfo = TURN, **arguments: object) -> ToolResult:
        return await self.runner.call(ToolCall("c1", tool, arguments), self.world.seat(turn))


def installed(home: Path, code: str, head: str = HEAD) -> None:
    """Put a plugin with this code into a home."""
    home.mkdir(exist_ok=True)
    path = home / "probe.py"
    path.write_text(f"{head}\n{code}")
    source = find_source(path)
    put_in(home, source, describe(source))
    path.unlink()


@contextlib.asynccontextmanager
async def living(
    home: Path, code: str, settings: dict[str, object] | None = None, head: str = HEAD
) -> AsyncIterator[Living]:
    """Run a plugin with this code, begun and started; nothing of it is left afterwards."""
    installed(home, code, head)
    source = find_source(home / "installed" / "probe" / "code")
    runtime = prepare_runtime(home, source, describe(source), fetch=False)
    world = World(home / "plugins")
    runner = await OutOfProcess.open("probe", runtime, world.host, settings or {})
    await runner.begin()
    world.registry.register(runner)
    await world.registry.start()
    try:
        yield Living(world, runner)
    finally:
        await world.registry.stop()
        shutil.rmtree(home, ignore_errors=True)
