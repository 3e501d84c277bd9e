"""Any model behind OpenAI's ``POST /v1/chat/completions``: Ollama, llama.cpp, vLLM, a paid service."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Final, TypeVar, cast

from homeagent.models.assembly import ReplyBuilder
from homeagent.models.checks import check_source
from homeagent.models.client import ClientPool, as_model_errors
from homeagent.models.dialect import Dialect
from homeagent.models.errors import (
    BrokenReplyError,
    BusyError,
    ModelError,
    ModelTimeoutError,
    RequestRefusedError,
    ServerDownError,
)
from homeagent.models.failures import failure_in, model_error, redacted
from homeagent.models.sources import read_key
from homeagent.models.sse import AnswerReader, TooLongAnswerError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from openai.types.chat import ChatCompletionMessageParam

    from homeagent.models.checks import SourceCheck
    from homeagent.models.messages import ModelEvent, ModelRequest
    from homeagent.models.sources import Source

__all__ = ["OpenAICompatibleModel"]

T = TypeVar("T")
Chunk = dict[str, object]

_BACK_OFF: Final = 0.5
_LONGEST_BACK_OFF: Final = 8.0
_AFTER_END: Final = 3.0
"""Seconds to wait for the usage, which comes after the end of the reply."""
_LONGEST_DRAIN: Final = 0.25


class OpenAICompatibleModel:
    """A `Model` that asks one `Source`. Making one opens no connection.

    Before the first token a passing failure is tried again; after it never, since part of the reply is out.
    """

    def __init__(
        self,
        source: Source,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        new_id: Callable[[], str] = lambda: f"call_{secrets.token_hex(8)}",
    ) -> None:
        self.source = source
        self._sleep = sleep
        self._new_id = new_id
        self._dialect = Dialect(source)
        self._clients = ClientPool(source)

    @property
    def name(self) -> str:
        """The source's name."""
        return self.source.name

    @property
    def window_tokens(self) -> int:
        """As the source says."""
        return self.source.window_tokens

    @property
    def takes(self) -> frozenset[str]:
        """As the source says."""
        return self.source.takes

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the reply as it comes, the `Reply` last. Raises `ModelError`.

        `BrokenReplyError` when it ends before it is whole: with what had arrived in ``partial``.
        """
        failures = 0
        while True:
            begun = False
            try:
                async with aclosing(self._attempt(request)) as events:
                    async for event in events:
                        begun = True
                        yield event
                return
            except ModelError as error:
                if begun:
                    raise
                wait = 0.0
                if not self._dialect.learn(error, request):
                    wait = self._wait_before_retry(error, failures)
                    failures += 1
            await self._sleep(wait)

    async def check(self) -> SourceCheck:
        """Ask the server, without a paid call, whether the key is good and the model is there. Raises nothing."""
        return await check_source(self.source, self._clients)

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        await self._clients.close()

    def _wait_before_retry(self, error: ModelError, failures: int) -> float:
        """Return the seconds to wait, or raise the error when trying again is no use."""
        wait = min(_BACK_OFF * 2.0**failures, _LONGEST_BACK_OFF)
        if isinstance(error, BusyError) and error.retry_after is not None:
            wait = error.retry_after
        if not error.passing or failures >= self.source.retries or wait > self.source.longest_wait:
            raise error
        return wait

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask once. What breaks off after the server said why the reply ends is a whole reply."""
        builder = ReplyBuilder(self.source, frozenset(tool.name for tool in request.tools), self._new_id)
        notes = self._dialect.notes(request)
        try:
            async with aclosing(self._chunks(request, builder)) as chunks:
                async for chunk in chunks:
                    for event in builder.add(chunk):
                        yield event
        except ModelError as error:
            if not builder.ended:
                raise self._broken(error, builder) from None
        if builder.ended == "error":
            raise self._broken(self._down("the server gave up in the middle of the reply"), builder)
        for event in builder.finish():
            yield event
        yield builder.reply(notes)

    async def _chunks(self, request: ModelRequest, builder: ReplyBuilder) -> AsyncGenerator[Chunk, None]:
        """Yield the chunks of one answer; ``builder`` tells how far the reply is, and so how long to wait for more."""
        key, timeouts = read_key(self.source), self.source.timeouts
        await self._clients.load()
        now = asyncio.get_running_loop().time
        deadline = now() + timeouts.first_token
        reader = AnswerReader()
        async with AsyncExitStack() as stack:
            stack.enter_context(as_model_errors(self.source, key))
            pieces = await self._by(deadline, self._opened(stack, self._dialect.body(request), key), builder)
            piece: bytes | None = b""
            while piece is not None:
                piece = await self._by(deadline, anext(pieces, None), builder)
                for text in self._texts(reader, piece):
                    if text.startswith("[DONE]"):
                        self._check_end(builder, done=True)
                        await _drain(pieces)
                        return
                    if chunk := self._chunk(text, key):
                        yield chunk
                if builder.ended:
                    deadline = min(deadline, now() + _AFTER_END)
                elif builder.begun:
                    deadline = now() + timeouts.next_token
            if reader.other and not (builder.begun or builder.ended):
                yield self._whole_answer(reader.other, key)
            else:
                self._check_end(builder, done=False)

    async def _opened(self, stack: AsyncExitStack, body: Chunk, key: str | None) -> AsyncIterator[bytes]:
        """Send the request and return the answer's bytes, as they come."""
        extra = {name: value for name, value in body.items() if name not in {"model", "messages"}}
        response = await stack.enter_async_context(
            self._clients.get(key).chat.completions.with_streaming_response.create(
                model=self.source.model,
                messages=cast("list[ChatCompletionMessageParam]", body["messages"]),
                extra_body=extra,
            )
        )
        pieces = response.iter_bytes()
        if isinstance(pieces, AsyncGenerator):
            stack.push_async_callback(pieces.aclose)
        return pieces

    async def _by(self, deadline: float, waiting: Awaitable[T], builder: ReplyBuilder) -> T:
        try:
            async with asyncio.timeout_at(deadline):
                return await waiting
        except TimeoutError:
            timeouts = self.source.timeouts
            if builder.begun:
                raise self._down(f"nothing more came for {timeouts.next_token:g} s") from None
            problem = f"no first token within {timeouts.first_token:g} s"
            step = "Raise first_token of its time-outs, take a smaller model, or send less"
            raise ModelTimeoutError(self.source.where, problem, step) from None

    def _texts(self, reader: AnswerReader, piece: bytes | None) -> list[str]:
        try:
            return reader.finish() if piece is None else reader.feed(piece)
        except TooLongAnswerError:
            raise self._down("a line of the answer is longer than 64 MiB") from None

    def _chunk(self, text: str, key: str | None) -> Chunk | None:
        """Return one event as JSON, None for what some servers send in between to keep the line open."""
        if not text.startswith("{"):
            return None
        try:
            chunk: Chunk = json.loads(text)
        except (ValueError, RecursionError):
            raise self._down(f"a part of the stream is no JSON ({redacted(text[:80], key)})") from None
        if chunk.get("error"):
            raise model_error(self.source, failure_in(chunk), key)
        return chunk

    def _whole_answer(self, text: str, key: str | None) -> Chunk:
        """Return the answer of a server that did not stream, as one chunk that ends the reply."""
        chunk = self._chunk(text, key) or {}
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            problem = f"the answer is no reply of a model ({redacted(text[:80], key)})"
            raise RequestRefusedError(self.source.where, problem, "Check base_url (most end in /v1)")
        if isinstance(choices[0], dict):
            choices[0]["finish_reason"] = choices[0].get("finish_reason") or "stop"
        return chunk

    def _check_end(self, builder: ReplyBuilder, *, done: bool) -> None:
        if not builder.ended and not (done and builder.begun):
            raise self._down("it ended before the reply was finished" if builder.begun else "it answered with nothing")

    def _broken(self, error: ModelError, builder: ReplyBuilder) -> ModelError:
        """Return the error for a reply that broke off, the error itself when nothing of the reply had come."""
        if not builder.begun:
            return error
        for _ in builder.finish():
            pass
        partial, calls = builder.partial()
        problem = f"the reply broke off: {error.problem}"
        step = "Ask again; what had arrived is kept"
        return BrokenReplyError(self.source.where, problem, step, partial=partial, unfinished_calls=calls)

    def _down(self, problem: str) -> ServerDownError:
        return ServerDownError(self.source.where, problem, "Try again, and look into the server's log")


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Read what is left, so that the connection can be used again; not for long."""
    import httpx2

    with contextlib.suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_LONGEST_DRAIN):
            async for _ in pieces:
                pass
