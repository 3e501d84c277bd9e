"""A plugin in its own process: it can do what a built-in can, and nothing it does harms the core."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import Failure, PluginError, guarded
from homeagent_sdk import ArgumentsError, ToolError
from tests.plugins.living import living
from tests.plugins.worlds import PRIVATE, in_loop

if TYPE_CHECKING:
    from pathlib import Path

ABLE = '''
@dataclass(frozen=True)
class Settings:
    city: str = "Berlin"


@tool
async def look(context: ToolContext, what: str = "") -> str:
    """Look around."""
    if what == "ask":
        return f"{await context.ask('yes?')} {await context.ask('no?')}"
    if what == "memory":
        return f"{(await context.memory.recall('tea')).nothing} {await context.memory.note('a note')}"
    if what == "inject":
        number = await context.inject("later")
        waiting = await context.injections()
        return f"{[each.id for each in waiting] == [number]} {await context.withdraw(number)}"
    if what == "folder":
        (context.data_folder / "kept.txt").write_text("kept")
    context.progress("half")
    return f"{context.settings(Settings).city} {context.state(list)[0]} {context.call_id} {context.person} {os.getpid()}"


@tool
def picture() -> ToolResult:
    """Take a picture."""
    return ToolResult("seen \\ud800 你好", data={"a": [1, None]}, attachments=(Attachment("image/png", b"\\x00\\xff"),))


@stage.on_input.transform
def louder(message: Message) -> Message:
    return Message(message.text.upper())


plugin = Plugin("probe", "1.0", tools=[look, picture], stages=[louder], settings=Settings, on_start=lambda context: ["begun"])
'''


@in_loop
async def test_a_plugin_in_its_own_process_can_do_what_a_built_in_can(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with living(home, ABLE, {"city": "Wien"}) as plugin:
        *words, process = (await plugin.call("look")).text.split()
        assert words == ["Wien", "begun", "c1", "owner"]
        assert int(process) != os.getpid()
        await plugin.call("look")
        assert plugin.world.progress == ["half", "half"]
        assert (await plugin.call("look", what="ask")).text == "True False"
        assert (await plugin.call("look", what="memory")).text.startswith("True ")
        assert (await plugin.call("look", what="inject")).text == "True True"
        await plugin.call("look", what="folder")
        assert (home / "plugins" / "probe" / "kept.txt").read_text() == "kept"
        result = await plugin.call("picture")
        assert (result.text, result.data) == ("seen \ud800 你好", {"a": [1, None]})
        assert result.attachments[0].data == b"\x00\xff"
        from homeagent.plugins import StageEngine
        from homeagent_sdk import Message

        engine = StageEngine(plugin.world.registry)
        assert await engine.transform("on_input", "message", Message("hi")) == Message("HI")


ODD = '''
@tool
def fail(how: str) -> str:
    """Fail."""
    if how == "tool":
        raise ToolError("how", "it may not be", "Write another")
    if how == "exit":
        sys.exit(3)
    if how == "object":
        return ToolResult("x", data=object())
    raise ValueError("boom")


@tool
def big(millions: int) -> str:
    """Return much."""
    return "x" * millions * 1_000_000


@tool
def say(text: str) -> str:
    """Print."""
    print(text)
    os.system("echo from a child")
    return "said"


@tool
def flood() -> str:
    """Print without an end in sight."""
    for _ in range(40):
        print("y" * 100_000)
    return "done"


@tool
def hang(how: str) -> str:
    """Hang."""
    if how == "python":
        import re
        re.match("(a+)+$", "a" * 40 + "b")
    time.sleep(600)
    return ""


@tool
async def wait() -> str:
    """Wait."""
    await asyncio.sleep(600)


@tool
def die() -> str:
    """Die."""
    os._exit(7)


@tool
async def garble() -> str:
    """Write nonsense to every descriptor."""
    for number in range(3, 64):
        try:
            os.write(number, bytes([255]) * 100)
        except OSError:
            pass
    await asyncio.sleep(600)


@tool
def sees() -> str:
    """Say what can be imported and read."""
    import importlib.util
    names = [name for name in ("homeagent", "numpy", "homeagent_sdk") if importlib.util.find_spec(name)]
    return f"{names} {os.environ.get('SECRET_KEY')}"


plugin = Plugin("probe", "1.0", tools=[fail, big, say, flood, hang, wait, die, garble, sees])
'''


TALKS = '''
import logging


@tool
def talk(context: ToolContext) -> str:
    """Talk."""
    context.log.info("of the context")
    logging.getLogger("probe.part").info("of a module")
    logging.getLogger("library").info("GET https://example.org/?key=secret")
    logging.getLogger("library").warning("trouble")
    return "said"


plugin = Plugin("probe", "1.0", tools=[talk])
'''


@in_loop
async def test_what_a_tool_raises_is_told_and_the_process_goes_on(tmp_path: Path) -> None:
    async with living(tmp_path / "home", ODD) as plugin:
        with pytest.raises(ToolError, match=r"how: it may not be\. Write another"):
            await plugin.call("fail", how="tool")
        with pytest.raises(ArgumentsError, match="how: is missing"):
            await plugin.call("fail")
        for how, told in (("other", "ValueError: boom"), ("exit", "SystemExit: 3"), ("object", "can't be sent")):
            outcome = await guarded(plugin.call("fail", how=how), 10)
            assert isinstance(outcome, Failure)
            assert told in outcome.message
            assert "tool" not in outcome.trace or how != "other" or "raise ValueError" in outcome.trace
        assert (await plugin.call("say", text="x")).text == "said"


@in_loop
async def test_a_plugin_sees_the_sdk_and_neither_the_program_nor_its_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "sk-1")
    async with living(tmp_path / "home", ODD) as plugin:
        assert (await plugin.call("sees")).text == "['homeagent_sdk'] None"


@in_loop
async def test_a_large_result_comes_whole_and_one_that_is_too_large_is_an_error(tmp_path: Path) -> None:
    async with living(tmp_path / "home", ODD) as plugin:
        assert len((await plugin.call("big", millions=50)).text) == 50_000_000
        outcome = await guarded(plugin.call("big", millions=70), 20)
        assert isinstance(outcome, Failure)
        assert "allowed are" in outcome.message
        assert len((await plugin.call("big", millions=1)).text) == 1_000_000


@in_loop
async def test_its_own_messages_are_in_its_log_and_the_chatter_of_libraries_is_not(tmp_path: Path) -> None:
    async with living(tmp_path / "home", TALKS) as plugin:
        await plugin.call("talk")
        await plugin.runner.stop()
        assert plugin.runner.log_file.read_text() == (
            "INFO probe: of the context\nINFO probe.part: of a module\nWARNING library: trouble\n"
        )


@in_loop
async def test_what_it_prints_is_in_its_log_but_nothing_of_a_private_turn(tmp_path: Path) -> None:
    async with living(tmp_path / "home", ODD) as plugin:
        await plugin.call("say", PRIVATE, text="whispered")
        await asyncio.sleep(0.2)
        await plugin.call("say", text="loud")
        await plugin.call("flood")
        await plugin.call("say", text="last")
        await asyncio.sleep(0.2)
        log = plugin.runner.log_file
        text = log.read_text() + log.with_suffix(".old").read_text()
        assert "last\nfrom a child" in log.read_text()
        assert "whispered" not in text
        assert log.stat().st_size <= 1024 * 1024
        assert log.stat().st_mode & 0o777 == 0o600


@in_loop
async def test_a_call_that_takes_too_long_is_stopped_and_others_go_on(tmp_path: Path) -> None:
    async with living(tmp_path / "home", ODD) as plugin:
        assert isinstance(await guarded(plugin.call("wait"), 0.3), Failure)
        process = plugin.runner._process
        await asyncio.sleep(0.3)
        assert (await plugin.call("say", text="x")).text == "said"
        assert plugin.runner._process is process


@pytest.mark.parametrize("how", ["python", "system"])
@in_loop
async def test_a_call_that_will_not_stop_is_killed_and_the_plugin_is_there_again(tmp_path: Path, how: str) -> None:
    async with living(tmp_path / "home", ODD) as plugin:
        process = plugin.runner._process
        assert isinstance(await guarded(plugin.call("hang", how=how), 0.5), Failure)
        until = time.monotonic() + 15
        while plugin.runner._process in (process, None) and time.monotonic() < until:
            await asyncio.sleep(0.1)
        assert (await plugin.call("say", text="x")).text == "said"


@in_loop
async def test_when_its_process_dies_its_tools_vanish_with_one_line_and_come_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(tmp_path / "home", ODD) as plugin:
        with pytest.raises(ToolError, match="process has ended"):
            await plugin.call("die")
        await asyncio.sleep(0.2)
        assert "die" not in plugin.world.registry.tools
        (line,) = [record.getMessage() for record in caplog.records]
        assert line == "plugin 'probe': its process ended (exit code 7); its tools are back in 1 s"
        until = time.monotonic() + 10
        while "die" not in plugin.world.registry.tools and time.monotonic() < until:
            await asyncio.sleep(0.1)
        assert (await plugin.call("say", text="x")).text == "said"


@in_loop
async def test_a_plugin_that_sends_nonsense_is_killed(tmp_path: Path) -> None:
    async with living(tmp_path / "home", ODD) as plugin:
        outcome = await guarded(plugin.call("garble"), 10)
        assert isinstance(outcome, Failure)
        assert "process has ended" in outcome.message


@pytest.mark.slow
@in_loop
async def test_a_plugin_that_dies_again_and_again_stays_off(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with living(tmp_path / "home", ODD) as plugin:
        for pause in (1, 2, 4, None):
            with pytest.raises(ToolError):
                await plugin.call("die")
            until = time.monotonic() + (pause or 0) + 5
            await asyncio.sleep(0.3)
            while not plugin.runner.available and pause and time.monotonic() < until:
                await asyncio.sleep(0.1)
            assert plugin.runner.available is bool(pause)
    lines = [record.getMessage() for record in caplog.records]
    assert [line.rpartition(" in ")[2] for line in lines[:3]] == ["1 s", "2 s", "4 s"]
    assert "off until the next start" in lines[3]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise ValueError('no luck')", "it can't be loaded (ValueError: no luck)"),
        ("import nowhere", "it can't be loaded (ModuleNotFoundError"),
        ("x = 1", "it has no Plugin called 'plugin'"),
        ("os._exit(1)", "it can't be loaded"),
        ("plugin = Plugin('other', '1.0')", "it calls itself 'other'"),
        ("def s(c): raise OSError('no disk')\nplugin = Plugin('probe', '1', on_start=s)", "it did not start (OSError"),
        ("@tool\ndef a() -> str:\n  'A.'\nplugin = Plugin('probe', '1', tools=[a, a])", "two tools named 'a'"),
    ],
)
@in_loop
async def test_a_plugin_that_can_not_start_is_named_with_its_reason(tmp_path: Path, code: str, told: str) -> None:
    with pytest.raises(PluginError) as caught:
        async with living(tmp_path / "home", code):
            pass
    assert "probe" in str(caught.value)
    assert told in str(caught.value)


@in_loop
async def test_wrong_settings_are_named_with_their_key(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"config\.toml \[plugins\.probe\].*city"):
        async with living(tmp_path / "home", ABLE, {"city": [3]}):
            pass


@in_loop
async def test_nothing_of_it_is_left_when_it_is_stopped(tmp_path: Path) -> None:
    async with living(tmp_path / "home", ODD) as plugin:
        process = plugin.runner._process
        assert process is not None
        number = process._process.pid
        os.kill(number, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
