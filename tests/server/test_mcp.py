"""The official MCP client, unchanged: over HTTP with a token, and over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx2
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitResult

from tests.server.serving import environment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.server.serving import Served

MODES = ["auto", "legacy"]


@asynccontextmanager
async def over_http(
    served: Served, token: str | None = None, mode: str = "auto", **more: object
) -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {token or served.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
        async with Client(transport, mode=mode, **more) as client:  # type: ignore[arg-type]
            yield client


def text_of(result: object) -> str:
    assert isinstance(result, CallToolResult)
    return "".join(getattr(each, "text", "") for each in result.content)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_kept_is_recalled_explained_forgotten_and_brought_back(served: Served, mode: str) -> None:
    async def talk() -> None:
        async with over_http(served, mode=mode) as client:
            kept = await client.call_tool("keep", {"text": f"The boiler ({mode}) was serviced by Ilse Krantz."})
            turn = kept.structured_content["turn"]
            question = {"question": "Who serviced the boiler?", "limit": 5}
            found = await client.call_tool("recall", question)
            assert turn in [hit["turn"] for hit in found.structured_content["hits"]]
            assert "Ilse Krantz" in text_of(found)
            why = await client.call_tool("explain", {"turn": turn})
            assert why.structured_content["segments"][0]["decision"] == "whole"
            await client.call_tool("forget", {"turns": [turn]})
            found = await client.call_tool("recall", question)
            assert turn not in [hit["turn"] for hit in found.structured_content["hits"]]
            await client.call_tool("forget", {"turns": [turn], "undo": True})
            found = await client.call_tool("recall", question)
            assert turn in [hit["turn"] for hit in found.structured_content["hits"]]

    asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_the_owner_is_offered_the_agents_tools_and_they_run(served: Served, mode: str) -> None:
    async def talk() -> None:
        async with over_http(served, mode=mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert {"recall", "keep", "explain", "forget", "clock_now", "files_read"} <= set(tools)
            now = await client.call_tool("clock_now", {"zone": "Asia/Shanghai"})
            assert not now.is_error
            assert "+08" in text_of(now) or "Shanghai" in text_of(now)
            wrong = await client.call_tool("clock_now", {"zone": "Nowhere/Atall"})
            assert wrong.is_error

    asyncio.run(talk())


def test_what_a_tool_asks_is_asked_at_the_client_and_without_an_answer_it_is_not_done(
    served: Served, tmp_path: Path
) -> None:
    async def run(path: Path, **more: object) -> CallToolResult:
        async with over_http(served, mode="legacy", **more) as client:
            result = await client.call_tool("cmd_run", {"command": f"echo hello > {path}"})
            assert isinstance(result, CallToolResult)
            return result

    async def agree(_context: object, _params: object) -> ElicitResult:
        return ElicitResult(action="accept", content={"agree": True})

    refused = asyncio.run(run(tmp_path / "no.txt"))
    assert refused.is_error
    assert not (tmp_path / "no.txt").exists()
    done = asyncio.run(run(tmp_path / "yes.txt", elicitation_callback=agree))
    assert not done.is_error, text_of(done)
    assert (tmp_path / "yes.txt").read_text() == "hello\n"


def test_a_call_that_the_client_takes_back_is_stopped_and_kept_as_interrupted(served: Served) -> None:
    with served.client() as http:

        def calls() -> list[str]:
            turns = http.get("/api/chats/mcp/turns").json()["turns"]
            return [each["status"] for each in turns if "echo woken" in each["text"]]

        async def agree(_context: object, _params: object) -> ElicitResult:
            return ElicitResult(action="accept", content={"agree": True})

        async def talk() -> None:
            async with over_http(served, mode="legacy", elicitation_callback=agree) as client:
                command = {"command": "sleep 600; echo woken"}
                call = asyncio.create_task(client.call_tool("cmd_run", command))
                while not calls():
                    await asyncio.sleep(0.05)
                call.cancel()
                await asyncio.wait({call})
                while calls() != ["interrupted"]:
                    await asyncio.sleep(0.05)

        asyncio.run(asyncio.wait_for(talk(), 60))


def test_a_member_is_offered_the_memory_alone_and_sees_nothing_of_others(served: Served) -> None:
    token = served.member("mcpmember")

    async def talk() -> None:
        async with over_http(served) as owner:
            kept = await owner.call_tool("keep", {"text": "The owner's secret wish is a zeppelin ride."})
        turn = kept.structured_content["turn"]
        async with over_http(served, token) as member:
            assert {tool.name for tool in (await member.list_tools()).tools} == {"recall", "keep", "explain", "forget"}
            found = await member.call_tool("recall", {"question": "zeppelin ride"})
            assert "zeppelin" not in text_of(found)
            for name, arguments in (("explain", {"turn": turn}), ("forget", {"turns": [turn]}), ("clock_now", {})):
                assert (await member.call_tool(name, arguments)).is_error

    asyncio.run(talk())


def test_without_a_token_nobody_gets_in(served: Served) -> None:
    with served.client("") as client:
        assert client.post("/mcp", json={}).status_code == 401


@pytest.mark.parametrize("mode", MODES)
def test_it_is_spoken_over_standard_input_and_output(home: Path, mode: str) -> None:
    async def talk() -> None:
        started = StdioServerParameters(
            command=sys.executable,
            args=["-m", "homeagent", "mcp", "serve", "--home", str(home)],
            env={name: value for name, value in environment().items() if value},
        )
        async with Client(stdio_client(started), mode=mode) as client:
            await client.call_tool("keep", {"text": "The spare tyre is behind the shed."})
            found = await client.call_tool("recall", {"question": "Where is the spare tyre?"})
            assert "behind the shed" in text_of(found)

    asyncio.run(talk())
