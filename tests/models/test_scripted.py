"""The scripted model: what it says, what it keeps, how it fails."""

from __future__ import annotations

import asyncio
import math

import pytest

from homeagent.models import (
    BrokenReplyError,
    BusyError,
    Message,
    ModelRequest,
    Say,
    ScriptedModel,
    ScriptError,
    TextDelta,
    ToolCall,
    Usage,
    complete,
)
from tests.models.server import asked, in_loop


@in_loop
async def test_a_script_is_said_step_by_step_and_the_requests_are_kept() -> None:
    call = ToolCall("c1", "clock")
    model = ScriptedModel([call, "It is noon, by the clock.", Say("cut", usage=Usage(7, 1), reason="length")])

    first = await complete(model, asked("what time"))
    events = [event async for event in model.stream(asked("and now"))]
    last = await complete(model, asked())

    assert first.message.tool_calls == (call,)
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["It is no", "on, by t", "he clock", "."]
    assert (last.usage, last.reason) == (Usage(7, 1), "length")
    assert [request.messages[-1].text for request in model.requests] == ["what time", "and now", "hi"]
    assert model.left == 0


@in_loop
async def test_a_function_makes_each_reply_from_its_request() -> None:
    model = ScriptedModel(lambda request: request.messages[-1].text.upper())

    assert [(await complete(model, asked(text))).message.text for text in ("a", "b")] == ["A", "B"]


@in_loop
async def test_errors_come_before_or_in_the_middle_of_a_reply() -> None:
    busy = BusyError("scripted", "busy", "wait", retry_after=3)
    model = ScriptedModel([busy, Say("half", (ToolCall("c", "x", "{"),), error=busy)])

    with pytest.raises(BusyError):
        await complete(model, asked())
    with pytest.raises(BrokenReplyError, match="broke off: busy") as caught:
        await complete(model, asked())
    assert caught.value.partial == Message("assistant", "half")
    assert caught.value.unfinished_calls == (ToolCall("c", "x", "{"),)


@in_loop
async def test_a_request_beyond_the_script_says_so() -> None:
    model = ScriptedModel(["one"])
    await complete(model, asked())

    with pytest.raises(ScriptError, match="its script has 1 steps, this is request 2"):
        await complete(model, asked())


@in_loop
async def test_it_can_hang_and_be_cancelled() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await complete(ScriptedModel([Say("never", pause=math.inf)]), asked())


@in_loop
async def test_the_common_beginning_of_two_requests_counts_as_cached() -> None:
    model = ScriptedModel(lambda _: "ok")
    system = Message("system", "You are kind. " * 50)
    first = await complete(model, ModelRequest((system, Message("user", "a"))))
    same = await complete(model, ModelRequest((system, Message("user", "a"), Message("user", "b"))))
    other = await complete(model, ModelRequest((Message("system", "x"), Message("user", "a"))))

    assert (first.usage.cached_tokens, other.usage.cached_tokens) == (0, 0)
    assert same.usage.cached_tokens == first.usage.prompt_tokens < same.usage.prompt_tokens
