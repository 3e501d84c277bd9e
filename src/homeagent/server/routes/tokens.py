"""Tokens: the owner makes them for members of the household and takes them back."""

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel, Field

from homeagent.memory import OWNER
from homeagent.server.access import OwnerHere
from homeagent.server.here import DaemonHere
from homeagent.server.tokens import Token

__all__ = ["router"]

router = APIRouter(prefix="/api/tokens", tags=["tokens"])
"""The routes of this matter."""


class TokenForm(BaseModel):
    """A token without its value."""

    id: str
    person: str
    name: str
    made: str


class NewToken(BaseModel):
    """For whom, and what for."""

    person: str = Field(default=OWNER, min_length=1, max_length=64)
    name: str = Field(default="", max_length=120)


class MadeToken(TokenForm):
    """A new token; ``value`` is shown this once."""

    value: str


class TokenList(BaseModel):
    """Every token on the disk, oldest first."""

    tokens: list[TokenForm]


def _form(token: Token) -> TokenForm:
    return TokenForm(id=token.id, person=token.person, name=token.name, made=token.made)


@router.get("", summary="List tokens")
async def listed(owner: OwnerHere, daemon: DaemonHere) -> TokenList:
    """Return every token without its value."""
    del owner
    return TokenList(tokens=[_form(each) for each in daemon.tokens.listed()])


@router.post("", summary="Make a token", status_code=201)
async def new(wanted: NewToken, owner: OwnerHere, daemon: DaemonHere) -> MadeToken:
    """Return a new token with its value."""
    del owner
    token, value = await asyncio.to_thread(daemon.tokens.new, wanted.person, wanted.name)
    await daemon.know(token.person)
    return MadeToken(**_form(token).model_dump(), value=value)


@router.delete("/{token}", summary="Take a token back")
async def revoke(token: str, owner: OwnerHere, daemon: DaemonHere) -> TokenForm:
    """Let a token hold no longer."""
    del owner
    return _form(await asyncio.to_thread(daemon.tokens.revoke, token))
