"""The channels of the home: whether each is connected, and how many messages wait."""

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel

from homeagent.server.access import OwnerHere
from homeagent.server.forms import plain
from homeagent.server.here import DaemonHere

__all__ = ["router"]

router = APIRouter(prefix="/api/channels", tags=["channels"])
"""The routes of this matter."""


class ChannelForm(BaseModel):
    """A channel; ``state`` is ``connected``, or why it is not; empty for one that is called and never calls."""

    name: str
    state: str


class ChannelList(BaseModel):
    """The channels, whether they run here, and how many messages wait for an answer, to be sent, or were given up."""

    running: bool
    channels: list[ChannelForm]
    unanswered: int
    unsent: int
    given_up: int


@router.get("", summary="Look at the channels")
async def listed(owner: OwnerHere, daemon: DaemonHere) -> ChannelList:
    """Return the channels and what waits."""
    del owner
    state = await asyncio.to_thread(daemon.app.hub.state)
    return ChannelList(
        running=state.running,
        channels=[ChannelForm(name=plain(name), state=plain(how)) for name, how in state.channels.items()],
        unanswered=state.unanswered,
        unsent=state.unsent,
        given_up=state.given_up,
    )
