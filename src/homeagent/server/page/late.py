"""The page, loaded when somebody first asks for it: a server that is only spoken to by programs never does."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Self

from homeagent.server.page import ROOT

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from types import TracebackType

    from fastapi import FastAPI
    from starlette.types import ASGIApp, Receive, Scope, Send

    from homeagent.server.daemon import Daemon

__all__ = ["LatePage"]


class LatePage:
    """Answers below `ROOT`. Use it with ``async with`` while requests are taken."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._loading = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._page: ASGIApp | None = None

    def mount(self, app: FastAPI) -> None:
        """Let an app answer with the page."""
        app.mount(ROOT, self)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if self._page is None:
            async with self._loading:
                if self._page is None:
                    self._page = await self._loaded()
        await self._page(scope, receive, send)

    async def _loaded(self) -> ASGIApp:
        page, running = await asyncio.to_thread(_load, self._daemon)
        await self._stack.enter_async_context(running)
        return page


def _load(daemon: Daemon) -> tuple[ASGIApp, AbstractAsyncContextManager[object]]:
    from homeagent.server.page import mounting

    return mounting.Page(daemon), mounting.running()
