"""A real HTTP server in the test's own event loop that speaks OpenAI's protocol, and misbehaves as it is told."""

from __future__ import annotations

import asyncio
import functools
import json
from dataclasses import dataclass, field
from typing import Self

from homeagent.models import Message, ModelRequest, OpenAICompatibleModel, Reply, Source, Timeouts

CUT = None
"""In the parts of an answer: the connection is cut here."""


@dataclass(frozen=True)
class Answer:
    """What is sent back: a status, headers, and parts; a number among them is a pause in seconds, `CUT` the end."""

    parts: tuple[bytes | float | None, ...] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    chunked: bool = True


def event(content) -> bytes:
    """Return one server-sent event."""
    return b"data: " + (content if isinstance(content, str) else json.dumps(content)).encode() + b"\n\n"


def delta(finish=None, **fields) -> bytes:
    """Return the event of a chunk with this delta."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish}
    return event({"id": "1", "object": "chat.completion.chunk", "model": "tiny", "choices": [choice]})


def usage(prompt=10, completion=5, **details) -> bytes:
    """Return the event that reports the tokens."""
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return event({"id": "1", "model": "tiny", "choices": [], "usage": counts | details})


DONE = event("[DONE]")


def says(*texts, finish="stop") -> Answer:
    """Return a well-behaved stream of these pieces of text."""
    return Answer((*(delta(content=text) for text in texts), delta(finish), usage(), DONE))


def calls(*pieces, finish="tool_calls") -> Answer:
    """Return a stream with one delta for each list of pieces of tool calls."""
    return Answer((*(delta(tool_calls=piece) for piece in pieces), delta(finish), DONE))


def refuses(status, message="no", code=None, **headers) -> Answer:
    """Return an error as OpenAI words it."""
    body = json.dumps({"error": {"message": message, "code": code, "type": "error"}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer((body,), status, {"content-type": "application/json", **named})


@dataclass(frozen=True)
class Request:
    """One request the server got."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict


class FakeServer:
    """Gives each ``POST /v1/chat/completions`` the next of its answers, the last one again and again."""

    def __init__(self, *answers: Answer, listing: Answer | None = None) -> None:
        self.answers = list(answers) or [says("hello")]
        self.listing = listing or Answer((b'{"data": [{"id": "tiny"}]}',))
        self.requests: list[Request] = []
        self.connections = 0
        self._closing = False
        self._tasks: set[asyncio.Task] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def source(self, **settings) -> Source:
        """Return a source for this server, impatient and without retries unless told otherwise."""
        named = {"name": "home", "base_url": self.url, "model": "tiny", "retries": 0} | settings
        return Source(timeouts=named.pop("timeouts", Timeouts(2.0, 5.0, 5.0)), **named)

    def model(self, **settings) -> OpenAICompatibleModel:
        """Return a model for this server that waits for nothing before a retry and counts the ids it makes."""
        numbers = iter(range(1, 100))
        return OpenAICompatibleModel(self.source(**settings), sleep=no_wait, new_id=lambda: f"made_{next(numbers)}")

    @property
    def bodies(self) -> list[dict]:
        """What the chat requests asked for."""
        return [request.body for request in self.requests if request.method == "POST"]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._tasks.add(asyncio.current_task())
        try:
            while request := await _read(reader):
                self.requests.append(request)
                await _send(writer, self._answer_to(request))
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the end of a connection, or of the server
        finally:
            self._tasks.discard(asyncio.current_task())
            if self._closing:
                writer.transport.abort()
            else:
                writer.close()

    def _answer_to(self, request: Request) -> Answer:
        if request.path == "/v1/models":
            return self.listing
        if request.path != "/v1/chat/completions":
            return refuses(404, "no such path")
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


async def _read(reader: asyncio.StreamReader) -> Request | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, path, headers, json.loads(body) if body else {})


async def _send(writer: asyncio.StreamWriter, answer: Answer) -> None:
    framing = "transfer-encoding: chunked" if answer.chunked else "connection: close"
    named = {"content-type": "text/event-stream"} | answer.headers
    lines = [f"HTTP/1.1 {answer.status} X", framing, *(f"{name}: {value}" for name, value in named.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    for part in answer.parts:
        if part is CUT:
            await writer.drain()
            await asyncio.sleep(0.02)
            writer.transport.abort()
            raise ConnectionAbortedError
        if isinstance(part, float):
            await writer.drain()
            await asyncio.sleep(part)
        elif part:
            writer.write(b"%x\r\n%s\r\n" % (len(part), part) if answer.chunked else part)
    if answer.chunked:
        writer.write(b"0\r\n\r\n")
    await writer.drain()
    if not answer.chunked:
        raise ConnectionAbortedError


async def no_wait(seconds: float) -> None:
    """Wait not at all."""


def in_loop(test=None, *, seconds=30):
    """Run an async test in an event loop of its own."""
    if test is None:
        return functools.partial(in_loop, seconds=seconds)

    @functools.wraps(test)
    def run(*args, **kwargs):
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), seconds))

    return run


def asked(text="hi", **settings) -> ModelRequest:
    """Return a request with one message of the user."""
    return ModelRequest((Message("user", text),), **settings)


async def events_of(model, request=None) -> list:
    """Return all events of a reply, and close the model."""
    try:
        return [event async for event in model.stream(request or asked())]
    finally:
        await model.close()


async def reply_of(model, request=None) -> Reply:
    """Return the reply, and close the model."""
    return (await events_of(model, request))[-1]
