"""What routes are handed: the running daemon, and from it the memory."""

from typing import Annotated

from fastapi import Depends, Request

from homeagent.server.daemon import Daemon

__all__ = ["DaemonHere", "daemon_of"]


async def daemon_of(request: Request) -> Daemon:
    """Return the daemon that a request is for.

    It waits for nothing and is ``async`` all the same: FastAPI calls what is not in a thread, and there requests that
    come at once change places.
    """
    daemon: Daemon = request.app.state.daemon
    return daemon


DaemonHere = Annotated[Daemon, Depends(daemon_of)]
"""The running daemon."""
