"""The server, spoken to by the client of the official SDK over loopback."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from typing import TYPE_CHECKING

import httpx
import pytest
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, new_text_message
from a2a.types import GetTaskRequest, Role, SendMessageRequest, TaskState
from a2a_home import plugin
from a2a_home.channel import answered

from homeagent_sdk import Outgoing, Output, RefusedError, TurnInfo
from homeagent_sdk.testing import FakeContext, FakeHost

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from a2a.types import Task

    from homeagent_sdk import Connection

CLIENTS = "desk=desk-token lab=lab-token"


@contextlib.asynccontextmanager
async def serving(**settings: object) -> AsyncIterator[tuple[FakeHost, Connection, str]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    given = {"port": port, "clients": CLIENTS, **settings}
    async with FakeHost(plugin, settings=given) as host:
        connection = host.connect("a2a")
        task = asyncio.create_task(connection.listen())
        address = f"http://127.0.0.1:{port}"
        end = time.monotonic() + 20
        async with httpx.AsyncClient() as client:
            while time.monotonic() < end:
                with contextlib.suppress(httpx.HTTPError):
                    await client.get(f"{address}/.well-known/agent-card.json")
                    break
                await asyncio.sleep(0.02)
        try:
            yield host, connection, address
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def ask(address: str, token: str, text: str, *, context: str = "", stream: bool = True) -> Task:
    """Ask as a client of the official SDK does, and return the task at its end."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(headers=headers, timeout=30) as http:
        card = await A2ACardResolver(http, address).get_agent_card()
        client = ClientFactory(ClientConfig(streaming=stream, httpx_client=http)).create(card)
        message = new_text_message(text, context_id=context or None, role=Role.ROLE_USER)
        task_id = ""
        async for event in client.send_message(SendMessageRequest(message=message)):
            if event.HasField("task"):
                task_id = event.task.id
        return await client.get_task(GetTaskRequest(id=task_id))


async def turn_of(host: FakeHost, count: int = 1) -> TurnInfo:
    end = time.monotonic() + 20
    while len(host.arrivals) < count:
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
    arrival = host.arrivals[count - 1]
    return TurnInfo("t1", "a2a", arrival.chat, arrival.sender)


def in_loop(test: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    return lambda: asyncio.run(asyncio.wait_for(test(), 60))


@pytest.mark.parametrize("stream", [True, False])
def test_a_question_is_a_turn_and_its_answer_an_artifact(stream: bool) -> None:
    @in_loop
    async def run() -> None:
        async with serving() as (host, connection, address):
            asking = asyncio.create_task(ask(address, "desk-token", "锅炉什么时候检修过？", stream=stream))
            turn = await turn_of(host)
            (arrival,) = host.arrivals
            assert (arrival.sender, arrival.text, arrival.addressed, arrival.group) == (
                "desk",
                "锅炉什么时候检修过？",
                True,
                False,
            )
            assert arrival.chat.startswith("desk/")
            assert arrival.id
            await connection.typing(turn.chat)
            await connection.send(Outgoing(turn.chat, "let me look", key="t1.0.0"))
            await answered(output=Output("周二检修过。 On Tuesday."), turn=turn, context=FakeContext(host))
            task = await asking
            assert task.status.state == TaskState.TASK_STATE_COMPLETED
            assert [get_artifact_text(each) for each in task.artifacts] == ["周二检修过。 On Tuesday."]
            with pytest.raises(RefusedError):
                await connection.send(Outgoing(turn.chat, "too late", key="t1.1.0"))

    run()


def test_a_conversation_of_one_client_is_no_other_clients() -> None:
    @in_loop
    async def run() -> None:
        async with serving() as (host, _, address):
            for number, (token, name) in enumerate((("desk-token", "desk"), ("lab-token", "lab")), start=1):
                asking = asyncio.create_task(ask(address, token, "hello", context="shared-context"))
                turn = await turn_of(host, number)
                assert turn.chat == f"{name}/shared-context"
                await answered(output=Output("hi"), turn=turn, context=FakeContext(host))
                await asking
            other = TurnInfo("t", "cli", "desk/shared-context", "owner")
            await answered(output=Output("of another channel"), turn=other, context=FakeContext(host))

    run()


def test_nobody_is_let_in_without_a_token_that_is_known() -> None:
    @in_loop
    async def run() -> None:
        async with serving() as (host, _, address), httpx.AsyncClient() as http:
            body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {}}
            for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic desk-token"}):
                answer = await http.post(address, json=body, headers=headers)
                assert answer.status_code == 401
            big = await http.post(address, content=b"x" * 1_000_001, headers={"Authorization": "Bearer desk-token"})
            assert big.status_code == 413
            card = (await http.get(f"{address}/.well-known/agent-card.json")).json()
            assert card["name"] == "HomeAgent"
            assert "token" not in str(card).replace("bearer", "")
            assert host.arrivals == []

    run()


def test_a_turn_that_failed_gives_what_it_said_and_one_that_is_not_answered_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("a2a_home.exchange._SILENT_SECONDS", 0.1)
    monkeypatch.setattr("a2a_home.exchange._LOOK_SECONDS", 0.05)

    @in_loop
    async def run() -> None:
        async with serving() as (host, connection, address):
            asking = asyncio.create_task(ask(address, "desk-token", "hello"))
            turn = await turn_of(host)
            await connection.send(Outgoing(turn.chat, "The model can't be reached.", key="t1.failed.0"))
            assert [get_artifact_text(each) for each in (await asking).artifacts] == ["The model can't be reached."]

            async def turned_away(_: object) -> bool:
                return False

            monkeypatch.setattr(FakeContext, "arrived", lambda _, arrival: turned_away(arrival))
            task = await ask(address, "desk-token", "hello again")
            assert task.status.state == TaskState.TASK_STATE_REJECTED

    run()


def test_without_a_port_nobody_is_served() -> None:
    @in_loop
    async def run() -> None:
        async with FakeHost(plugin) as host:
            task = asyncio.create_task(host.connect("a2a").listen())
            await asyncio.sleep(0.1)
            assert not task.done()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    run()
