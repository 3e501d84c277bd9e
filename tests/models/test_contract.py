"""What every model does, real server, several of them, none, or a script alike."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, asynccontextmanager

import pytest

from homeagent.models import (
    Message,
    Model,
    ModelRequest,
    OfflineModel,
    ReasoningDelta,
    Recalled,
    Reply,
    Router,
    Say,
    ScriptedModel,
    TextDelta,
    ToolCall,
    ToolCallStarted,
    ToolSpec,
    complete,
)
from tests.models.server import FakeServer, calls, delta, in_loop, says

CLOCK = ToolSpec("clock", "Tell the time.", {"type": "object", "properties": {}})
QUESTION = ModelRequest((Message("user", "问候"),), recalled=(Recalled("你好，小满"),))
COMMAND = ModelRequest((Message("user", "/tool clock"),), tools=(CLOCK,))


def answer_to(request: ModelRequest):
    return ToolCall("c1", "clock") if request.tools else Say("你好，小满", reasoning="想一想")


class Serving(FakeServer):
    """Calls the clock when it is offered, else greets."""

    def _answer_to(self, request):
        if request.body.get("tools"):
            return calls([{"index": 0, "id": "c1", "function": {"name": "clock", "arguments": ""}}])
        greeting = says("你好", "，小满")
        return greeting.__class__((delta(reasoning_content="想一想"), *greeting.parts))


@asynccontextmanager
async def opened(kind: str):
    """Give a model of this kind, with what it needs behind it."""
    async with Serving() as server:
        made: dict[str, Model] = {
            "server": server.model(),
            "router": Router([server.source(), server.source(name="spare")]),
            "offline": OfflineModel(lambda _, recalled: recalled[0].text),
            "scripted": ScriptedModel(answer_to),
        }
        yield made[kind]
        for model in made.values():
            await model.close()


every_kind = pytest.mark.parametrize("kind", ["server", "router", "offline", "scripted"])


@every_kind
@in_loop
async def test_a_model_says_what_it_is(kind: str) -> None:
    async with opened(kind) as model:
        assert model.name
        assert model.window_tokens > 1000
        assert isinstance(model.takes, frozenset)


@every_kind
@in_loop
async def test_the_pieces_are_the_reply_and_the_reply_comes_last_and_once(kind: str) -> None:
    async with opened(kind) as model:
        events = [event async for event in model.stream(QUESTION)]

    *pieces, reply = events
    assert isinstance(reply, Reply)
    assert not any(isinstance(event, Reply) for event in pieces)
    assert "".join(event.text for event in pieces if isinstance(event, TextDelta)) == reply.message.text == "你好，小满"
    thought = "".join(event.text for event in pieces if isinstance(event, ReasoningDelta))
    assert thought == reply.message.reasoning
    assert (reply.message.role, reply.reason, bool(reply.source)) == ("assistant", "stop", True)


@every_kind
@in_loop
async def test_a_tool_is_called_with_an_id_a_name_and_json(kind: str) -> None:
    async with opened(kind) as model:
        events = [event async for event in model.stream(COMMAND)]

    assert ToolCallStarted("clock") in events
    [call] = events[-1].message.tool_calls
    assert (bool(call.id), call.name, call.arguments) == (True, "clock", "{}")
    assert events[-1].reason == "tool_calls"


@every_kind
@in_loop
async def test_a_stream_closed_early_leaves_the_model_usable(kind: str) -> None:
    async with opened(kind) as model:
        async with aclosing(model.stream(QUESTION)) as events:
            await anext(events)
        reply = await complete(model, QUESTION)

    assert reply.message.text == "你好，小满"


@every_kind
@in_loop
async def test_streams_at_the_same_time_do_not_mix(kind: str) -> None:
    async with opened(kind) as model:
        replies = await asyncio.gather(*(complete(model, request) for request in (QUESTION, COMMAND) * 3))

    assert [reply.message.text for reply in replies] == ["你好，小满", ""] * 3
    assert [len(reply.message.tool_calls) for reply in replies] == [0, 1] * 3


@every_kind
@in_loop
async def test_a_closed_model_can_be_used_again(kind: str) -> None:
    async with opened(kind) as model:
        await complete(model, QUESTION)
        await model.close()
        await model.close()
        assert (await complete(model, QUESTION)).message.text == "你好，小满"
