"""A page's session: a token is handed in once, a cookie that no script can read stands for it afterwards."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.security import APIKeyCookie
from pydantic import BaseModel, Field

from homeagent import __version__
from homeagent.server.access import COOKIE, Asker, AskerHere, not_told_where
from homeagent.server.daemon import Daemon
from homeagent.server.forms import Done
from homeagent.server.guard import address_of
from homeagent.server.here import DaemonHere
from homeagent.server.routes.models import AGENT

__all__ = ["router"]

router = APIRouter(prefix="/api/session", tags=["session"])
"""The routes of this matter."""
_cookie = APIKeyCookie(name=COOKIE, auto_error=False)
_SECONDS = 30 * 24 * 3600


class Login(BaseModel):
    """What a page logs in with."""

    token: str = Field(max_length=200)


class Session(BaseModel):
    """Who is there, and for the owner which model answers.

    ``csrf`` goes along as ``X-CSRF-Token`` with whatever a page changes; empty for a bearer token.
    """

    person: str
    owner: bool
    csrf: str
    version: str = __version__
    model: str


@router.post("", summary="Log a page in")
async def log_in(login: Login, request: Request, response: Response, daemon: DaemonHere) -> Session:
    """Set the cookie for a token that holds."""
    client = address_of(request.scope)
    with not_told_where():
        token = daemon.tokens.holder(login.token)
    if token is None:
        raise daemon.wrong_tokens.error(client)
    await daemon.know(token.person)
    cookie = daemon.sessions.cookie(token.id)
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path="/",
    )
    return _session(daemon, Asker(token.person, token.id), daemon.sessions.csrf(cookie))


@router.get("", summary="Who is logged in")
async def session(
    asker: AskerHere, daemon: DaemonHere, cookie: Annotated[str | None, Depends(_cookie)] = None
) -> Session:
    """Say who asks."""
    csrf = daemon.sessions.csrf(cookie) if cookie and daemon.sessions.token(cookie) else ""
    return _session(daemon, asker, csrf)


def _session(daemon: Daemon, asker: Asker, csrf: str) -> Session:
    model = daemon.app.model.name if asker.is_owner else AGENT
    return Session(person=asker.person, owner=asker.is_owner, csrf=csrf, model=model)


@router.delete("", summary="Log a page out")
async def log_out(
    asker: AskerHere, daemon: DaemonHere, response: Response, cookie: Annotated[str | None, Depends(_cookie)] = None
) -> Done:
    """End the session and take its cookie away: a copy of it lets nobody in any more. A bearer token stays."""
    del asker
    await asyncio.to_thread(daemon.sessions.end, cookie or "")
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return Done()
