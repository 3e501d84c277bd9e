"""A reply over the wire: text, thoughts, refusals, usage, and servers that break off, stall or talk nonsense."""

from __future__ import annotations

import asyncio
import json

import pytest

from homeagent.models import (
    Attachment,
    BrokenReplyError,
    Cost,
    Message,
    ModelRequest,
    ModelTimeoutError,
    Price,
    ReasoningDelta,
    RequestRefusedError,
    ServerDownError,
    TextDelta,
    Timeouts,
    ToolCall,
    ToolSpec,
    Usage,
)
from tests.models.server import (
    CUT,
    DONE,
    Answer,
    FakeServer,
    asked,
    delta,
    event,
    events_of,
    in_loop,
    reply_of,
    says,
    usage,
)

CLOCK = ToolSpec("clock", "Tell the time.", {"type": "object", "properties": {}})


async def got(*parts, chunked=True, **settings):
    """Return the reply to an answer of these parts."""
    async with FakeServer(Answer(parts, chunked=chunked)) as server:
        return await reply_of(server.model(**settings))


async def failed(kind, *parts, chunked=True, **settings):
    """Return the error that an answer of these parts ends in."""
    async with FakeServer(Answer(parts, chunked=chunked)) as server:
        with pytest.raises(kind) as caught:
            await events_of(server.model(**settings))
    return caught.value


# -- what a good server sends -----------------------------------------------------------------------------------------


@in_loop
async def test_text_comes_as_it_is_sent_and_usage_with_its_cost() -> None:
    details = {"prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 2}}
    parts = (delta(role="assistant", content=""), delta(content="猫在"), delta(content="睡觉"), delta("stop"))
    price = Price(2.0, 8.0, 0.5, "CNY")
    async with FakeServer(Answer((*parts, usage(10, 5, **details), DONE))) as server:
        *pieces, reply = await events_of(server.model(price=price))

    assert pieces == [TextDelta("猫在"), TextDelta("睡觉")]
    assert (reply.message, reply.reason) == (Message("assistant", "猫在睡觉"), "stop")
    assert reply.usage == Usage(10, 5, cached_tokens=4, reasoning_tokens=2)
    assert reply.cost == Cost(pytest.approx((6 * 2 + 4 * 0.5 + 5 * 8) / 1e6), "CNY")
    assert (reply.source, reply.model) == ("home", "tiny")


@in_loop
async def test_the_request_carries_the_conversation_the_tools_and_the_settings() -> None:
    conversation = (
        Message("system", "Be short."),
        Message("user", "what time\0\ud800?", name="ming"),
        Message("assistant", "", (ToolCall("c1", "clock"),), reasoning="hm"),
        Message("tool", "12:00", tool_call_id="c1", name="clock"),
    )
    async with FakeServer() as server:
        await reply_of(server.model(), ModelRequest(conversation, (CLOCK,), 100, 0.5, "chat-7"))

    [body] = server.bodies
    assert body["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "what time\ufffd\ufffd?", "name": "ming"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}],
        },
        {"role": "tool", "content": "12:00", "tool_call_id": "c1"},
    ]
    assert body["tools"][0]["function"]["name"] == "clock"
    settings = {name: value for name, value in body.items() if name not in {"messages", "tools"}}
    assert settings == {
        "model": "tiny",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "temperature": 0.5,
        "prompt_cache_key": "chat-7",
    }


@in_loop
async def test_what_would_poison_every_later_turn_is_sent_as_servers_take_it() -> None:
    calls = (ToolCall("c1", "", '{"a": '), ToolCall("c2", "clock", "[1]"))
    request = ModelRequest((Message("user", "hi", name="小 明/x"), Message("assistant", "", calls)))
    async with FakeServer() as server:
        await reply_of(server.model(), request)

    user, assistant = server.bodies[0]["messages"]
    sent = [call["function"] for call in assistant["tool_calls"]]
    assert user["name"] == "小_明_x"
    assert sent[0] == {"name": "unknown", "arguments": '{"not_json": "{\\"a\\": "}'}
    assert json.loads(sent[1]["arguments"]) == {"not_json": "[1]"}


@in_loop
async def test_attachments_go_to_models_that_take_them_and_are_named_to_others() -> None:
    files = (
        Attachment("image/PNG", b"\x89PNG", "cat.png"),
        Attachment("audio/wav", b"RIFF"),
        Attachment("text/x", b"?"),
    )
    request = ModelRequest((Message("user", "看", attachments=files), Message("assistant", "", attachments=files[:1])))
    async with FakeServer() as server:
        await reply_of(server.model(takes=frozenset({"image/*", "audio/wav", "text/x"})), request)
        await reply_of(server.model(), request)

    sighted, blind = server.bodies
    text, image, sound = sighted["messages"][0]["content"]
    assert text == {"type": "text", "text": "看\n[attachment not shown to you: text/x, 1 bytes]"}
    assert image["image_url"]["url"] == "data:image/png;base64,iVBORw=="
    assert sound["input_audio"] == {"data": "UklGRg==", "format": "wav"}
    assert "cat.png, image/PNG, 4 bytes" in sighted["messages"][1]["content"]
    assert blind["messages"][0]["content"].count("[attachment not shown to you: ") == 3


@pytest.mark.parametrize(
    ("deltas", "thought"),
    [
        ([{"reasoning_content": "let me "}, {"reasoning_content": "see"}], "let me see"),
        ([{"reasoning": "let me see", "reasoning_content": "let me see"}], "let me see"),
        (
            [
                {"content": "<thi"},
                {"content": "nk>let "},
                {"content": "me</th"},
                {"content": "ink>\n"},
                {"content": "\n"},
            ],
            "let me",
        ),
        ([{"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": ""}]}], ""),
    ],
)
@in_loop
async def test_thoughts_are_told_from_the_reply(deltas, thought) -> None:
    parts = [*(delta(**each) for each in deltas), delta(content="yes"), delta(content=" <think>", finish="stop"), DONE]
    async with FakeServer(Answer(tuple(parts))) as server:
        *pieces, reply = await events_of(server.model())

    assert (reply.message.text, reply.message.reasoning) == ("yes <think>", thought)
    assert "".join(piece.text for piece in pieces if isinstance(piece, ReasoningDelta)) == thought
    assert "".join(piece.text for piece in pieces if isinstance(piece, TextDelta)) == "yes <think>"


@pytest.mark.parametrize(
    ("finish", "fields", "reason"),
    [
        ("stop", {"content": "x"}, "stop"),
        ("eos_token", {"content": "x"}, "stop"),
        ("length", {"content": "x"}, "length"),
        ("content_filter", {"content": "x"}, "refused"),
        ("stop", {"refusal": "I can't."}, "refused"),
        ("stop", {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "clock"}}]}, "tool_calls"),
        ("tool_calls", {"content": "x"}, "stop"),
    ],
)
@in_loop
async def test_the_reason_a_reply_ended_has_four_names(finish, fields, reason) -> None:
    reply = await got(delta(**fields), delta(finish), DONE)

    assert reply.reason == reason
    assert reply.usage is None
    assert reply.cost is None


@in_loop
async def test_characters_cut_between_bytes_or_halves_are_whole() -> None:
    raw = event(json.dumps({"choices": [{"delta": {"content": "猫🐈\u2028"}}]}, ensure_ascii=False))
    halves = delta(content="\ud83d"), delta(content="\ude00!"), delta(content="\ud83d")
    parts = [raw[place : place + 1] for place in range(len(raw))]
    reply = await got(*parts, *halves, delta("stop"), DONE)

    assert reply.message.text == "猫🐈\u2028😀!\ufffd"


# -- servers that are a little odd ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parts",
    [
        (b": keep alive\r\n\r\n", delta(content="hello").replace(b"\n", b"\r\n"), delta("stop"), DONE),
        (delta(content="hello").replace(b"\n", b"\r"), delta("stop").replace(b"\n", b"\r"), DONE),
        (delta(content="hello").replace(b"\n\n", b"\n"), delta("stop").replace(b"\n\n", b"\n"), b"data: [DONE]"),
        (b"data: ping\n\ndata:\n\nevent: x\nretry: 3\n\n", delta(content="hello"), delta("stop")),
        (event({"choices": []}), event({"choices": None}), event({}), delta(content="hello"), delta("stop"), DONE),
        (
            event({"choices": [{"index": 1, "delta": {"content": "other"}}]}),
            delta(content="hello", finish="stop"),
            DONE,
        ),
        (delta(content="hello"), DONE),
        (delta(content="hello"), DONE, CUT),
        (delta(content="hello"), DONE, 60.0),
        (delta(content=None, tool_calls=None, role=None), delta(content="hello"), delta("stop", content=""), DONE),
        (
            event({"choices": [{"delta": None}], "usage": None, "error": None}),
            delta(content="hello", finish="stop"),
            DONE,
        ),
        (json.dumps({"choices": [{"message": {"role": "assistant", "content": "hello"}}]}).encode(),),
        (b"\xef\xbb\xbf" + json.dumps({"choices": [{"message": {"content": "hello"}}]}, indent=2).encode(),),
        (delta(content="hel"), event({"choices": [{"message": {"content": "lo"}, "finish_reason": "stop"}]}), DONE),
    ],
)
@in_loop
async def test_odd_but_readable_streams_are_read(parts) -> None:
    assert (await got(*parts, chunked=False)).message.text == "hello"


@in_loop
async def test_a_server_that_does_not_stream_gives_calls_and_usage_all_the_same() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "clock", "arguments": {"zone": "北京"}}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    whole = {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 3}}
    reply = await got(json.dumps(whole).encode())

    assert reply.message.tool_calls == (ToolCall("a", "clock", '{"zone": "北京"}'),)
    assert (reply.reason, reply.usage) == ("tool_calls", Usage(3, 0))


@pytest.mark.parametrize("last", [CUT, 60.0])
@in_loop
async def test_what_breaks_off_after_the_end_of_the_reply_is_a_whole_reply(last) -> None:
    async with FakeServer(Answer((delta(content="all"), delta("stop"), usage(), last))) as server:
        model = server.model()
        async with asyncio.timeout(20):
            *_, reply = [event async for event in model.stream(asked())]
        await model.close()

    assert (reply.message.text, reply.reason, reply.usage) == ("all", "stop", Usage(10, 5))


# -- half a stream ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ((CUT,), "the connection was lost"),
        ((), "ended before the reply was finished"),
        ((60.0,), "nothing more came for 0.2 s"),
        ((b'data: {"choices": [{"del\n\n',), "is no JSON"),
        ((event({"error": {"message": "CUDA out of memory", "code": 500}}),), "CUDA out of memory"),
        ((delta("error"),), "gave up in the middle"),
    ],
)
@in_loop
async def test_half_a_stream_is_an_error_that_holds_what_arrived(rest, said) -> None:
    call = [{"index": 0, "id": "a", "function": {"name": "cmd_run", "arguments": '{"command": "rm -rf /tmp/x'}}]
    parts = (delta(reasoning_content="so"), delta(content="The answer "), delta(tool_calls=call), *rest)
    impatient = {"timeouts": Timeouts(2.0, 5.0, 0.2)} if rest == (60.0,) else {}
    error = await failed(BrokenReplyError, *parts, retries=3, **impatient)

    assert said in error.problem
    assert error.partial == Message("assistant", "The answer ", reasoning="so")
    assert error.unfinished_calls == (ToolCall("a", "cmd_run", '{"command": "rm -rf /tmp/x'),)


@in_loop
async def test_what_was_said_before_the_break_was_heard() -> None:
    async with FakeServer(Answer((delta(content="one "), delta(content="two"), CUT)), says("other")) as server:
        model, heard = server.model(retries=3), []
        with pytest.raises(BrokenReplyError):
            async for each in model.stream(asked()):
                heard += [each]
        await model.close()

    assert heard == [TextDelta("one "), TextDelta("two")]
    assert len(server.requests) == 1


# -- nothing that could be read ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "kind", "said"),
    [
        ((), ServerDownError, "it answered with nothing"),
        ((DONE,), ServerDownError, "it answered with nothing"),
        ((CUT,), ServerDownError, "the connection was lost"),
        ((b"data: {oops}\n\n",), ServerDownError, "is no JSON ({oops})"),
        ((b"<!doctype html><title>Open WebUI</title>",), RequestRefusedError, "no reply of a model (<!doctype html>"),
        ((b'{"status": "ok"}',), RequestRefusedError, "no reply of a model"),
        ((b'{"error": "model not loaded"}',), RequestRefusedError, "model not loaded"),
        ((b": wait\n\n", 60.0), ModelTimeoutError, "no first token within 0.2 s"),
        ((60.0,), ModelTimeoutError, "no first token within 0.2 s"),
    ],
)
@in_loop
async def test_an_answer_without_a_reply_says_what_was_wrong(parts, kind, said) -> None:
    impatient = {"timeouts": Timeouts(2.0, 0.2, 5.0)} if kind is ModelTimeoutError else {}
    error = await failed(kind, *parts, **impatient)

    assert said in error.problem
    assert "home" in error.where
    assert error.next_step


@in_loop
async def test_a_server_that_does_not_even_send_headers_times_out() -> None:
    async def silent(reader, writer):
        await reader.read(-1)
        writer.close()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as listening, FakeServer() as server:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        with pytest.raises(ModelTimeoutError, match="no first token"):
            await events_of(server.model(base_url=url, timeouts=Timeouts(2.0, 0.2, 5.0)))


@in_loop
async def test_slow_tokens_are_waited_for_and_a_slow_reader_is_not_blamed() -> None:
    parts = (0.15, delta(content="a"), 0.15, delta(content="b"), 0.15, delta("stop"), DONE)
    async with FakeServer(Answer(parts)) as server:
        model = server.model(timeouts=Timeouts(2.0, 5.0, 0.8))
        text = ""
        async for each in model.stream(asked()):
            if isinstance(each, TextDelta):
                text += each.text
                await asyncio.sleep(0.9)
        await model.close()

    assert text == "ab"


@in_loop
async def test_a_cancelled_stream_closes_its_connection() -> None:
    async with FakeServer(Answer((delta(content="a"), 60.0))) as server:
        model = server.model()

        async def read():
            async for _ in model.stream(asked()):
                pass

        task = asyncio.create_task(read())
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await model.close()


@in_loop
async def test_a_connection_is_used_again() -> None:
    async with FakeServer() as server:
        model = server.model()
        for _ in range(3):
            _ = [event async for event in model.stream(asked())]
        await model.close()

    assert (len(server.requests), server.connections) == (3, 1)
