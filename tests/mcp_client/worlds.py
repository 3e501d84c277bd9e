"""A home with MCP servers, the ways to call them, and small helpers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.config import McpSettings
from homeagent.mcp_client import McpServer, asked_for, looked_at
from homeagent.plugins import CallSeat, Consent
from homeagent_sdk import ToolCall, ToolResult
from homeagent_sdk.testing import FakeMemory
from tests.plugins.worlds import TURN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from homeagent_sdk import TurnInfo

HERE = Path(__file__).parent
FRIENDLY = str(HERE / "friendly.py")
RAW = str(HERE / "raw.py")


def program(script: str, *args: str, **settings: object) -> McpSettings:
    """Return the settings of a server that is one of the scripts here."""
    return McpSettings(command=sys.executable, args=(script, *args), **settings)  # type: ignore[arg-type]


class Living:
    """A server that runs, with a person who agrees to what ``agrees`` holds."""

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self.progress: list[str] = []
        self.questions: list[str] = []
        self.agrees = True
        self.reoffered = 0

    async def call(self, tool: str, turn: TurnInfo = TURN, **arguments: object) -> ToolResult:
        """Call a tool by its own name."""
        wire = next(each.name for each in self.server.manifest.tools if each.kept_as.endswith(f".{tool}"))
        return await self.server.call(ToolCall("c1", wire, arguments), self.seat(turn))

    def seat(self, turn: TurnInfo = TURN) -> CallSeat:
        async def ask(question: str) -> bool:
            self.questions.append(question)
            return self.agrees

        return CallSeat(turn, FakeMemory(), ask, self.progress.append)

    async def noted(self) -> None:
        self.reoffered += 1


async def agreed(name: str, settings: McpSettings, root: Path) -> Consent:
    """Look at a server and agree to all of it."""
    return asked_for(settings, await looked_at(name, settings, root))


@contextlib.asynccontextmanager
async def living(root: Path, settings: McpSettings, consent: Consent | None = None) -> AsyncIterator[Living]:
    """Run a server named ``friend`` that was agreed to; nothing of it is left afterwards."""
    consent = consent or await agreed("friend", settings, root)
    server = await McpServer.open("friend", settings, consent, root)
    found = Living(server)
    server.follow(found.noted)
    try:
        yield found
    finally:
        await server.stop()


@contextlib.contextmanager
def served() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the friendly server over HTTP; give its address and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with started(port) as process:
        yield f"http://127.0.0.1:{port}/mcp", process


@contextlib.contextmanager
def started(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the friendly server on a port until it takes connections, and to the end of the block."""
    command = [sys.executable, FRIENDLY, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        limit = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert time.monotonic() < limit
            assert process.poll() is None
            time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.wait()


async def until(reached: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something is so."""
    limit = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < limit
        await asyncio.sleep(0.05)
