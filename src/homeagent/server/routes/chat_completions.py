"""``/v1/chat/completions``: the agent, for any client of OpenAI's.

A client sends the whole conversation each time; what was said before is recognised and not kept again. What tools do
comes as events of their own (``event: homeagent``) whose data is a chunk that says nothing, so that clients pass over
them.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import StreamingResponse

from homeagent.agent import Incoming
from homeagent.errors import HomeAgentError, InputError, StoreError
from homeagent.server.access import Asker, AskerHere, own_place
from homeagent.server.daemon import Daemon
from homeagent.server.desk import Running, TurnView
from homeagent.server.errors import plain_problem
from homeagent.server.forms import ChatName, plain
from homeagent.server.here import DaemonHere
from homeagent.server.openai_forms import (
    ChatRequest,
    Choice,
    Completion,
    CompletionUsage,
    HomeAgentPart,
    Spoken,
    read_messages,
    size_of,
)
from homeagent.server.routes.models import AGENT
from homeagent.server.streams import SSE, keeping_alive, sse_lines
from homeagent.server.uploads import AT_ONCE

__all__ = ["router"]

router = APIRouter(prefix="/v1/chat", tags=["openai"])
"""The routes of this matter."""

_SILENT = frozenset(("turn_started", "recalled", "thinking", "status"))
"""What may come before it is known whether there will be an answer."""

_OK: dict[int | str, dict[str, object]] = {
    200: {
        "description": "The answer; with `stream` a stream of chunks",
        "content": {SSE: {"schema": {"type": "string"}}},
    }
}


@router.post("/completions", summary="Talk to the agent", response_model=Completion, responses=_OK)
async def completions(
    request: Request,
    wanted: ChatRequest,
    asker: AskerHere,
    daemon: DaemonHere,
    x_homeagent_chat: Annotated[ChatName | None, Header(description="names the chat")] = None,
) -> Response | Completion:
    """Run one turn in a chat of whoever asks, and answer with what came of it.

    Whoever closes the connection before that stops the turn, with `stream` or without; what was said by then is kept.
    """
    running, chat = await _begun(wanted, asker, daemon, x_homeagent_chat or "")
    if not wanted.stream:
        await _ended_or_left(running, request)
        view = await running.finished()
        _raise_if_none(view)
        return _completion(view, chat)
    happenings = running.happenings()
    first = await _first(running, happenings)
    usage = wanted.stream_options is not None and wanted.stream_options.include_usage
    body = _chunks(running, chat, first, happenings, usage=usage)
    return StreamingResponse(keeping_alive(body), media_type=SSE, headers={"x-homeagent-chat": chat})


async def _ended_or_left(running: Running, request: Request) -> None:
    """Wait for the end of a turn, and stop it when whoever asked for it has left."""
    leaving = asyncio.create_task(_left(request))
    try:
        await asyncio.wait({running.task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if leaving.done():
            running.task.cancel()
    finally:
        leaving.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass  # of the body, which was read


async def _begun(wanted: ChatRequest, asker: Asker, daemon: Daemon, named: str) -> tuple[Running, str]:
    # What takes no time is done here: by way of a thread messages that come at once would change places.
    small = size_of(wanted.messages) <= AT_ONCE
    said = read_messages(wanted.messages) if small else await asyncio.to_thread(read_messages, wanted.messages)
    chat = named or wanted.chat or _named(wanted)
    match = await daemon.talks.meant(asker.person, said.history, said.text, chat, private=wanted.private)
    incoming = Incoming(
        match.text,
        own_place(asker.person, match.chat),
        asker.person,
        attachments=tuple(said.attachments),
        no_memory=wanted.no_memory,
        private=wanted.private,
        guidance=said.guidance,
    )
    return await daemon.talks.begin(asker.person, match, incoming, streaming=wanted.stream), match.chat


def _named(wanted: ChatRequest) -> str:
    """Return the chat that the client names in OpenAI's ``metadata``; empty where it names none.

    Not in ``user``: clients put the same there in all of a person's chats.
    """
    metadata = wanted.metadata or {}
    name = metadata.get("chat") or metadata.get("chat_id") or ""
    return "".join(each if each.isascii() and (each.isalnum() or each in "._~-") else "_" for each in name)[:120]


def _raise_if_none(view: TurnView) -> None:
    """Raise what kept a turn from an answer, where there is none."""
    if view.error is not None and not view.said:
        raise view.error
    if view.ended is None or (view.ended.status == "interrupted" and not view.said):
        raise InputError("the turn", "was stopped before it was answered", "Say it again")


async def _first(
    running: Running, happenings: AsyncIterator[tuple[str, Mapping[str, object]]]
) -> tuple[str, Mapping[str, object]]:
    """Return the first event that says how it goes; what fails before it is an error like any other."""
    try:
        async for kind, data in happenings:
            if kind == "failed" and running.view.error is not None:
                await running.finished()
                raise running.view.error
            if kind not in _SILENT:
                return kind, data
    except asyncio.CancelledError:
        running.task.cancel()
        raise
    problem = running.task.exception() if running.task.done() and not running.task.cancelled() else None
    if isinstance(problem, HomeAgentError):
        raise problem
    raise StoreError("the turn", "ended without a word", "See the log of the server") from problem


async def _chunks(
    running: Running,
    chat: str,
    first: tuple[str, Mapping[str, object]],
    happenings: AsyncIterator[tuple[str, Mapping[str, object]]],
    *,
    usage: bool,
) -> AsyncIterator[str]:
    view = running.view
    head = {"id": _id(view), "object": "chat.completion.chunk", "created": int(time.time()), "model": AGENT}

    def chunk(delta: Mapping[str, object], finish: str | None = None, **more: object) -> dict[str, object]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}

    try:
        yield sse_lines(chunk({"role": "assistant", "content": ""}))
        said, owed = False, False
        item: tuple[str, Mapping[str, object]] | None = first
        while item is not None:
            kind, data = item
            if kind in ("delta", "refused"):
                text = str(data.get("text") or data.get("reason") or "")
                yield sse_lines(chunk({"content": f"\n\n{text}" if owed and said else text}))
                said, owed = True, False
            elif kind == "said":
                owed = True
            elif kind == "failed":
                yield sse_lines({"error": plain_problem(view.error)[1]["error"] if view.error else data})
            else:
                yield sse_lines(chunk({}, homeagent={"event": kind, **data}), event="homeagent")
            item = await anext(happenings, None)
        yield sse_lines(chunk({}, "stop", homeagent=_part(view, chat).model_dump()))
        if usage:
            yield sse_lines({**head, "choices": [], "usage": _usage(view).model_dump()})
        yield "data: [DONE]\n\n"
    finally:
        if not running.task.done():  # whoever asked has left: that is how these clients stop an answer
            running.task.cancel()


def _completion(view: TurnView, chat: str) -> Completion:
    return Completion(
        id=_id(view),
        created=int(time.time()),
        choices=[Choice(message=Spoken(content=plain(view.answer)))],
        usage=_usage(view),
        homeagent=_part(view, chat),
    )


def _part(view: TurnView, chat: str) -> HomeAgentPart:
    ended = view.ended
    return HomeAgentPart(
        chat=chat,
        turn=view.turn,
        status=ended.status if ended is not None else "failed",
        source=ended.source if ended is not None else "",
        tools=list(view.tools),
    )


def _usage(view: TurnView) -> CompletionUsage:
    counted = view.ended.usage if view.ended is not None else None
    if counted is not None:
        prompt, completion = counted.prompt_tokens, counted.completion_tokens
    else:
        prompt, completion = len(view.why.question) // 3 + 1, len(view.answer) // 3 + 1
    return CompletionUsage(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion)


def _id(view: TurnView) -> str:
    return f"chatcmpl-{view.turn or 'private'}"
