"""``/mcp``: the MCP server over HTTP. It has a protocol of its own, so the OpenAPI description leaves it out."""

from fastapi import APIRouter, Response
from starlette.types import Receive, Scope, Send

from homeagent.server.access import Asker, AskerHere
from homeagent.server.daemon import Daemon
from homeagent.server.here import DaemonHere

__all__ = ["router"]

router = APIRouter(tags=["mcp"])
"""The routes of this matter."""


class _Spoken(Response):
    """An answer that the MCP server writes itself."""

    def __init__(self, daemon: Daemon, asker: Asker) -> None:
        super().__init__()
        self._daemon = daemon
        self._asker = asker

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on."""
        mcp = await self._daemon.mcp()
        await mcp.handle(scope, receive, send, self._asker)


@router.api_route("/mcp", methods=["GET", "POST", "DELETE"], include_in_schema=False)
async def mcp(asker: AskerHere, daemon: DaemonHere) -> Response:
    """Speak MCP with whoever has a token."""
    return _Spoken(daemon, asker)
