"""Is it alive, and is it ready? Neither needs a token, and neither says anything of the home."""

from typing import Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from homeagent import __version__
from homeagent.server.here import DaemonHere

__all__ = ["router"]

router = APIRouter(tags=["health"])
"""The routes of this matter."""


class Health(BaseModel):
    """It answers."""

    status: Literal["ok"] = "ok"
    version: str = __version__


class Ready(BaseModel):
    """Whether it takes messages; ``problems`` are what keeps some work from being done, by its name."""

    ready: bool
    problems: list[str]


@router.get("/health", summary="Whether the server answers")
async def health() -> Health:
    """Say that it does."""
    return Health()


@router.get("/ready", summary="Whether messages are taken", responses={503: {"model": Ready, "description": "Not yet"}})
async def ready(daemon: DaemonHere, response: Response) -> Ready:
    """Say so; 503 when they are not."""
    if not daemon.ready:
        response.status_code = 503
    return Ready(ready=daemon.ready, problems=sorted(daemon.problems))
