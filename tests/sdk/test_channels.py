from __future__ import annotations

import asyncio
from dataclasses import FrozenInstanceError

import pytest

from homeagent_sdk import (
    Arrival,
    Capabilities,
    Channel,
    Connection,
    DeclarationError,
    MemoryPolicy,
    Outgoing,
    Plugin,
    RefusedError,
)
from homeagent_sdk.testing import FakeHost
from homeagent_sdk.wire_errors import error_from_wire, error_to_wire
from homeagent_sdk.wire_values import from_wire, to_wire


class Line(Connection):
    async def listen(self) -> None:
        await self.context.arrived(Arrival("me", "me", "hello", id="1"))
        await self.context.arrived(Arrival("me", "me", "hello", id="1"))

    async def send(self, message: Outgoing) -> str:
        return f"{self.context.channel}: {message.text}"


class Silent(Connection):
    """Has no `send`."""


class NotAsync(Connection):
    def send(self, message: Outgoing) -> str:  # type: ignore[override]
        return ""


def test_a_connection_is_tried_out_without_a_home() -> None:
    async def main() -> None:
        async with FakeHost(Plugin("talk", "1.0", channels=[Channel("talk", Line)])) as host:
            line = host.connect("talk")
            await line.listen()
            assert [each.text for each in host.arrivals] == ["hello"]
            assert await line.send(Outgoing("me", "hi")) == "talk: hi"
            with pytest.raises(DeclarationError, match=r"it has no channel 'other'\. There are talk"):
                host.connect("other")

    asyncio.run(main())


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Channel("Bad", Line), "this can't be its name"),
        (lambda: Channel("cli", Line), "this is a channel of the program itself"),
        (lambda: Channel("page", Line), "this is a channel of the program itself"),
        (lambda: Channel("irc", Silent), "it can't send. Write async def send"),
        (lambda: Channel("irc", NotAsync), "NotAsync.send: it is not async"),
        (lambda: Channel("irc", str), "str is no Connection"),  # type: ignore[arg-type]
        (lambda: Channel("irc", "Line"), "it can't be called"),  # type: ignore[arg-type]
        (lambda: Channel("irc", Line, Capabilities(length=0)), "length is 0"),
        (lambda: Channel("irc", Line, input=True), "input: it is no MemoryPolicy"),  # type: ignore[arg-type]
        (lambda: Plugin("p", "1", channels=[Line]), "is no Channel. Write Channel"),  # type: ignore[list-item]
        (lambda: Plugin("p", "1", channels=[Channel("irc", Line)] * 2), "it has two channels named 'irc'"),
    ],
)
def test_what_can_not_work_is_refused_when_it_is_declared(make: object, problem: str) -> None:
    with pytest.raises(DeclarationError, match=problem):
        make()  # type: ignore[operator]


def test_a_channel_is_frozen_and_plain_unless_it_says_otherwise() -> None:
    channel = Channel("irc", Line)
    assert (channel.input, channel.output, channel.can) == (MemoryPolicy(), MemoryPolicy(), Capabilities())
    with pytest.raises(FrozenInstanceError):
        channel.name = "other"  # type: ignore[misc]


def test_messages_and_refusals_pass_between_processes_unchanged() -> None:
    arrival = Arrival("g", "1", "a\ud800\0b", members=("1", "2"), group=True)
    assert from_wire(to_wire(arrival)) == arrival
    refused = error_from_wire(error_to_wire(RefusedError("not a member")))
    assert isinstance(refused, RefusedError)
    assert refused.reason == "not a member"
