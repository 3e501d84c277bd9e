"""The log file of a server that is a program: what it prints beside its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.plugins.plugin_log import LOGS, PluginLog

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ServerLog"]


class ServerLog(PluginLog):
    """The file ``logs/mcp-NAME.txt`` of a home; the full one before it is kept, 1 MiB each."""

    def __init__(self, root: Path, name: str) -> None:
        super().__init__(root, name)
        self.path = root / LOGS / f"mcp-{name}.txt"

    def note(self, data: bytes) -> None:
        """Write some bytes, unless a private turn is at work with the server."""
        if not self.private:
            self.write(data)
