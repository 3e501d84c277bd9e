"""The log file of a plugin in its own process: what it prints, the newest part of it, and nothing of private turns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

__all__ = ["LOGS", "PluginLog"]

LOGS: Final = "logs"
"""The folder of a home that holds a log file for each plugin."""

_MOST_BYTES: Final = 1024 * 1024
_PIECE: Final = 64 * 1024


class PluginLog:
    """The file ``logs/plugin-NAME.txt``; the full one before it is kept as ``.old``, 1 MiB each."""

    def __init__(self, root: Path, name: str) -> None:
        self.plugin = name
        self.path = root / LOGS / f"plugin-{name}.txt"
        self.private = 0
        """How many private turns the plugin works for now: while there are any, nothing is written."""

    async def read(self, stream: asyncio.StreamReader) -> None:
        """Write down what comes until the stream ends."""
        while data := await stream.read(_PIECE):
            if not self.private:
                self.write(data)

    def write(self, data: bytes) -> None:
        """Write some bytes; a disk that is full loses them, and nothing else."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self.path.exists() and self.path.stat().st_size + len(data) > _MOST_BYTES:
                self.path.replace(self.path.with_suffix(".old"))
            with open(os.open(self.path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600), "ab") as file:  # noqa: PTH123
                file.write(data)
        except OSError:
            return
