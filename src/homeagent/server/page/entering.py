"""Coming in and going out: with a token, or by the link that the server prints; and the choices a browser remembers."""

import asyncio
from urllib.parse import parse_qs, quote

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from homeagent.errors import HomeError
from homeagent.server.access import COOKIE, not_told_where
from homeagent.server.daemon import Daemon
from homeagent.server.guard import address_of
from homeagent.server.page import ROOT
from homeagent.server.page.visit import DAEMON, LANGUAGE, THEME

__all__ = ["add_routes", "sign_in_address"]

_SECONDS = 30 * 24 * 3600
_YEAR = 365 * 24 * 3600
_LONGEST = 4_000


def add_routes(shell: FastAPI) -> None:
    """Add the ways in and out."""
    shell.add_api_route("/sign-in", sign_in, methods=["POST"])
    shell.add_api_route("/enter/{code}", enter, methods=["GET"])
    shell.add_api_route("/sign-out", sign_out, methods=["POST"])
    shell.add_api_route("/choose", choose, methods=["GET"])


def sign_in_address(request: Request, problem: str = "") -> str:
    """Return where to sign in, so that one comes back to what was asked for."""
    asked = request.url.path
    back = f"?to={quote(asked)}" if asked.startswith(f"{ROOT}/") and not asked.endswith("/sign-in") else "?"
    return f"{ROOT}/sign-in{back}{f'&problem={problem}' if problem else ''}"


async def sign_in(request: Request) -> Response:
    """Take a token from the form, and set the cookie of a session for one that holds."""
    daemon: Daemon = request.scope[DAEMON]
    form = parse_qs((await request.body())[:_LONGEST].decode("utf-8", "replace"))
    client = address_of(request.scope)
    back = _inside(form.get("to", [""])[0])
    try:
        with not_told_where():
            token = daemon.tokens.holder(form.get("token", [""])[0].strip())
    except HomeError:
        return _to(f"{ROOT}/sign-in?problem=broken&to={quote(back)}")
    if token is None:
        problem = "often" if daemon.wrong_tokens.error(client).status == 429 else "wrong"
        return _to(f"{ROOT}/sign-in?problem={problem}&to={quote(back)}")
    await daemon.know(token.person)
    return _signed_in(request, daemon, token.id, back)


async def enter(request: Request, code: str) -> Response:
    """Let a browser in by a link that holds once."""
    daemon: Daemon = request.scope[DAEMON]
    token = daemon.entrances.use(code)
    if token is None or daemon.tokens.holds(token) is None:
        return _to(f"{ROOT}/sign-in?problem=link")
    return _signed_in(request, daemon, token, f"{ROOT}/")


async def sign_out(request: Request) -> Response:
    """End the session and take its cookie away: a copy of it lets nobody in any more."""
    daemon: Daemon = request.scope[DAEMON]
    await asyncio.to_thread(daemon.sessions.end, request.cookies.get(COOKIE, ""))
    response = _to(f"{ROOT}/sign-in")
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response


async def choose(request: Request) -> Response:
    """Remember a language or a theme in the browser, and go back."""
    response = _to(_inside(request.query_params.get("to", "")))
    language, theme = request.query_params.get("language", ""), request.query_params.get("theme", "")
    if language in ("en", "zh"):
        response.set_cookie(LANGUAGE, language, max_age=_YEAR, samesite="strict", path=ROOT)
    if theme in ("light", "dark"):
        response.set_cookie(THEME, theme, max_age=_YEAR, samesite="strict", path=ROOT)
    elif theme == "auto":
        response.delete_cookie(THEME, path=ROOT)
    return response


def _signed_in(request: Request, daemon: Daemon, token: str, back: str) -> Response:
    response = _to(back)
    response.set_cookie(
        COOKIE,
        daemon.sessions.cookie(token),
        max_age=_SECONDS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path="/",
    )
    return response


def _inside(address: str) -> str:
    """Return an address of this page, whatever was handed in: never one of another server."""
    fits = address.startswith(f"{ROOT}/") and "//" not in address and "\\" not in address and address.isprintable()
    return address if fits else f"{ROOT}/"


def _to(address: str) -> Response:
    return RedirectResponse(address, status_code=303)
