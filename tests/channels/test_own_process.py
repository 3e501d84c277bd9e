"""A channel of a third-party plugin, in its own process: messages go both ways, and it comes back when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from typing import TYPE_CHECKING

import pytest

from homeagent.app import App, AppParts
from homeagent.channels import Pauses
from homeagent.config import ChannelOptions
from homeagent.memory.embed import NoEmbedder
from homeagent.models import ScriptedModel
from homeagent.plugins import Consents, InProcess, PluginError, describe, find_source
from homeagent.plugins.consent import asked_of
from homeagent_sdk import Channel, Connection, MemoryPolicy, Outgoing, Plugin, regex
from tests.channels.worlds import ANNA, Platform, World, in_loop, until
from tests.plugins.living import HEAD, installed, living

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent_sdk import Arrival

SPOOL = """
class Spool(Connection):
    async def listen(self):
        (self.context.data_folder / "pid").write_text(str(os.getpid()))
        while True:
            for path in sorted(self.context.data_folder.glob("*.in")):
                await self.context.arrived(Arrival("me", "me", path.read_text(), id=path.name))
                path.unlink()
            await asyncio.sleep(0.02)

    async def send(self, message):
        if message.text == "refuse":
            raise RefusedError("never")
        (self.context.data_folder / f"{message.key}.out").write_text(message.text)
        return message.key


plugin = Plugin("probe", "1.0", channels=[
    Channel("spool", Spool, Capabilities(length=500), input=MemoryPolicy(cleaner=regex("^>> ", ""))),
])
"""


@in_loop
async def test_a_channel_says_what_it_is_across_the_processes(tmp_path: Path) -> None:
    async with living(tmp_path / "home", SPOOL) as plugin:
        (channel,) = plugin.runner.manifest.channels
        assert (channel.name, channel.can.length, channel.can.edit) == ("spool", 500, False)
        assert channel.input == MemoryPolicy(cleaner=regex("^>> ", ""))
        taken: list[Arrival] = []

        async def take(arrival: Arrival) -> bool:
            taken.append(arrival)
            return True

        listening = asyncio.create_task(plugin.runner.listen("spool", take))
        folder = tmp_path / "home" / "plugins" / "probe"
        await until((folder / "pid").exists)
        (folder / "1.in").write_text("hello")
        await until(lambda: bool(taken))
        assert (taken[0].chat, taken[0].text, taken[0].id) == ("me", "hello", "1.in")
        listening.cancel()
        await asyncio.wait({listening})


@pytest.mark.parametrize("name", ["cli", "page", "api", "Bad Name"])
@in_loop
async def test_a_name_that_is_the_program_s_own_is_refused(tmp_path: Path, name: str) -> None:
    forced = SPOOL + f"\nobject.__setattr__(plugin.channels[0], 'name', {name!r})\n"
    with pytest.raises(PluginError):
        async with living(tmp_path / "home", forced):
            pass


@in_loop
async def test_a_plugin_that_takes_the_place_of_another_is_listened_to(tmp_path: Path) -> None:
    async with World(tmp_path, ["from the new one"]) as world:
        new = Platform()
        runner = InProcess(Plugin("platform", "1.0.1", channels=[new.channel]), world.app._host)
        await runner.start()
        world.app.registry.swap("platform", runner)
        await until(lambda: new.context is not None)
        await new.says(ANNA, "hello")
        await until(lambda: new.texts(ANNA) == ["from the new one"])
        assert world.platform.sent == []
        assert world.app.hub.state().channels == {"chat": "connected", "webhook": ""}


@in_loop
async def test_a_connection_that_breaks_is_made_anew(tmp_path: Path) -> None:
    platform = Platform()
    made: list[Connection] = []

    class Broken(Connection):
        async def listen(self) -> None:
            made.append(self)
            if len(made) == 1:
                raise ConnectionError("the line is cut")
            platform.context = self.context
            await super().listen()

        async def send(self, message: Outgoing) -> str:
            platform.sent.append(message)
            return ""

    async with World(tmp_path, ["back again"], platform=platform) as world:
        runner = InProcess(Plugin("platform", "1.0.1", channels=[Channel("chat", Broken)]), world.app._host)
        platform.context = None
        world.app.registry.swap("platform", runner)
        await until(lambda: platform.context is not None)
        await world.says(ANNA, "hello")
        assert await world.hears(ANNA) == ["back again"]
        assert len(made) == 2


@in_loop
async def test_its_process_may_die_and_every_message_is_answered_all_the_same(tmp_path: Path) -> None:
    home = tmp_path / "home"
    installed(home, SPOOL, HEAD)
    source = find_source(home / "installed" / "probe" / "code")
    Consents(home).give("probe", asked_of(describe(source), {"channel:spool": 'regex("^>>","")'}))
    options = {"spool": ChannelOptions(owners=("me",), merge_seconds=0.0)}
    parts = AppParts(
        ScriptedModel(["one", "two"]), [], embedder=NoEmbedder(), channels=options, pauses=Pauses(0.05, 0.2, 60.0)
    )
    folder = home / "plugins" / "probe"
    async with App.open(home, parts) as app:
        running = asyncio.create_task(app.hub.run())
        await until((folder / "pid").exists)
        (folder / "1.in").write_text(">> first")
        await until(lambda: len(list(folder.glob("*.out"))) == 1)
        os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
        (folder / "pid").unlink()
        (folder / "2.in").write_text(">> second")
        await until(lambda: len(list(folder.glob("*.out"))) == 2)
        assert sorted(path.read_text() for path in folder.glob("*.out")) == ["one", "two"]
        turns = [[row.segment.text for row in app.memory.segments(turn)] for turn in app.memory.turns()]
        assert turns == [[">> first", "one"], [">> second", "two"]]
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
