"""A person's own chats: talking with everything that happens on the way, stopping, taking back, and why."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from pydantic import BaseModel, Field, JsonValue

from homeagent.agent import Incoming
from homeagent.errors import InputError, NotFoundError
from homeagent.memory import Attachment, Memory, TurnId
from homeagent.server.access import CHANNEL, Asker, AskerHere, own_place
from homeagent.server.chat_index import Match, new_chat
from homeagent.server.daemon import Daemon
from homeagent.server.desk import Running, TurnView
from homeagent.server.errors import plain_problem
from homeagent.server.forms import iso, plain, turn_form
from homeagent.server.happenings import happening, why_object
from homeagent.server.here import DaemonHere
from homeagent.server.looking import chat_title
from homeagent.server.memory_forms import WholeTurn, segment_forms
from homeagent.server.routes.events import EventStream
from homeagent.server.streams import keeping_alive, sse_lines
from homeagent.server.uploads import AT_ONCE, from_base64

__all__ = ["router"]

router = APIRouter(prefix="/api/chats", tags=["chats"])
"""The routes of this matter."""

ChatHere = Annotated[
    str, InPath(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9._~-]+$", description="the name of a chat")
]


class OwnChat(BaseModel):
    """A chat of whoever asks; ``title`` is the beginning of what was said first."""

    chat: str
    title: str
    turns: int
    last: str | None
    running: bool


class OwnChats(BaseModel):
    """Chats, the one spoken in last first."""

    chats: list[OwnChat]


class NewChat(BaseModel):
    """The name of a chat that nobody has spoken in yet."""

    chat: str


class FileForm(BaseModel):
    """A file to send along; what it is shows in its bytes."""

    name: str = Field(default="", max_length=400)
    media_type: str = Field(default="", max_length=200)
    data_base64: str


class Words(BaseModel):
    """Something to say. ``private`` leaves nothing on the disk; ``no_memory`` is kept and enters no computation."""

    text: str = Field(default="", max_length=1_000_000)
    attachments: Annotated[list[FileForm], Field(max_length=20)] = []
    private: bool = False
    no_memory: bool = False


class Outcome(BaseModel):
    """What came of a turn. ``tools`` are those that ran; ``why`` is what was recalled and what became of it."""

    chat: str
    turn: str
    status: str
    reply: str
    tools: list[str]
    why: dict[str, JsonValue]
    ended: dict[str, JsonValue]
    error: dict[str, JsonValue] | None


class Stopped(BaseModel):
    """How many turns were under way."""

    stopped: int


class TakenBack(BaseModel):
    """The turn that was taken back, empty for a private one; None when there was none to take back."""

    turn: str | None


class Archived(BaseModel):
    """How many turns left the view."""

    turns: int


class WhyForm(BaseModel):
    """What the last turn of a chat recalled, and what became of each passage."""

    why: dict[str, JsonValue]


class ChatTurns(BaseModel):
    """Turns of a chat, newest first, each whole; ``next`` asks for older ones as ``before``."""

    turns: list[WholeTurn]
    next: int | None


@router.get("", summary="Own chats")
async def chats(asker: AskerHere, daemon: DaemonHere) -> OwnChats:
    """Return the chats that whoever asks talked in."""
    return await asyncio.to_thread(_listed, daemon, asker)


def _listed(daemon: Daemon, asker: Asker) -> OwnChats:
    memory, beginning = daemon.app.memory, f"{asker.person}/"
    found: list[OwnChat] = []
    for row in memory.timeline.chats(None):
        if row.place.channel != CHANNEL or not row.place.chat.startswith(beginning):
            continue
        newest = next(memory.turns(row.place), None)
        found.append(
            OwnChat(
                chat=plain(row.place.chat.removeprefix(beginning)),
                title=chat_title(memory, row.first),
                turns=row.turns,
                last=iso(newest.at) if newest is not None else None,
                running=daemon.desk.is_running(row.place),
            )
        )
    return OwnChats(chats=found)


@router.post("", summary="A name for a new chat", status_code=201)
async def new(asker: AskerHere) -> NewChat:
    """Return a name that no chat has; it is there when something is said in it."""
    del asker
    return NewChat(chat=new_chat())


@router.post(
    "/{chat}/messages", summary="Say something, and hear everything that comes of it", response_class=EventStream
)
async def say(chat: ChatHere, words: Words, asker: AskerHere, daemon: DaemonHere) -> EventStream:
    """Run one turn and stream what happens: ``turn_started``, ``recalled``, ``delta``, ``tool_started`` and so on.

    The turn goes on when nobody reads any more; `stop` stops it. ``question`` is answered at /api/questions/ID.
    """
    running = await _begun(daemon, asker, chat, words, streaming=True)
    return EventStream(keeping_alive(_lines(running, chat)), headers={"x-homeagent-chat": chat})


@router.post("/{chat}/turns", summary="Say something, and hear the answer when it is whole")
async def turn(chat: ChatHere, words: Words, asker: AskerHere, daemon: DaemonHere) -> Outcome:
    """Run one turn and return what came of it, however it ended."""
    running = await _begun(daemon, asker, chat, words, streaming=False)
    return _outcome(await running.finished(), chat)


@router.post("/{chat}/stop", summary="Stop what is under way")
async def stop(chat: ChatHere, asker: AskerHere, daemon: DaemonHere) -> Stopped:
    """Stop the turns of a chat; what was said and done by then is kept."""
    return Stopped(stopped=daemon.desk.stop(own_place(asker.person, chat)))


@router.post("/{chat}/undo", summary="Take the last turn back")
async def undo(
    chat: ChatHere, asker: AskerHere, daemon: DaemonHere, private: Annotated[bool, Query()] = False
) -> TakenBack:
    """Forget the last turn that is in view; `/api/memory/undo` brings it back."""
    return TakenBack(turn=await daemon.talks.undo(asker.person, chat, private=private))


@router.post("/{chat}/clear", summary="Begin anew in the same chat")
async def clear(chat: ChatHere, asker: AskerHere, daemon: DaemonHere) -> Archived:
    """Archive what is in view, so that the next turn begins a new conversation."""
    return Archived(turns=await daemon.app.agent.start_anew(own_place(asker.person, chat)))


@router.get("/{chat}/why", summary="What the last turn recalled")
async def why(chat: ChatHere, asker: AskerHere, daemon: DaemonHere) -> WhyForm:
    """Return the passages, what spoke for each, and which of them the model got; none that is gone by now."""
    found = await daemon.app.agent.why(own_place(asker.person, chat))
    there = await asyncio.to_thread(_still_there, daemon.app.memory, [each.hit.turn for each in found.passages])
    kept = replace(found, passages=tuple(each for each in found.passages if each.hit.turn in there))
    return WhyForm.model_validate({"why": why_object(kept)})


def _still_there(memory: Memory, turns: list[TurnId]) -> set[TurnId]:
    hidden, found = memory.timeline.forgotten(), set[TurnId]()
    for turn in turns:
        with contextlib.suppress(NotFoundError):
            if memory.find(turn).seq not in hidden:
                found.add(turn)
    return found


@router.get("/{chat}/turns", summary="What was said in a chat")
async def turns(
    chat: ChatHere,
    asker: AskerHere,
    daemon: DaemonHere,
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
) -> ChatTurns:
    """Return turns, newest first, a page at a time."""
    memory = daemon.app.memory

    def looked() -> ChatTurns:
        page = memory.timeline.page(None, before=before, limit=limit, place=own_place(asker.person, chat))
        hidden = memory.timeline.forgotten()
        found: list[WholeTurn] = []
        for row in page.turns:
            rows = memory.segments(row)
            short = turn_form(row, rows, forgotten=row.seq in hidden)
            segments = segment_forms(rows, memory.computed(row.turn_id))
            found.append(WholeTurn(**short.model_dump(), segments=segments))
        return ChatTurns(turns=found, next=page.next)

    return await asyncio.to_thread(looked)


async def _begun(daemon: Daemon, asker: Asker, chat: str, words: Words, *, streaming: bool) -> Running:
    # What takes no time is done here: by way of a thread messages that come at once would change places.
    small = sum(len(each.data_base64) for each in words.attachments) <= AT_ONCE
    files = _files(words) if small else await asyncio.to_thread(_files, words)
    if not words.text.strip() and not files:
        raise InputError("the message", "is empty", "Say something")
    incoming = Incoming(
        words.text,
        own_place(asker.person, chat),
        asker.person,
        attachments=tuple(files),
        no_memory=words.no_memory,
        private=words.private,
    )
    match = Match(chat, words.text)
    return await daemon.talks.begin(asker.person, match, incoming, streaming=streaming, answering=streaming)


def _files(words: Words) -> list[Attachment]:
    return [from_base64(each.data_base64, each.name, each.media_type) for each in words.attachments]


async def _lines(running: Running, chat: str) -> AsyncIterator[str]:
    async for kind, data in running.happenings():
        yield sse_lines({"chat": chat, **data}, event=kind)
    yield sse_lines(_outcome(running.view, chat).model_dump(), event="outcome")


def _outcome(view: TurnView, chat: str) -> Outcome:
    ended: Mapping[str, object] = happening(view.ended)[1] if view.ended is not None else {}
    error = plain_problem(view.error)[1]["error"] if view.error is not None else None
    return Outcome.model_validate(
        {
            "chat": chat,
            "turn": view.turn,
            "status": view.ended.status if view.ended is not None else "interrupted",
            "reply": plain(view.answer),
            "tools": view.tools,
            "why": why_object(view.why),
            "ended": ended,
            "error": error,
        }
    )
