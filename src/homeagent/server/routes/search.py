"""Searching the memory, and how far it is."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from homeagent.memory import Memory
from homeagent.server.access import AskerHere, OwnerHere
from homeagent.server.for_members import waiting
from homeagent.server.forms import When
from homeagent.server.here import DaemonHere
from homeagent.server.looking import ViewerHere
from homeagent.server.memory_forms import Found, found_form

__all__ = ["router"]

router = APIRouter(prefix="/api/memory", tags=["memory"])
"""The routes of this matter."""


class Pending(BaseModel):
    """How much waits to be derived, by step; empty when everything is done."""

    pending: dict[str, int]


class Status(Pending):
    """How much is kept, and the raw digest, which no change of policy moves."""

    home: str
    counts: dict[str, int]
    raw_digest: str
    embedder: str
    room: dict[str, dict[str, int]]


@router.get("/search", summary="Search the memory")
async def search(
    viewer: ViewerHere,
    daemon: DaemonHere,
    q: Annotated[str, Query(min_length=1, max_length=4_000, description="a question, or words")],
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    at: Annotated[When | None, Query(description="the moment of asking")] = None,
) -> Found:
    """Return what is remembered and may be seen, best first, with what speaks for each hit."""
    memory = daemon.app.memory
    found = await asyncio.to_thread(memory.recall, q, viewer=viewer, at=at, limit=limit)
    return found_form(found, is_owner=viewer is None)


@router.get("/pending", summary="What waits to be derived")
async def pending(asker: AskerHere, daemon: DaemonHere) -> Pending:
    """Return how much waits, by step; a member is told 1 where anything does."""
    found = await asyncio.to_thread(daemon.app.memory.pending)
    return Pending(pending={step: waiting(count, is_owner=asker.is_owner) for step, count in found.items()})


@router.get("/status", summary="What is kept")
async def status(owner: OwnerHere, daemon: DaemonHere) -> Status:
    """Return counts, the raw digest, and what takes the room in bytes."""
    del owner
    return await asyncio.to_thread(_status, daemon.app.memory)


def _status(memory: Memory) -> Status:
    return Status(
        home=str(memory.home.root),
        counts=memory.counts(),
        raw_digest=memory.digest(),
        embedder=memory.embedder.model_id,
        room=memory.retention.room(),
        pending=memory.pending(),
    )
