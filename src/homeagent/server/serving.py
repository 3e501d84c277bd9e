"""Running the server: one for a home, on a socket of its own, until it is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

import uvicorn

from homeagent.errors import HomeError
from homeagent.server.access import token_of
from homeagent.server.daemon import Daemon
from homeagent.server.guard import Guard
from homeagent.server.page.late import LatePage
from homeagent.server.web import build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from homeagent.app import App, FollowedSettings
    from homeagent.server.options import ServeOptions

__all__ = ["listening", "only_server", "serve"]

_THREADS: Final = 32
"""So many calls of the memory may wait for files at once: as many chats may be talked in."""

_GRACE_SECONDS: Final = 10
_STARTED = "homed.json"
_log = logging.getLogger("homeagent.server")


@contextlib.contextmanager
def only_server(root: Path) -> Iterator[Path]:
    """Be the one server of a home for the block; gives the file that says where it listens.

    Raises `HomeError` when there is one already.
    """
    path = root / "homed.lock"
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        step = "Give your user write access to it, or name another folder with --home"
        raise HomeError(str(root), f"can't be used ({error.strerror or error})", step) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        step = "Use that one, or end it first; 'homeagent' itself works beside it"
        raise HomeError(str(root), f"is served already, at {_where(root)}", step) from None
    try:
        yield root / _STARTED
    finally:
        (root / _STARTED).unlink(missing_ok=True)
        os.close(descriptor)


def _where(root: Path) -> str:
    try:
        return str(json.loads((root / _STARTED).read_text("utf-8"))["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return "an address that is not known yet"


def listening(options: ServeOptions) -> socket.socket:
    """Return a socket that listens where the options say. Raises `HomeError` when that can't be had."""
    where = f"{options.host}:{options.port}"
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((options.host, options.port))
        found.listen(512)
    except (OSError, OverflowError) as error:
        found.close()
        told = getattr(error, "strerror", None) or str(error)
        raise HomeError(where, f"can't be listened at ({told})", "Name another with --port and --host") from error
    return found


class _Server(uvicorn.Server):
    """uvicorn's server, which leaves signals to us and says when it listens."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._told = started

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them alone: the way out goes through `serve`."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if not self.should_exit:
            self._told()


async def serve(
    app: App,
    settings: FollowedSettings,
    options: ServeOptions,
    *,
    sock: socket.socket,
    started: Callable[[Daemon], None],
) -> None:
    """Serve a home until SIGTERM or SIGINT: then what is under way may end, for some seconds.

    ``started`` is called when requests are taken.
    """
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(_THREADS, "homeagent"))
    async with app:
        daemon = Daemon(app, settings, options)
        web = build(daemon)
        page = LatePage(daemon)
        page.mount(web)
        guarded = Guard(web, options, partial(token_of, daemon))
        config = uvicorn.Config(
            guarded,
            log_config=None,
            log_level="warning",  # else every WebSocket with its address, by which the page knows it
            access_log=False,
            server_header=False,
            date_header=True,
            lifespan="off",
            proxy_headers=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        server = _Server(config, lambda: started(daemon))
        async with daemon, page:
            with _ending(server, daemon):
                await server.serve(sockets=[sock])
            _log.info("stopped")


@contextlib.contextmanager
def _ending(server: uvicorn.Server, daemon: Daemon) -> Iterator[None]:
    """While entered, SIGTERM, SIGINT and SIGHUP end the server by and by; the second one at once."""
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    def end() -> None:
        if server.should_exit:
            server.force_exit = True
            return
        _log.info("stopping")
        server.should_exit = True
        stopping.append(loop.create_task(daemon.stop()))

    heard = [number for number in (signal.SIGTERM, signal.SIGINT) if signal.getsignal(number) != signal.SIG_IGN]
    for number in heard:
        loop.add_signal_handler(number, end)
    try:
        yield
    finally:
        for number in heard:
            loop.remove_signal_handler(number)
