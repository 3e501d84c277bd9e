"""The official MCP client, unchanged: over HTTP with a token, and over standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
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


def test_the_owners_agents_recall_nothing_of_what_a_member_said_alone(served: Served) -> None:
    token, question = served.member("mcpdiarist"), {"question": "What is the diary code?"}

    async def talk() -> None:
        async with over_http(served, token) as member:
            kept = await member.call_tool("keep", {"text": "My diary code is quokka seven."})
            assert "quokka" in text_of(await member.call_tool("recall", question))
        async with over_http(served) as owner:
            assert "quokka" not in text_of(await owner.call_tool("recall", question))
            for name, arguments in (("explain", "turn"), ("forget", "turns")):
                turn = kept.structured_content["turn"]
                assert (await owner.call_tool(name, {arguments: turn if name == "explain" else [turn]})).is_error

    asyncio.run(talk())


SPOKEN = {"accept": "application/json, text/event-stream"}


def asked(client: httpx2.Client, session: str, method: str, **params: object) -> httpx2.Response:
    """Ask in the handshake's protocol, without a client: with the headers of a session that may be another's."""
    headers = {**SPOKEN, "mcp-session-id": session, "mcp-protocol-version": "2025-06-18"} if session else SPOKEN
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return client.post("/mcp", json=call, headers=headers)


def begun(client: httpx2.Client) -> str:
    """Begin a session and return its id."""
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return str(asked(client, "", "initialize", **about).headers["mcp-session-id"])


def test_a_session_is_for_the_token_that_began_it(served: Served) -> None:
    token = served.member("sessionmember")
    with served.client() as owner, served.client(token) as member:
        session = begun(owner)
        assert asked(owner, session, "tools/list").status_code == 200
        headers = {**SPOKEN, "mcp-session-id": session, "mcp-protocol-version": "2025-06-18"}
        assert asked(member, session, "tools/list").status_code == 404
        assert member.get("/mcp", headers=headers).status_code == 404  # where the owner would be asked
        assert member.delete("/mcp", headers=headers).status_code == 404
        assert asked(owner, session, "tools/list").status_code == 200
        own = begun(member)
        assert asked(member, own, "tools/list").status_code == 200
        held = owner.get("/api/tokens").json()["tokens"]
        owner.delete(f"/api/tokens/{next(each['id'] for each in held if each['person'] == 'sessionmember')}")
        assert asked(member, own, "tools/list").status_code == 401


def test_a_stream_of_a_revoked_token_is_cut(served: Served) -> None:
    with served.client() as owner:
        made = owner.post("/api/tokens", json={"person": "dora"}).json()
        with served.client(made["value"]) as dora:
            session = begun(dora)
            headers = {"accept": "text/event-stream", "mcp-session-id": session}
            with dora.stream("GET", "/mcp", headers=headers, timeout=120) as stream:
                assert stream.status_code == 200
                owner.delete(f"/api/tokens/{made['id']}")
                with contextlib.suppress(httpx2.RemoteProtocolError):  # it is cut in the middle
                    stream.read()
            assert dora.get("/mcp", headers=headers).status_code == 401


@pytest.mark.parametrize("name", ["host", "origin"])
def test_another_name_or_a_page_of_another_server_gets_no_session(served: Served, name: str) -> None:
    with served.client(**{name: "https://evil.example" if name == "origin" else "evil.example"}) as client:
        assert asked(client, "", "initialize").status_code == 403


@pytest.mark.parametrize("wrong", [{}, {"text": ""}, {"text": ["a"]}, {"text": "x" * 100_001}, {"question": 7}])
def test_what_is_no_argument_of_a_tool_is_said_and_nothing_is_kept(served: Served, wrong: dict[str, object]) -> None:
    async def talk() -> None:
        async with over_http(served, mode="legacy") as client:
            for tool in ("recall", "keep", "explain", "forget"):
                result = await client.call_tool(tool, wrong)
                assert result.is_error, f"{tool} {wrong}"

    with served.client() as owner:
        before = owner.get("/api/memory/status").json()["raw_digest"]
        asyncio.run(talk())
        assert owner.get("/api/memory/status").json()["raw_digest"] == before


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
