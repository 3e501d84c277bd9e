"""Who asks: a token in the header, or a page's cookie; for whom that is; and what only the owner may."""

import hmac
import logging
import time
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param
from starlette.requests import cookie_parser

from homeagent.app import API
from homeagent.errors import HomeError
from homeagent.memory import OWNER, Place, Viewer
from homeagent.server.errors import AccessError
from homeagent.server.guard import address_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.datastructures import Headers

    from homeagent.server.daemon import Daemon
    from homeagent.server.tokens import Token

__all__ = [
    "CHANNEL",
    "COOKIE",
    "CSRF",
    "Asker",
    "AskerHere",
    "OwnerHere",
    "WrongTokens",
    "asker_of",
    "not_told_where",
    "own_place",
    "token_of",
]

CHANNEL: Final = API
"""The channel of whatever is said over the network: by programs, by MCP, on the page."""

COOKIE: Final = "homeagent_session"
"""The name of a page's cookie."""

CSRF: Final = "x-csrf-token"
"""The header by which a page proves that it is ours when it changes something."""

_log = logging.getLogger("homeagent.server")
_SAFE: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_MOST_CLIENTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Asker:
    """Somebody who may speak to the server: the person, the id of the token they came with, and a page's cookie."""

    person: str
    token: str
    cookie: str = ""

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner of the home."""
        return self.person == OWNER

    @property
    def viewer(self) -> Viewer | None:
        """What this person may see: None, for the owner, is everything; others see what they were there for."""
        return None if self.is_owner else Viewer(self.person, own_place(self.person, ""))


def own_place(person: str, chat: str) -> Place:
    """Return the place of a person's private chat: nobody else's has its name."""
    return Place(CHANNEL, f"{person}/{chat}")


class WrongTokens:
    """Counts wrong tokens by client, so that nobody tries many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._tried: OrderedDict[str, list[float]] = OrderedDict()

    def error(self, client: str) -> AccessError:
        """Count one, and return what to tell the client: 401, or 429 after too many in a minute.

        A token that holds is not kept out: all programs of this machine have one address, and nobody guesses 256 bits.
        """
        now = time.monotonic()
        recent = [moment for moment in self._tried.pop(client, ()) if now - moment < 60]
        self._tried[client] = [*recent, now][-self._most :]
        while len(self._tried) > _MOST_CLIENTS:
            self._tried.popitem(last=False)
        if len(recent) >= self._most:
            return AccessError("token", "was wrong too often", "Wait a minute", status=429)
        return AccessError("token", "does not hold (any more)", "Make one with 'homeagent token new'", status=401)


_bearer = HTTPBearer(auto_error=False, description="a token of 'homeagent token new'")
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="a page's session; changes need X-CSRF-Token too")


async def asker_of(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    cookie: Annotated[str | None, Depends(_cookie)],
) -> Asker:
    """Return who asks. Raises `AccessError` with 401 when nobody says who they are, 403 when a page lacks its proof."""
    daemon: Daemon = request.app.state.daemon
    client = address_of(request.scope)
    if bearer is not None:
        with not_told_where():
            token = daemon.tokens.holder(bearer.credentials)
        if token is None:
            raise daemon.wrong_tokens.error(client)
        return await _known(daemon, token)
    if cookie is not None:
        with not_told_where():
            named = daemon.sessions.token(cookie)
            token = daemon.tokens.holds(named) if named is not None else None
        if token is None:
            raise daemon.wrong_tokens.error(client)
        proof = request.headers.get(CSRF, "")
        if request.method not in _SAFE and not hmac.compare_digest(
            proof.encode(), daemon.sessions.csrf(cookie).encode()
        ):
            raise AccessError("X-CSRF-Token", "is missing or wrong", "Get it with GET /api/session")
        return await _known(daemon, token, cookie)
    raise AccessError("Authorization", "is missing", "Send 'Authorization: Bearer TOKEN'", status=401)


@contextmanager
def not_told_where() -> "Iterator[None]":
    """Let whoever has shown no token that holds yet hear of a broken file, and not where the files of the home are."""
    try:
        yield
    except HomeError as error:
        _log.error("who asks can't be told: %s", error)
        problem = "can't be read, so nobody is let in"
        raise HomeError("the tokens of this home", problem, "The log of the server says which file it is") from error


def token_of(daemon: "Daemon", headers: "Headers") -> str:
    """Return the id of the token that the headers of a request prove, as a bearer or by a page's cookie; empty: none.

    What the token may do, and whether a page has its proof, is looked at later; this is to know who asks how often.
    """
    scheme, value = get_authorization_scheme_param(headers.get("authorization"))
    try:
        if scheme.lower() == "bearer" and value:
            token = daemon.tokens.holder(value)
        else:
            named = daemon.sessions.token(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))
            token = daemon.tokens.holds(named) if named is not None else None
    except HomeError:  # whoever looks at the token next says so
        return ""
    return token.id if token is not None else ""


async def _known(daemon: "Daemon", token: "Token", cookie: str = "") -> Asker:
    await daemon.know(token.person)
    return Asker(token.person, token.id, cookie)


async def owner_of(asker: Annotated[Asker, Depends(asker_of)]) -> Asker:
    """Return who asks if it is the owner. Raises `AccessError` with 403 for anybody else."""
    if not asker.is_owner:
        raise AccessError("this request", "is for the owner of the home only", "Ask them")
    return asker


AskerHere = Annotated[Asker, Depends(asker_of)]
"""Whoever asks, with a token that holds."""

OwnerHere = Annotated[Asker, Depends(owner_of)]
"""The owner asks."""
