"""Whatever a plugin does, it is contained and named, and the next message is answered."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from typing import TYPE_CHECKING

import pytest

from homeagent.agent import Incoming
from homeagent.app import App, AppParts
from homeagent.memory import Place
from homeagent.memory.embed import NoEmbedder
from homeagent.plugins import Consents, asked_of, describe, enforceable, find_source, outline, tools_of
from homeagent.plugins.out_of_process import OutOfProcess
from tests.plugins.living import HEAD, installed
from tests.plugins.worlds import in_loop

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.memory.store.records import Computed

CODE = '''
import signal, socket


@dataclass(frozen=True)
class Settings:
    city: str = "Berlin"


@dataclass(frozen=True)
class OfAnother:
    key: str = ""


def slow(text: str) -> str:
    import re
    return re.sub("(a+)+$", "", text)


@tool
def prints() -> str:
    """Print."""
    print("noise on stdout")
    os.write(1, b"noise on descriptor 1")
    return "printed"


@tool
def floods() -> str:
    """Print much."""
    for _ in range(300):
        print("y" * 100_000)
    return "flooded"


@tool(timeout=0.5)
def hangs() -> str:
    """Hang."""
    time.sleep(600)
    return ""


@tool
def exits() -> str:
    """End the process."""
    os._exit(3)


@tool
def killed() -> str:
    """Be killed."""
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


@tool
def huge(lines: int) -> str:
    """Return as many lines of 100 characters."""
    return (("one more line of what nobody reads. " * 3)[:99] + "\\n") * lines


@tool(cleaner=slow)
def backtracks() -> str:
    """Have a bad cleaner."""
    return "a" * 40 + "b"


@tool
def curious(context: ToolContext) -> str:
    """Ask for the settings of another plugin."""
    return str(context.settings(OfAnother))


@tool
def reads(path: str) -> str:
    """Read a file."""
    return open(path).read()


@tool
def calls(host: str, port: int) -> str:
    """Call a host."""
    socket.create_connection((host, port), 5)
    return "reached"


plugin = Plugin(
    "probe", "1.0", tools=[prints, floods, hangs, exits, killed, huge, backtracks, curious, reads, calls], settings=Settings
)
'''
PLAIN = HEAD.replace('permissions = ["exec"]', "permissions = []")


def opened(home: Path, code: str, head: str = PLAIN) -> App:
    installed(home, code, head)
    source = find_source(home / "installed" / "probe" / "code")
    Consents(home).give("probe", asked_of(describe(source), tools_of(outline(source))))
    return App.open(home, AppParts(embedder=NoEmbedder()))


async def said(app: App, text: str) -> str:
    return await app.agent.respond(Incoming(text, Place("cli", "main")))


async def answers(app: App) -> bool:
    """Whether the next message is answered, and remembered."""
    await said(app, "My cat is called Bean.")
    await asyncio.to_thread(app.memory.settle)
    return bool(app.memory.recall("What is the cat called?").hits)


async def output(app: App, call: str) -> tuple[str, Computed | None]:
    """Run a typed call; return the raw output of the tool and what is computed of it."""
    await said(app, call)
    await asyncio.to_thread(app.memory.settle)
    turn = next(app.memory.turns(Place("cli", "main")))
    (row,) = [each for each in app.memory.segments(turn) if each.segment.role == "tool"]
    computed = {each.segment: each for each in app.memory.computed(turn.turn_id)}
    return row.segment.text, computed.get(row.seq)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("prints", "printed"),
        ("floods", "flooded"),
        ("hangs", "did not finish within 0.5 seconds"),
        ("exits", "the plugin's process has ended"),
        ("killed", "the plugin's process has ended"),
        ("curious", "it has no OfAnother"),
        ("reads path=/etc/passwd", "PermissionError"),
        ("reads path=HOME/config.toml", "PermissionError"),
        ("reads path=HOME/log.db", "PermissionError"),
        ("calls host=example.org port=443", "example.org:443 is not among this plugin's permissions"),
    ],
)
@in_loop
async def test_what_a_tool_does_is_contained_and_named(
    tmp_path: Path, call: str, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    needs = "net" if call.startswith("calls") else "files" if call.startswith("reads") else ""
    if needs and needs not in enforceable():
        pytest.skip(f"{needs} can't be enforced here")
    home = tmp_path / "home"
    async with opened(home, CODE) as app:
        (home / "config.toml").touch()
        raw, _ = await output(app, f"/tool {call.replace('HOME', str(home))}")
        assert told in raw
        assert await answers(app)
    assert "noise" not in capfd.readouterr().out


@pytest.mark.slow
def test_fifty_megabytes_are_kept_whole_and_what_is_too_much_is_an_error(tmp_path: Path) -> None:
    async def run() -> None:  # longer than 30 seconds on a busy machine
        async with opened(tmp_path / "home", CODE) as app:
            raw, _ = await output(app, "/tool huge lines=500000")
            assert len(raw) == 50_000_000
            raw, _ = await output(app, "/tool huge lines=700000")
            assert "allowed are" in raw
            assert await answers(app)

    asyncio.run(run())


@pytest.mark.slow
@in_loop
async def test_a_cleaner_that_backtracks_leaves_its_output_out_and_nothing_else(tmp_path: Path) -> None:
    async with opened(tmp_path / "home", CODE) as app:
        raw, computed = await output(app, "/tool backtracks")
        assert raw == "a" * 40 + "b"
        assert computed is not None
        assert computed.decision == "failed"
        assert "it took too long" in computed.reason
        assert "aaaa" not in computed.text.text
        assert await answers(app)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def s(c):\n    raise OSError('no disk')\n\n\nplugin = Plugin('probe', '1.0', on_start=s)", "no disk"),
        ("@tool\ndef a() -> str:\n    'A.'\n\n\nplugin = Plugin('probe', '1.0', tools=[a, a])", "two tools named 'a'"),
        ("while True:\n    print('x' * 100_000)\n    os._exit(1)", "it can't be loaded"),
        ("raise SystemExit(3)", "it can't be loaded"),
    ],
)
@in_loop
async def test_a_plugin_that_can_not_start_is_named_and_left_out(
    tmp_path: Path, code: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with opened(tmp_path / "home", code) as app:
        assert "probe" not in app.registry.plugins
        assert await answers(app)
    (line,) = [record.getMessage() for record in caplog.records]
    assert "probe" in line
    assert told in line


@in_loop
async def test_a_call_to_a_plugin_that_has_just_ended_is_an_error_and_not_the_end_of_the_turn(tmp_path: Path) -> None:
    async with opened(tmp_path / "home", CODE) as app:
        runner = app.registry.runner("probe")
        assert isinstance(runner, OutOfProcess)
        process = runner._process
        assert process is not None
        os.kill(process._process.pid, signal.SIGSTOP)  # its tools vanish when it has been waited for: not yet
        process.peer._close()
        raw, _ = await output(app, "/tool prints")
        process.kill()
        assert "the plugin's process has ended" in raw
        assert await answers(app)


@in_loop
async def test_a_plugin_that_was_killed_is_there_again(tmp_path: Path) -> None:
    async with opened(tmp_path / "home", CODE) as app:
        await said(app, "/tool killed")
        while "prints" in app.registry.tools:  # it is noticed that the process has ended
            await asyncio.sleep(0.01)
        while "prints" not in app.registry.tools:
            await asyncio.sleep(0.05)
        raw, _ = await output(app, "/tool prints")
        assert raw == "printed"
