"""Who is who: senders of channels and the persons they are."""

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel, Field

from homeagent.memory import Memory
from homeagent.server.access import OwnerHere
from homeagent.server.forms import plain
from homeagent.server.here import DaemonHere

__all__ = ["router"]

router = APIRouter(prefix="/api/people", tags=["people"])
"""The routes of this matter."""


class SenderForm(BaseModel):
    """Somebody as a channel calls him."""

    channel: str = Field(max_length=400)
    sender: str = Field(max_length=400)


class LinkForm(SenderForm):
    """A sender is this person."""

    person: str = Field(min_length=1, max_length=400)


class PersonForm(BaseModel):
    """A person with the senders that are theirs."""

    person: str
    senders: list[SenderForm]
    turns: int


class PersonList(BaseModel):
    """Everybody who spoke, was present, or is linked."""

    people: list[PersonForm]


@router.get("", summary="Everybody who was here")
async def people(owner: OwnerHere, daemon: DaemonHere) -> PersonList:
    """Return persons by name."""
    del owner
    return await asyncio.to_thread(_listed, daemon.app.memory)


@router.post("/link", summary="Say who a sender is")
async def link(wanted: LinkForm, owner: OwnerHere, daemon: DaemonHere) -> PersonList:
    """Say that a sender of a channel is a person, from the first turn on."""
    del owner
    memory = daemon.app.memory
    await asyncio.to_thread(memory.link, wanted.channel, wanted.sender, wanted.person)
    return await asyncio.to_thread(_listed, memory)


@router.post("/unlink", summary="Take a link back")
async def unlink(wanted: SenderForm, owner: OwnerHere, daemon: DaemonHere) -> PersonList:
    """Say that a sender is a person of his own again."""
    del owner
    memory = daemon.app.memory
    await asyncio.to_thread(memory.unlink, wanted.channel, wanted.sender)
    return await asyncio.to_thread(_listed, memory)


@router.post("/undo", summary="Take the last change of links back")
async def undo(owner: OwnerHere, daemon: DaemonHere) -> PersonList:
    """Take it back, as a new event."""
    del owner
    await asyncio.to_thread(daemon.app.memory.people.undo)
    return await asyncio.to_thread(_listed, daemon.app.memory)


def _listed(memory: Memory) -> PersonList:
    return PersonList(
        people=[
            PersonForm(
                person=plain(each.person),
                senders=[SenderForm(channel=plain(channel), sender=plain(sender)) for channel, sender in each.senders],
                turns=each.turns,
            )
            for each in memory.people.listed()
        ]
    )
