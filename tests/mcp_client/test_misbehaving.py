"""Servers that hang, die, flood, print, lie: each is contained and named, and the next call works."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from homeagent.mcp_client import looked_at
from homeagent.mcp_client.connection import START_SECONDS
from homeagent.plugins import Failure, PluginError, guarded
from homeagent_sdk import ToolError
from tests.agent.worlds import in_loop
from tests.mcp_client.worlds import RAW, living, program, until

if TYPE_CHECKING:
    from pathlib import Path


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


@in_loop
async def test_an_ordinary_one_works(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with living(tmp_path, program(RAW)) as friend:
        assert (await friend.call("act")).text == "acted"
    assert warnings(caplog) == []


@in_loop
async def test_one_that_only_knows_the_newer_way_to_begin_works(tmp_path: Path) -> None:
    async with living(tmp_path, program(RAW, "modern")) as friend:
        assert (await friend.call("act")).text == "acted"
        assert friend.server.manifest.version == "9.0"
        assert [each.name for each in friend.server.manifest.tools] == ["friend__say", "friend__act"]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("die", "its process ended (exit code 7)"),
        ("child", "its process ended (exit code 3)"),
        ("too big", "it sent a line of more than 64 MiB"),
        ("flood", "it floods: more messages than can be read"),
    ],
)
@in_loop
async def test_one_that_ends_or_has_to_be_ended_is_named_and_started_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str, told: str
) -> None:
    async with living(tmp_path, program(RAW, how)) as friend:
        first = (await friend.call("say")).text
        with pytest.raises(ToolError, match="not there now"):
            await friend.call("act")
        await until(lambda: bool(warnings(caplog)))
        assert warnings(caplog) == [f"mcp server 'friend': {told}; its tools are back in 1 s"]
        await until(lambda: friend.server.available)
        again = (await friend.call("say")).text
        assert again.startswith("said")
        assert again != first


@in_loop
async def test_one_that_hangs_in_a_call_is_ended_and_everything_else_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(tmp_path, program(RAW, "hang")) as friend, living(tmp_path / "b", program(RAW)) as other:
        outcome = await guarded(friend.call("act"), 0.5)
        assert isinstance(outcome, Failure)
        assert outcome.kind == "timeout"
        assert (await other.call("act")).text == "acted"
        await until(lambda: not friend.server.available)
        await until(lambda: friend.server.available)
        assert (await friend.call("say")).text.startswith("said")
        assert warnings(caplog) == ["mcp server 'friend': it did not answer any more; its tools are back in 1 s"]


@in_loop
async def test_fifty_megabytes_come_through(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with living(tmp_path, program(RAW, "big")) as friend:
        assert (await friend.call("act")).text == "x" * 50_000_000
        assert (await friend.call("say")).text.startswith("said")
    assert warnings(caplog) == []


@pytest.mark.parametrize("how", ["rubbish", "chatty"])
@in_loop
async def test_rubbish_on_its_output_is_put_with_its_other_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    async with living(tmp_path, program(RAW, how)) as friend:
        await friend.call("act")
        await friend.call("act")
        (line,) = warnings(caplog)
        assert "it prints lines that are no messages" in line
        written = (tmp_path / "logs" / "mcp-friend.txt").read_text("utf-8", "replace")
        assert ("Loading model ... 100%" if how == "rubbish" else "Welcome to the server!") in written


@pytest.mark.parametrize(
    ("how", "told"),
    [("nonsense", "what the server returned can't be used"), ("error", "its server says: no such lamp")],
)
@in_loop
async def test_a_result_that_is_none_is_an_error_of_the_call(tmp_path: Path, how: str, told: str) -> None:
    async with living(tmp_path, program(RAW, how)) as friend:
        with pytest.raises(ToolError, match=told):
            await friend.call("act")
        assert (await friend.call("say")).text.startswith("said")


@in_loop
async def test_a_pattern_of_the_server_is_not_run_on_its_result(tmp_path: Path) -> None:
    async with living(tmp_path, program(RAW, "regex")) as friend:
        result = await guarded(friend.call("act"), 10)
        assert not isinstance(result, Failure)
        assert result.data == {"a": "a" * 60 + "!"}


@in_loop
async def test_odd_tools_are_named_in_one_line_and_the_good_ones_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(tmp_path, program(RAW, "odd tools")) as friend:
        names = {each.kept_as.rpartition(".")[2] for each in friend.server.manifest.tools}
        assert names == {"say", "act", "code", "nonsense", "hints"}
        hidden = {each.kept_as for each in friend.server.manifest.tools if each.policy and each.policy.no_memory}
        assert hidden == {"mcp.friend.code", "mcp.friend.nonsense"}
        (line,) = warnings(caplog)
        for name in ("list", "banana", "text", "large", "code", "nonsense"):
            assert f"tool {name!r}" in line
        assert (await friend.call("act")).text == "acted"


@in_loop
async def test_two_tools_with_one_name_are_named_and_the_others_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with living(tmp_path, program(RAW, "twice")) as friend:
        assert [each.name for each in friend.server.manifest.tools] == ["friend__act"]
        assert warnings(caplog) == ["mcp server 'friend': it has 2 tools named 'say': none of them is offered"]


@in_loop
async def test_odd_names_are_made_to_fit_and_called_by_their_own(tmp_path: Path) -> None:
    async with living(tmp_path, program(RAW, "names")) as friend:
        tools = friend.server.manifest.tools
        assert [each.kept_as.removeprefix("mcp.friend.") for each in tools][:3] == ["ok", "dotted.name", "查询天气"]
        assert len({each.name for each in tools}) == 6
        assert all(len(each.name) <= 64 and each.name.isascii() for each in tools)
        assert (await friend.call("查询天气")).text == "acted"


@pytest.mark.parametrize(
    ("how", "told"),
    [("exits", "it did not start (its process ended (exit code 2))"), ("endless", "its list of tools has no end")],
)
@in_loop
async def test_one_that_does_not_start_is_named(tmp_path: Path, how: str, told: str) -> None:
    with pytest.raises(PluginError) as error:
        await looked_at("friend", program(RAW, how), tmp_path)
    assert told in str(error.value)


@in_loop
async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    from homeagent.config import McpSettings

    with pytest.raises(PluginError, match="can't be started"):
        await looked_at("friend", McpSettings(command="no-such-program-here"), tmp_path)
    with pytest.raises(PluginError, match="there is no such folder"):
        await looked_at("friend", program(RAW, cwd=str(tmp_path / "none")), tmp_path)


@in_loop
async def test_one_that_never_answers_can_be_given_up(tmp_path: Path) -> None:
    assert START_SECONDS == 60
    looking = asyncio.create_task(looked_at("friend", program(RAW, "silent"), tmp_path))
    await asyncio.sleep(1)
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking


@in_loop
async def test_one_that_ends_again_and_again_stays_off(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    mark = tmp_path / "mark"
    async with living(tmp_path, program(RAW, "exits later", str(mark))) as friend:
        mark.write_text("5")
        assert (await friend.call("act")).text == "acted"
        with pytest.raises(ToolError):
            friend.server._connection.break_off("ended by the test")  # type: ignore[union-attr]
            await friend.call("act")
        await until(lambda: "off until the next start" in caplog.text)
        told = [each.rpartition(": ")[2] for each in warnings(caplog)]
        assert [each.rpartition(" in ")[2] for each in told[:3]] == ["1 s", "2 s", "4 s"]
        assert not friend.server.available
