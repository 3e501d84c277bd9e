"""What somebody may look at: the turn that is named, if they may see it, and in whose place the owner looks."""

from typing import Annotated

from fastapi import Depends, Query

from homeagent.memory import Memory, Viewer
from homeagent.memory.store.records import TurnRow
from homeagent.memory.turn import Place
from homeagent.server.access import Asker, AskerHere, own_place
from homeagent.server.forms import plain

__all__ = ["ViewerHere", "chat_title", "seen_turn", "viewer_of"]


async def viewer_of(
    asker: AskerHere,
    person: Annotated[
        str, Query(max_length=400, alias="as", description="owner only: look as this sender would, in 'channel/chat'")
    ] = "",
    channel: Annotated[str, Query(max_length=400)] = "",
    chat: Annotated[str, Query(max_length=400)] = "",
) -> Viewer | None:
    """Return whose eyes to look with: the asker's own; the owner may take somebody else's."""
    if not asker.is_owner or not person:
        return asker.viewer
    return Viewer(person, Place(channel, chat) if channel else own_place(person, ""))


ViewerHere = Annotated[Viewer | None, Depends(viewer_of)]
"""With whose eyes is looked."""


def chat_title(memory: Memory, first: int) -> str:
    """Return what a chat is called by: the beginning of what was said in its first turn, by that turn's seq."""
    return plain(" ".join(memory.timeline.words(first)[:400].split()))[:80]


def seen_turn(memory: Memory, asker: Asker, name: str, source: str | None = None) -> TurnRow:
    """Return a turn that somebody may see. Raises `NotFoundError`, the same for one that is not there."""
    return memory.timeline.find(name, asker.viewer, source=source)
