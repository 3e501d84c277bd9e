"""``homeagent mcp serve``: the memory and the tools for the program that starts this, over MCP."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from homeagent.cli.running import run_until_done

if TYPE_CHECKING:
    from homeagent.app import App, FollowedSettings
    from homeagent.cli.session import Session

__all__ = ["serve"]


def serve(session: Session) -> int:
    """Serve until the other side closes standard input. Works beside a server of the same home."""
    from homeagent.app import FollowedSettings
    from homeagent.models import OfflineModel
    from homeagent.server.logs import log_as_json

    log_as_json(logging.WARNING)
    settings = FollowedSettings(session.home, OfflineModel())
    app = settings.open(lambda _step, _done: None)
    try:
        run_until_done(_served(app, settings, session.arguments.person))
    finally:
        app.shutdown()
    return 0


async def _served(app: App, settings: FollowedSettings, person: str) -> None:
    from homeagent.server.access import Asker
    from homeagent.server.daemon import Daemon
    from homeagent.server.mcp_serving import serve_stdio
    from homeagent.server.options import ServeOptions

    async with app:
        daemon = Daemon(app, settings, ServeOptions())
        await daemon.know(person)
        await serve_stdio(daemon, Asker(person, ""))
        await daemon.stop()
