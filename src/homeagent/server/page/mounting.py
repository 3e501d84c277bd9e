"""Where the page library meets the server: it is made once a process, and answers for a daemon."""

from __future__ import annotations

import re
import secrets
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI
from nicegui import app as library
from nicegui import ui
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.staticfiles import StaticFiles

from homeagent.server.page import entering
from homeagent.server.page.views import add_views
from homeagent.server.page.visit import DAEMON, language_of

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from starlette.types import Message, Receive, Scope, Send

    from homeagent.server.daemon import Daemon

__all__ = ["Page", "running"]

_RULES: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-eval' 'nonce-{nonce}'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""What a document of the page may load: nothing from elsewhere, and no script that we did not write into it.

The library compiles its components in the browser, which is what 'unsafe-eval' allows; no text is ever compiled.
"""

_TAG: Final = {"en": "en", "zh": "zh-CN"}


@cache
def _library() -> FastAPI:
    shell = FastAPI(openapi_url=None)
    entering.add_routes(shell)
    shell.mount("/files", StaticFiles(directory=Path(__file__).parent / "files"))
    add_views()
    ui.run_with(
        shell,
        title="HomeAgent",
        dark=None,
        favicon=Path(__file__).parent / "files" / "icon.svg",
        tailwind=False,
        reconnect_timeout=30.0,
        show_welcome_message=False,
        gzip_middleware_factory=None,
        binding_refresh_interval=None,
    )
    return shell


def running() -> AbstractAsyncContextManager[object]:
    """Return what has to be entered while pages are served."""
    return library.router.lifespan_context(library)


class Page:
    """The page of one daemon: says whose it is, and sends every document with what it may load and its language."""

    def __init__(self, daemon: Daemon) -> None:
        self._app = _library()
        self._daemon = daemon

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        scope = {**scope, DAEMON: self._daemon}
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        document = _Document(send, _TAG[language_of(HTTPConnection(scope))])
        await self._app(scope, receive, document.send)


class _Document:
    """Passes an answer on; one that is a document gets its rules, and its own scripts the mark by which they run."""

    def __init__(self, send: Send, language: str) -> None:
        self._send = send
        self._language = language
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = MutableHeaders(scope=message).get("content-type", "")
            if kind.startswith("text/html"):
                self._start = message
                return
        if self._start is None or message["type"] != "http.response.body":
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if message.get("more_body"):
            return
        nonce = secrets.token_urlsafe(16)
        body = self._marked(self._body.decode("utf-8"), nonce).encode("utf-8")
        headers = MutableHeaders(scope=self._start)
        headers["content-length"] = str(len(body))
        headers["content-security-policy"] = _RULES.format(nonce=nonce)
        headers["cache-control"] = "no-store"
        headers["referrer-policy"] = "same-origin"  # without one a form that is sent would not say where it is from
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})

    def _marked(self, text: str, nonce: str) -> str:
        # What the document carries of any text has its "<" escaped by the library: every tag here is the template's.
        text = re.sub(r"<html[^>]*>", f'<html lang="{self._language}">', text, count=1)
        return re.sub(r"<script(?=[\s>])", f'<script nonce="{nonce}"', text)
