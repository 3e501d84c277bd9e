"""How a plugin's process without a network gets its one way out: it hands over a listener, and a proxy answers that."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

from homeagent_sdk.confined import PROXY_VARIABLE

if TYPE_CHECKING:
    from homeagent.plugins.forwarding import Forwarder

__all__ = ["WayOut"]


class WayOut:
    """Stands by while a process starts: give it `descriptor` and `variables`, then `run` until it has ended."""

    def __init__(self, forwarder: Forwarder) -> None:
        self._forwarder = forwarder
        self._ours, self._theirs = socket.socketpair()

    @property
    def descriptor(self) -> int:
        """What the process inherits."""
        return self._theirs.fileno()

    @property
    def variables(self) -> dict[str, str]:
        """What tells the process of it."""
        return {PROXY_VARIABLE: str(self.descriptor)}

    def given(self) -> None:
        """Keep our end only: the process has its own."""
        self._theirs.close()

    def close(self) -> None:
        """Give it up, where no process was started."""
        self._theirs.close()
        self._ours.close()

    async def run(self) -> None:
        """Answer the listener that comes, until cancelled; without a namespace none comes, and the network is open."""
        found = await self._received()
        if not found:
            return
        try:
            await self._forwarder.serve(socket.socket(fileno=found[0]))
            await asyncio.get_running_loop().create_future()
        finally:
            await self._forwarder.close()

    async def _received(self) -> list[int]:
        loop = asyncio.get_running_loop()
        comes = asyncio.Event()
        self._ours.setblocking(False)
        loop.add_reader(self._ours, comes.set)
        try:
            await comes.wait()
            return socket.recv_fds(self._ours, 1, 1)[1]
        except OSError:
            return []
        finally:
            loop.remove_reader(self._ours)
            self._ours.close()
