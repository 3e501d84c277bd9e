"""The time line of turns, and one turn: what was said beside what is computed of it, and why."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi import Path as InPath
from pydantic import BaseModel, Field

from homeagent.errors import InputError, NotFoundError
from homeagent.memory import Memory, Place, Segment, Turn, Viewer
from homeagent.memory.store.records import TurnRow
from homeagent.server.access import Asker, AskerHere, own_place
from homeagent.server.errors import AccessError
from homeagent.server.forms import ChatName, PlaceForm, Share, TurnForm, TurnName, iso, place_form, turn_form
from homeagent.server.here import DaemonHere
from homeagent.server.looking import ViewerHere, chat_title, seen_turn
from homeagent.server.memory_forms import WholeTurn, segment_forms

__all__ = ["router"]

router = APIRouter(prefix="/api/memory", tags=["memory"])
"""The routes of this matter."""


class TurnPage(BaseModel):
    """Some turns, newest first; ``next`` asks for older ones as ``before``, None when there are none."""

    turns: list[TurnForm]
    next: int | None


class ChatForm(BaseModel):
    """A chat of any channel; ``title`` is the beginning of what was said first, of what may be seen."""

    place: PlaceForm
    title: str
    turns: int
    last: str | None


class ChatList(BaseModel):
    """Chats, the one spoken in last first."""

    chats: list[ChatForm]


class Note(BaseModel):
    """Something to keep, as if it had been said."""

    text: str = Field(min_length=1, max_length=100_000)
    chat: ChatName = "notes"
    external_id: str = Field(default="", max_length=400)


class Kept(BaseModel):
    """The turn that was kept."""

    turn: str


class ShareList(BaseModel):
    """With whom a turn is shared on purpose."""

    shares: list[Share]


@router.get("/turns", summary="The time line")
async def turns(
    viewer: ViewerHere,
    daemon: DaemonHere,
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    in_channel: Annotated[str, Query(max_length=400, description="only turns of this chat")] = "",
    in_chat: Annotated[str, Query(max_length=400)] = "",
) -> TurnPage:
    """Return turns, newest first, a page at a time."""
    place = Place(in_channel, in_chat) if in_channel else None
    return await asyncio.to_thread(_page, daemon.app.memory, viewer, before, limit, place)


def _page(memory: Memory, viewer: Viewer | None, before: int | None, limit: int, place: Place | None) -> TurnPage:
    page = memory.timeline.page(viewer, before=before, limit=limit, place=place)
    hidden = memory.timeline.forgotten()
    forms = [turn_form(row, memory.segments(row), forgotten=row.seq in hidden) for row in page.turns]
    return TurnPage(turns=forms, next=page.next)


@router.get("/chats", summary="Every chat of every channel that may be seen")
async def chats(viewer: ViewerHere, daemon: DaemonHere) -> ChatList:
    """Return chats, the one spoken in last first."""
    memory = daemon.app.memory

    def listed() -> ChatList:
        found: list[ChatForm] = []
        for row in memory.timeline.chats(viewer):
            newest = next(memory.turns(row.place), None)
            at = newest.at if newest is not None else None
            title = chat_title(memory, row.first)
            found.append(ChatForm(place=place_form(row.place), title=title, turns=row.turns, last=iso(at)))
        return ChatList(chats=found)

    return await asyncio.to_thread(listed)


@router.post("/turns", summary="Keep something", status_code=201)
async def keep(note: Note, asker: AskerHere, daemon: DaemonHere) -> Kept:
    """Keep a text as said by whoever asks, in a chat of theirs; the agent does not answer it.

    With an ``external_id`` the same text is kept once.
    """
    turn = Turn(
        own_place(asker.person, note.chat),
        asker.person,
        (Segment("user", note.text),),
        at=None if note.external_id else daemon.clock(),
        source=f"api/{asker.person}" if note.external_id else "note",
        external_id=note.external_id,
    )
    return Kept(turn=await asyncio.to_thread(daemon.app.memory.keep, turn))


@router.get("/turns/{turn}", summary="One turn, raw beside computed")
async def turn(
    turn: Annotated[TurnName, InPath()],
    asker: AskerHere,
    daemon: DaemonHere,
    source: Annotated[str | None, Query(max_length=400)] = None,
) -> WholeTurn:
    """Return every segment as it was said, what is computed of it, what was left out, and why."""
    return await asyncio.to_thread(_whole, daemon.app.memory, asker, turn, source)


def _whole(memory: Memory, asker: Asker, name: str, source: str | None) -> WholeTurn:
    row = seen_turn(memory, asker, name, source)
    segments = memory.segments(row)
    short = turn_form(row, segments, forgotten=row.seq in memory.timeline.forgotten())
    return WholeTurn(**short.model_dump(), segments=segment_forms(segments, memory.computed(row.turn_id)))


@router.get(
    "/turns/{turn}/attachments/{segment}/{number}",
    summary="A file that came along",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def attachment(
    turn: Annotated[TurnName, InPath()],
    segment: Annotated[int, InPath(ge=0, le=1_000_000)],
    number: Annotated[int, InPath(ge=0, le=1_000)],
    asker: AskerHere,
    daemon: DaemonHere,
) -> Response:
    """Return its bytes. Never as something that a browser runs."""
    row = await asyncio.to_thread(seen_turn, daemon.app.memory, asker, turn)
    rows = await asyncio.to_thread(daemon.app.memory.segments, row)
    found = [each.segment.attachments for each in rows if each.position == segment]
    if not found or number >= len(found[0]):
        raise NotFoundError(f"attachment {number}", f"is not in segment {segment} of this turn", "Look at the turn")
    return Response(
        found[0][number].data, media_type="application/octet-stream", headers={"content-disposition": "attachment"}
    )


@router.get("/turns/{turn}/shares", summary="With whom a turn is shared")
async def shares(turn: Annotated[TurnName, InPath()], asker: AskerHere, daemon: DaemonHere) -> ShareList:
    """Return with whom it is shared on purpose."""
    row = await asyncio.to_thread(seen_turn, daemon.app.memory, asker, turn)
    return await asyncio.to_thread(_shares, daemon.app.memory, row)


@router.post("/turns/{turn}/shares", summary="Share a turn")
async def share(wanted: Share, turn: Annotated[TurnName, InPath()], asker: AskerHere, daemon: DaemonHere) -> ShareList:
    """Let a person, or everybody in a chat, be shown a turn that whoever asks said himself."""
    return await asyncio.to_thread(_share, daemon.app.memory, asker, turn, wanted, True)


@router.post("/turns/{turn}/unshare", summary="Take a share back")
async def unshare(
    wanted: Share, turn: Annotated[TurnName, InPath()], asker: AskerHere, daemon: DaemonHere
) -> ShareList:
    """Take it back."""
    return await asyncio.to_thread(_share, daemon.app.memory, asker, turn, wanted, False)


def _share(memory: Memory, asker: Asker, name: str, wanted: Share, on: bool) -> ShareList:
    row = seen_turn(memory, asker, name)
    if not memory.timeline.sight(asker.viewer).said_it(row):
        raise AccessError(f"turn {name!r}", "was said by somebody else", "Ask them to share it")
    if bool(wanted.person) == bool(wanted.channel):
        raise InputError("sharing", "needs a person or a chat, not both", "Use --with PERSON or --place CHANNEL/CHAT")
    place = Place(wanted.channel, wanted.chat) if wanted.channel else None
    (memory.sharing.share if on else memory.sharing.unshare)(row, person=wanted.person, place=place)
    return _shares(memory, row)


def _shares(memory: Memory, row: TurnRow) -> ShareList:
    found: list[Share] = []
    for each in memory.sharing.shares(row):
        place = each.place
        found.append(Share(person=each.person) if place is None else Share(channel=place.channel, chat=place.chat))
    return ShareList(shares=found)
