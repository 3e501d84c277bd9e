"""Looking at a server before anything is agreed to: it is started once and says what it offers; no tool is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.mcp_client.connection import Connection
from homeagent.mcp_client.server_log import ServerLog

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.config import McpSettings
    from homeagent.mcp_client.metadata import Listing

__all__ = ["looked_at"]


async def looked_at(name: str, settings: McpSettings, root: Path) -> Listing:
    """Return what the server ``name`` of the home in ``root`` offers. Raises `PluginError`."""
    connection, listing = await Connection.open(name, settings, root, ServerLog(root, name))
    await connection.close()
    return listing
