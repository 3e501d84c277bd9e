"""What a server refuses, how often it is asked again, and what is learned from it; no key ever shows."""

from __future__ import annotations

import json
import logging
import socket
import traceback

import pytest

from homeagent.models import (
    BusyError,
    ContextTooLongError,
    CreditError,
    KeyMissingError,
    KeyRefusedError,
    Message,
    ModelError,
    ModelRequest,
    OpenAICompatibleModel,
    RequestRefusedError,
    ServerDownError,
    ToolSpec,
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
    refuses,
    reply_of,
    says,
)

CLOCK = ToolSpec("clock", "Tell the time.", {"type": "object", "properties": {}})
KEY = "sk-abcdefghijklmnop1234567890"


async def failed(*answers, request=None, **settings):
    """Return the error that these answers end in, and the server."""
    async with FakeServer(*answers) as server:
        with pytest.raises(ModelError) as caught:
            await events_of(server.model(**settings), request)
    return caught.value, server


# -- which error it is ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "Unknown parameter foo", RequestRefusedError),
        (401, "Incorrect API key provided", KeyRefusedError),
        (403, "Forbidden", KeyRefusedError),
        (403, "Your input was flagged by moderation", RequestRefusedError),
        (402, "Payment required", CreditError),
        (404, "The model `x` does not exist", RequestRefusedError),
        (422, "Validation error", RequestRefusedError),
        (429, "Rate limit reached: input tokens per minute exceeded", BusyError),
        (429, "You exceeded your current quota", CreditError),
        (429, "账户余额不足", CreditError),
        (500, "context deadline exceeded", ServerDownError),
        (502, "Bad gateway", ServerDownError),
        (503, "Loading model", BusyError),
        (529, "Overloaded", BusyError),
    ],
)
@in_loop
async def test_a_status_becomes_the_error_it_means(status, message, kind) -> None:
    error, _ = await failed(refuses(status, message))

    assert type(error) is kind
    assert f"status {status} ({message})" in error.problem
    assert error.where.startswith("model source home (tiny at 127.0.0.1:")


@pytest.mark.parametrize(
    ("status", "message", "window"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", 8192),
        (400, "the request exceeds the available context size. try increasing the context size", None),
        (400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", None),
        (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", None),
        (400, "Range of input length should be [1, 30720]", None),
        (400, "输入内容过长", None),
        (413, "Prompt exceeds max length", None),
        (500, "input is too long to fit the context window", None),
    ],
)
@in_loop
async def test_a_conversation_that_is_too_long_is_recognised(status, message, window) -> None:
    error, server = await failed(refuses(status, message), retries=2)

    assert type(error) is ContextTooLongError
    assert error.window_tokens == window
    assert len(server.requests) == 1


@in_loop
async def test_numbers_and_codes_of_a_too_long_conversation_are_read() -> None:
    body = {
        "error": {
            "code": 400,
            "type": "exceed_context_size_error",
            "message": "no",
            "n_ctx": 4096,
            "n_prompt_tokens": 5000,
        }
    }
    error, _ = await failed(Answer((json.dumps(body).encode(),), 400))
    coded, _ = await failed(refuses(400, "no", "context_length_exceeded"))
    streamed, _ = await failed(Answer((event({"error": {"message": "no", "code": "context_length_exceeded"}}),)))

    assert isinstance(error, ContextTooLongError)
    assert (error.window_tokens, error.prompt_tokens) == (4096, 5000)
    assert isinstance(coded, ContextTooLongError)
    assert isinstance(streamed, ContextTooLongError)


@in_loop
async def test_a_reply_that_may_not_be_so_long_is_no_too_long_conversation() -> None:
    error, _ = await failed(refuses(400, "max_tokens exceeds the maximum of 4096 output tokens"))

    assert type(error) is RequestRefusedError


@pytest.mark.parametrize(
    "body", [b"", b"<html>Bad gateway</html>", b'"no"', b"[1]", b'{"detail": [{"msg": "no"}]}', b"{"]
)
@in_loop
async def test_any_body_of_an_error_is_read(body) -> None:
    error, _ = await failed(Answer((body,), 418))

    assert isinstance(error, RequestRefusedError)
    assert len(error.problem) < 400


@in_loop
async def test_a_server_that_is_not_there_is_down() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    async with FakeServer() as server:
        with pytest.raises(ServerDownError, match="can't be reached"):
            await events_of(server.model(base_url=url))


# -- trying again -----------------------------------------------------------------------------------------------------


async def waits_for(*answers, **settings):
    """Return the waits between the attempts, and what came of them in the end."""
    waits = []

    async def wait(seconds):
        waits.append(seconds)

    async with FakeServer(*answers) as server:
        model = OpenAICompatibleModel(server.source(**settings), sleep=wait)
        try:
            return waits, (await reply_of(model)).message.text
        except ModelError as error:
            return waits, error


@pytest.mark.parametrize("first", [refuses(429), refuses(500), refuses(408), Answer((CUT,)), Answer(), Answer((DONE,))])
@in_loop
async def test_a_passing_failure_is_tried_again_with_growing_waits(first) -> None:
    assert await waits_for(first, first, says("at last"), retries=2) == ([0.5, 1.0], "at last")


@in_loop
async def test_an_error_inside_the_stream_before_the_first_token_is_tried_again() -> None:
    busy = Answer((event({"error": {"message": "busy", "code": 429}}),))
    assert await waits_for(busy, says("at last"), retries=1) == ([0.5], "at last")


@in_loop
async def test_it_is_not_tried_more_often_than_asked_for() -> None:
    waits, error = await waits_for(refuses(500, "broken"), retries=2)

    assert waits == [0.5, 1.0]
    assert isinstance(error, ServerDownError)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "250"}, 0.25),
        ({"retry_after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
    ],
)
@in_loop
async def test_the_server_is_given_the_time_it_asks_for(headers, wait) -> None:
    assert await waits_for(refuses(429, **headers), says("at last"), retries=1) == ([wait], "at last")


@in_loop
async def test_a_server_that_wants_too_much_patience_is_given_up() -> None:
    waits, error = await waits_for(refuses(429, retry_after="3600"), retries=2)

    assert waits == []
    assert isinstance(error, BusyError)
    assert error.retry_after == 3600


@pytest.mark.parametrize(
    "answer", [refuses(400), refuses(401), refuses(402), refuses(404), refuses(429, "insufficient_quota")]
)
@in_loop
async def test_what_will_not_pass_is_asked_once(answer) -> None:
    waits, error = await waits_for(answer, retries=5)

    assert waits == []
    assert isinstance(error, ModelError)


# -- learning what a server does not understand -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "without"),
    [
        (refuses(400, "Unrecognized request argument supplied: stream_options"), {"stream_options"}),
        (refuses(422, '[{"type":"extra_forbidden","loc":["body","stream_options"]}]'), {"stream_options"}),
        (refuses(400, "Extra inputs are not permitted"), {"stream_options", "prompt_cache_key"}),
        (refuses(400, "Unsupported value: 'temperature' does not support 0.5 with this model"), {"temperature"}),
        (refuses(400, "registry.ollama.ai/library/gemma:2b does not support tools"), {"tools"}),
        (refuses(500, "tools param requires --jinja flag"), {"tools"}),
        (refuses(400, '"auto" tool choice requires --enable-auto-tool-choice'), {"tools"}),
        (refuses(404, "No endpoints found that support tool use"), {"tools"}),
        (refuses(400, "streaming is not supported by this deployment"), {"stream"}),
    ],
)
@in_loop
async def test_what_is_refused_is_left_out_from_then_on(answer, without) -> None:
    request = asked(tools=(CLOCK,), max_tokens=9, temperature=0.5, cache_key="c")
    async with FakeServer(answer, says("fine")) as server:
        model = server.model()
        replies = [[each async for each in model.stream(request)][-1] for _ in range(2)]
        await model.close()

    first, second, third = server.bodies
    assert first.keys() - second.keys() - ({"stream"} if "stream" in without else set()) == without - {"stream"}
    assert second.get("stream", False) is ("stream" not in without)
    assert third == second
    assert [reply.notes for reply in replies] == [
        ("tiny takes no tools: it was asked without them",) * ("tools" in without)
    ] * 2


@in_loop
async def test_newer_names_are_learned() -> None:
    refused = refuses(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    wanted = refuses(400, "Missing `reasoning_content` field in the assistant message")
    request = ModelRequest((Message("assistant", "a", reasoning="because"), Message("user", "b")), max_tokens=9)
    async with FakeServer(refused, wanted, says("fine")) as server:
        await reply_of(server.model(), request)

    last = server.bodies[-1]
    assert "max_tokens" not in last
    assert last["max_completion_tokens"] == 9
    assert last["messages"][0]["reasoning_content"] == "because"


@in_loop
async def test_an_error_about_the_conversation_teaches_nothing() -> None:
    said = "An assistant message with 'tool_calls' must be followed by tool messages"
    error, server = await failed(refuses(400, said), request=asked(tools=(CLOCK,)))

    assert isinstance(error, RequestRefusedError)
    assert len(server.requests) == 1


# -- keys -------------------------------------------------------------------------------------------------------------


@in_loop
async def test_the_key_is_read_for_each_request(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("TEST_KEY", f" {KEY}\n")
    file = tmp_path / "key"
    file.write_text("first\n")
    file.chmod(0o600)
    async with FakeServer() as server:
        await reply_of(server.model(key_env="TEST_KEY"))
        model = server.model(key_file=file)
        _ = [event async for event in model.stream(asked())]
        file.write_text("second")
        _ = [event async for event in model.stream(asked())]
        await model.close()
        await reply_of(server.model())

    keys = [request.headers["authorization"] for request in server.requests]
    assert keys == [f"Bearer {KEY}", "Bearer first", "Bearer second", "Bearer none"]


@pytest.mark.parametrize(
    ("content", "mode", "said"), [("k", 0o644, "mode 644"), ("", 0o600, "is empty"), ("a b", 0o600, "no key has")]
)
@in_loop
async def test_a_key_file_that_cannot_be_used_sends_nothing(content, mode, said, tmp_path) -> None:
    file = tmp_path / "key"
    file.write_text(content)
    file.chmod(mode)
    error, server = await failed(key_file=file)

    assert isinstance(error, KeyMissingError)
    assert said in error.problem
    assert server.requests == []


@in_loop
async def test_a_missing_key_says_what_to_set(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("TEST_KEY", raising=False)
    of_variable, _ = await failed(key_env="TEST_KEY")
    of_file, _ = await failed(key_file=tmp_path / "none")

    assert "Set TEST_KEY" in of_variable.next_step
    assert f"chmod 600 {tmp_path / 'none'}" in of_file.next_step


@pytest.mark.parametrize(
    "answer",
    [
        refuses(401, f"Incorrect API key provided: {KEY}"),
        refuses(400, f"Authorization: Bearer {KEY} is odd"),
        refuses(500, f"key {KEY[:9]}********{KEY[-4:]} failed"),
        Answer((f"data: {{{KEY}\n\n".encode(),)),
        Answer((f"what is {KEY}".encode(),)),
        Answer((delta(content="x"), event({"error": {"message": f"bad {KEY}"}}))),
    ],
)
@in_loop
async def test_no_key_shows_in_errors_or_logs(answer, monkeypatch, caplog) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    with caplog.at_level(logging.DEBUG):
        error, server = await failed(answer, key_env="TEST_KEY")

    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(server.source()) + caplog.text
    assert KEY not in shown
    assert KEY[:9] not in shown


@in_loop
async def test_the_environment_of_the_client_library_is_not_sent_elsewhere(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with FakeServer() as server:
        await reply_of(server.model())

    [request] = server.requests
    assert request.headers["authorization"] == "Bearer none"
    assert "org-secret" not in str(request.headers)
