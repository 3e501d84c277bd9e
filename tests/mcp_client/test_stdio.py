"""A server that is a program, written with the official library: called, cancelled, changed, ended."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import Consent, PluginError, guarded
from homeagent_sdk import ArgumentsError, ToolCall, ToolError
from tests.agent.worlds import in_loop
from tests.mcp_client.worlds import FRIENDLY, agreed, living, program, until
from tests.plugins.worlds import PRIVATE

if TYPE_CHECKING:
    from pathlib import Path


@in_loop
async def test_its_tools_are_declared_under_names_of_their_own(tmp_path: Path) -> None:
    async with living(tmp_path, program(FRIENDLY, timeout=7.0)) as friend:
        manifest = friend.server.manifest
        assert (manifest.name, manifest.version) == ("mcp.friend", "1.2.3")
        tools = {each.kept_as: each for each in manifest.tools}
        greet = tools["mcp.friend.greet"]
        assert (greet.name, greet.timeout, greet.parallel, greet.policy) == ("friend__greet", 7.0, True, None)
        assert greet.description.startswith("Greet somebody.")
        assert greet.parameters["required"] == ["name"]
        noise, wrapped = tools["mcp.friend.noise"].policy, tools["mcp.friend.wrapped"].policy
        assert noise is not None
        assert noise.no_memory
        assert wrapped is not None
        assert wrapped.cleaner is not None
        assert wrapped.cleaner.spec == "json(said)"
        assert not tools["mcp.friend.wipe"].parallel


@in_loop
async def test_results_come_back_whole(tmp_path: Path) -> None:
    async with living(tmp_path, program(FRIENDLY)) as friend:
        assert (await friend.call("greet", name="Bean")).text == "Hello Bean, 你好 \x1b[31mred\x1b[0m"
        measured = await friend.call("measure")
        assert measured.data == json.loads(measured.text) == {"degrees": 21.5, "unit": "C"}
        assert measured.attachments == ()
        mixed = await friend.call("mixed")
        assert mixed.text == "first\n  line\na note\n[report, file:///report.txt: the report]"
        kinds = [(each.media_type, each.name) for each in mixed.attachments]
        assert kinds == [
            ("image/png", "file.png"),
            ("audio/wav", "file.wav"),
            ("application/octet-stream", "b.bin"),
        ]
        assert mixed.attachments[0].data == b"\x89PNG\r\n\x1a\n pixel"
        assert mixed.attachments[2].data == b"\x00\x01\x02"
        failed = await friend.call("fail")
        assert failed.error
        assert "the lamp is broken" in failed.text


@in_loop
async def test_wrong_calls_are_errors_that_say_what_to_mend(tmp_path: Path) -> None:
    async with living(tmp_path, program(FRIENDLY)) as friend:
        with pytest.raises(ArgumentsError, match="name: is missing"):
            await friend.server.check(ToolCall("c", "friend__greet", {}))
        await friend.server.check(ToolCall("c", "friend__greet", {"name": "x"}))
        odd = await friend.call("greet", name=["no", "text"])
        assert odd.error
        with pytest.raises(ToolError, match="no such tool any more"):
            await friend.server.call(ToolCall("c", "friend__gone", {}), friend.seat())
        with pytest.raises(ToolError, match="can't be used"):
            await friend.call("greet", name="half a pair: \ud800")
        assert (await friend.call("greet", name="Bean")).text.startswith("Hello Bean")


@in_loop
async def test_a_call_that_is_cancelled_is_cancelled_on_the_server(tmp_path: Path) -> None:
    async with living(tmp_path, program(FRIENDLY)) as friend:
        process = (await friend.call("surroundings")).text.splitlines()[1]
        mark = tmp_path / "mark"
        call = asyncio.create_task(friend.call("wait", mark=str(mark)))
        await until(lambda: friend.progress == ["1 / 2"] or friend.progress == ["half way"])
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(mark.exists)
        assert mark.read_text() == "cancelled"
        other = tmp_path / "other"
        outcome = await guarded(friend.call("wait", mark=str(other)), 0.5)
        assert getattr(outcome, "kind", "") == "timeout"
        await until(other.exists)
        assert (await friend.call("surroundings")).text.splitlines()[1] == process  # it was not started again


@in_loop
async def test_it_sees_the_usual_variables_those_that_were_passed_on_and_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "sesame")
    monkeypatch.setenv("NOTES_KEY", "for the server")
    settings = program(FRIENDLY, env={"LOG": "low"}, pass_env=("NOTES_KEY",))
    async with living(tmp_path, settings) as friend:
        folder, _, *variables = (await friend.call("surroundings")).text.splitlines()
    assert folder == str(tmp_path / "mcp" / "friend")
    assert {"PATH", "LOG", "NOTES_KEY"} <= set(variables)
    assert "MODEL_KEY" not in variables
    monkeypatch.delenv("NOTES_KEY")
    with pytest.raises(PluginError, match="the environment variable NOTES_KEY is not set"):
        await agreed("friend", settings, tmp_path)


@in_loop
async def test_what_destroys_is_asked_about_as_the_settings_say(tmp_path: Path) -> None:
    async with living(tmp_path, program(FRIENDLY)) as friend:
        assert (await friend.call("wipe", path="/x\x1b[2J")).text.startswith("wiped")
        (question,) = friend.questions
        assert 'wipe {"path": "/x\\u001b[2J"}' in question
        friend.agrees = False
        with pytest.raises(ToolError, match="did not agree"):
            await friend.call("wipe", path="/x")
        await friend.call("measure")
        assert len(friend.questions) == 2
    async with living(tmp_path, program(FRIENDLY, confirm="always")) as friend:
        await friend.call("greet", name="only reads")
        await friend.call("measure")
        assert len(friend.questions) == 1
    async with living(tmp_path, program(FRIENDLY, confirm="never")) as friend:
        await friend.call("wipe", path="/x")
        assert friend.questions == []


@in_loop
async def test_a_tool_that_was_not_agreed_to_is_off_and_the_others_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = program(FRIENDLY)
    whole = await agreed("friend", settings, tmp_path)
    fewer = {name: said for name, said in whole.tools.items() if name != "fail"} | {"wrapped": "no_memory"}
    part = Consent("1.0", True, fewer, tuple(each for each in whole.permissions if "destroys" not in each))
    async with living(tmp_path, settings, part) as friend:
        names = {each.kept_as for each in friend.server.manifest.tools}
        assert names.isdisjoint({"mcp.friend.fail", "mcp.friend.wrapped", "mcp.friend.wipe"})
        assert (await friend.call("greet", name="Bean")).text.startswith("Hello")
        (line,) = [each for each in caplog.messages if "not agreed to" in each]
        assert "fail, wrapped, wipe" in line
        assert "homeagent mcp consent friend" in line


@in_loop
async def test_another_command_than_was_agreed_to_is_not_run(tmp_path: Path) -> None:
    consent = await agreed("friend", program(FRIENDLY), tmp_path)
    with pytest.raises(PluginError, match="its command or address has changed"):
        async with living(tmp_path, program(FRIENDLY, "9"), consent):
            pass


@in_loop
async def test_tools_that_change_are_read_again_and_new_ones_are_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = program(FRIENDLY)
    whole = await agreed("friend", settings, tmp_path)
    async with living(
        tmp_path, settings, Consent("1", True, {**whole.tools, "trick": "default"}, whole.permissions)
    ) as friend:
        await friend.call("learn", name="trick")
        await until(lambda: friend.reoffered == 1)
        assert (await friend.call("trick")).text == "tada"
        await friend.call("learn", name="another")
        await until(lambda: "another" in caplog.text)
        assert "mcp.friend.another" not in {each.kept_as for each in friend.server.manifest.tools}


@in_loop
async def test_one_that_is_killed_is_back_within_seconds(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with living(tmp_path, program(FRIENDLY)) as friend:
        process = int((await friend.call("surroundings")).text.splitlines()[1])
        os.kill(process, signal.SIGKILL)
        await until(lambda: not friend.server.available)
        with pytest.raises(ToolError, match="not there now"):
            await friend.call("measure")
        await until(lambda: friend.server.available)
        assert int((await friend.call("surroundings")).text.splitlines()[1]) != process
        lines = [
            each for each in caplog.records if each.levelno >= logging.WARNING and each.name.startswith("homeagent")
        ]
        (line,) = [each.getMessage() for each in lines]
        assert line == "mcp server 'friend': its process ended (signal 9); its tools are back in 1 s"


@in_loop
async def test_nothing_is_left_of_it_and_nothing_of_private_turns(tmp_path: Path) -> None:
    async with living(tmp_path, program(FRIENDLY)) as friend:
        process = int((await friend.call("surroundings", PRIVATE)).text.splitlines()[1])
        log = tmp_path / "logs" / "mcp-friend.txt"
        assert "starting up" in log.read_text()
        assert log.stat().st_mode & 0o077 == 0
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
