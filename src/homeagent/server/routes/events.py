"""What happens, as server-sent events; a listener who was away goes on with ``Last-Event-ID``. And what is asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi import Path as InPath
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from homeagent.server.access import Asker, AskerHere
from homeagent.server.daemon import Daemon
from homeagent.server.forms import Done, PlaceForm, place_form, plain
from homeagent.server.here import DaemonHere
from homeagent.server.streams import SSE, keeping_alive, sse_lines

__all__ = ["EventStream", "router"]

router = APIRouter(prefix="/api", tags=["events"])
"""The routes of this matter."""


class EventStream(StreamingResponse):
    """A stream of server-sent events."""

    media_type = SSE


class QuestionForm(BaseModel):
    """Something a tool asks a person before it goes on."""

    id: str
    place: PlaceForm
    text: str


class QuestionList(BaseModel):
    """What waits for an answer of whoever asks."""

    questions: list[QuestionForm]


class Answer(BaseModel):
    """Yes or no."""

    agree: bool


@router.get("/events", summary="What happens", response_class=EventStream)
async def events(
    asker: AskerHere,
    daemon: DaemonHere,
    last_event_id: Annotated[str, Header(max_length=100, description="the id of the last event that was seen")] = "",
    seconds: Annotated[
        float, Query(ge=0, le=86_400, description="how long to listen; 0 is until either side ends")
    ] = 0,
) -> EventStream:
    """Tell what happens from now on, or from after an event. A ``reset`` says that too much was missed: look anew."""
    return EventStream(keeping_alive(_lines(asker, daemon, last_event_id), most=seconds))


async def _lines(asker: Asker, daemon: Daemon, last: str) -> AsyncIterator[str]:
    yield ": here\n\n"
    hub = daemon.hub
    async with aclosing(hub.follow(asker.person, last)) as notices:
        async for notice in notices:
            if not daemon.holds(asker):
                return  # revoked or signed out since: whoever had it hears no more
            yield sse_lines(notice.data, event=notice.kind, number=hub.id_of(notice, asker.person))


@router.get("/questions", summary="What is being asked")
async def questions(asker: AskerHere, daemon: DaemonHere) -> QuestionList:
    """Return what tools ask this person."""
    found = daemon.desk.questions(asker.person)
    return QuestionList(
        questions=[QuestionForm(id=each.id, place=place_form(each.place), text=plain(each.text)) for each in found]
    )


@router.post("/questions/{question}", summary="Answer a question")
async def answer(
    question: Annotated[str, InPath(min_length=1, max_length=100)], given: Answer, asker: AskerHere, daemon: DaemonHere
) -> Done:
    """Say yes or no to what a tool asks."""
    daemon.desk.answer(question, asker.person, agree=given.agree)
    await asyncio.sleep(0)
    return Done()
