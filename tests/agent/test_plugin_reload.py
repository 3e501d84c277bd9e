"""A plugin whose files change is put in the place of the old one while the program runs, if it is good."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from homeagent.app import App, AppParts
from homeagent.errors import ConfigError
from homeagent.memory.embed import NoEmbedder
from homeagent.plugins import CallSeat, Consent, Consents, OutOfProcess, PluginError
from homeagent_sdk import Plugin, ToolCall
from homeagent_sdk.testing import FakeMemory
from tests.plugins.living import installed
from tests.plugins.worlds import TURN, in_loop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from homeagent_sdk import PluginContext

CODE = '''
def clean(text: str) -> str:
    return "cleaned one"


@tool(cleaner=clean)
def probe_say() -> str:
    """Say something."""
    return f"one {os.getpid()}"


plugin = Plugin("probe", "1.0", tools=[probe_say])
'''
AGREED = Consent("1.0", True, {"probe_say": "clean"}, ("exec",))


async def said(app: App) -> list[str]:
    async def ask(_question: str) -> bool:
        return False

    runner = app.registry.runner("probe")
    seat = CallSeat(TURN, FakeMemory(), ask, lambda _text: None)
    return (await runner.call(ToolCall("c", "probe_say", {}), seat)).text.split()


async def until(reached: Callable[[], bool], seconds: float = 10.0) -> None:
    limit = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > limit:
            raise TimeoutError
        await asyncio.sleep(0.05)


def opened(home: Path, code: str = CODE) -> App:
    installed(home, code)
    Consents(home).give("probe", AGREED)
    return App.open(home, AppParts(embedder=NoEmbedder()))


@in_loop
async def test_a_good_change_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as app:
        word, process = await said(app)
        assert word == "one"
        old = app.registry.runner("probe")
        installed(tmp_path / "home", CODE.replace("one", "two").replace("cleaner=clean", "no_memory=True"))
        await until(lambda: app.registry.runner("probe") is not old)
        word, another = await said(app)
        assert (word, another != process) == ("two", True)
        with pytest.raises(ProcessLookupError):
            await asyncio.sleep(0.5)
            os.kill(int(process), 0)
        (policy,) = [each for each in app.memory.policies() if each["tool"] == "probe_say"]
        assert (policy["treatment"], policy["cleaner"]) == ("hidden", "")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("raise ValueError('no luck')", "ValueError: no luck"),
        ("plugin = 3", "has no Plugin"),
        ("@tool\ndef more() -> str:\n  'M.'\n  return ''\nplugin = Plugin('probe', '2', tools=[more])", "more"),
    ],
)
@in_loop
async def test_a_change_that_is_no_good_leaves_the_old_one_at_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: str, told: str
) -> None:
    async with opened(tmp_path / "home") as app:
        word, process = await said(app)
        installed(tmp_path / "home", f"{CODE}\n{change}\n")
        await until(lambda: "the one before it goes on" in caplog.text)
        assert told in caplog.text
        assert ("Traceback" in caplog.text) is (change.startswith("raise"))
        assert await said(app) == [word, process]
        installed(tmp_path / "home", CODE.replace("one", "two"))
        await until(lambda: _is_new(app, process))
        assert (await said(app))[0] == "two"


def _is_new(app: App, process: str) -> bool:
    runner = app.registry.runner("probe")
    assert isinstance(runner, OutOfProcess)
    return runner._process is not None and str(runner._process._process.pid) != process


@in_loop
async def test_a_plugin_is_turned_off_and_on_while_the_program_runs(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as app:
        Consents(tmp_path / "home").switch("probe", on=False)
        await until(lambda: "probe_say" not in app.registry.tools)
        Consents(tmp_path / "home").switch("probe", on=True)
        await until(lambda: "probe_say" in app.registry.tools)
        assert (await said(app))[0] == "one"


NAMED = '''
@dataclass(frozen=True)
class Settings:
    city: str = "nowhere"

    def __post_init__(self) -> None:
        if self.city == "Atlantis":
            raise ValueError("city: it has sunk")


@tool
def probe_say(context: ToolContext) -> str:
    """Say where."""
    return context.settings(Settings).city


plugin = Plugin("probe", "1.0", tools=[probe_say], settings=Settings)
'''


@in_loop
async def test_changed_settings_reach_a_plugin_in_its_own_process(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    installed(tmp_path / "home", NAMED)
    Consents(tmp_path / "home").give("probe", Consent("1.0", True, {"probe_say": "plain"}, ("exec",)))
    async with App.open(tmp_path / "home", AppParts(embedder=NoEmbedder())) as app:
        assert await said(app) == ["nowhere"]
        await app.use_plugins({"probe": {"city": "Basel"}})
        assert await said(app) == ["Basel"]
        with pytest.raises(PluginError, match="it has sunk"):
            await app.use_plugins({"probe": {"city": "Atlantis"}})
        with pytest.raises(PluginError, match=r"config\.toml \[plugins\.probe\]: city: "):
            await app.use_plugins({"probe": {"city": [3]}})
        assert await said(app) == ["Basel"]
        with pytest.raises(ConfigError, match="no such plugin"):
            await app.use_plugins({"prob": {}})
        await app.use_plugins({})
        assert await said(app) == ["nowhere"]


async def _refuses_loudly(context: PluginContext) -> None:
    if context.settings(_Loud).loud:
        raise RuntimeError("too loud")


@dataclass(frozen=True)
class _Loud:
    loud: bool = False


@in_loop
async def test_a_plugin_that_does_not_start_with_its_new_settings_goes_on_with_the_old(tmp_path: Path) -> None:
    plugin = Plugin("music", "1", settings=_Loud, on_start=_refuses_loudly)
    async with App.open(tmp_path, AppParts(plugins=[plugin], embedder=NoEmbedder())) as app:
        before = app.registry.runner("music")
        for settings, problem in (({"loud": True}, "too loud"), ({"lowd": True}, "no such setting")):
            with pytest.raises(PluginError, match=problem):
                await app.use_plugins({"music": settings})
            assert app.registry.runner("music") is before
