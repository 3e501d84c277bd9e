"""Where a plugin runs: in this process (`in_process`) or its own (`out_of_process`). The registry does not care."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from homeagent.plugins.declaration import HandlerDeclaration, Manifest
    from homeagent.plugins.host import CallSeat
    from homeagent_sdk import Arrival, Outgoing, ToolCall, ToolResult

    Arrived = Callable[[Arrival], Awaitable[bool]]

__all__ = ["PluginRunner"]


class PluginRunner(Protocol):
    """One plugin and the means to call it. Methods raise whatever the plugin raises; the callers guard them."""

    @property
    def manifest(self) -> Manifest:
        """What the plugin declares."""
        ...

    @property
    def available(self) -> bool:
        """Whether it can be called now; the tools of one that can't are not offered."""
        ...

    async def start(self) -> None:
        """Start the plugin; called once."""
        ...

    async def stop(self) -> None:
        """Stop the plugin; called once, also after a start that failed."""
        ...

    async def check(self, call: ToolCall) -> None:
        """Raise ``ArgumentsError`` when the arguments of a call don't fit; the tool does not run."""
        ...

    async def call(self, call: ToolCall, seat: CallSeat) -> ToolResult:
        """Check the arguments and run one of its tools."""
        ...

    async def handle(self, handler: HandlerDeclaration, values: Mapping[str, object]) -> object:
        """Call one of its stage handlers; ``values`` are the arguments of the stage, all of them but ``context``."""
        ...

    async def listen(self, channel: str, arrived: Arrived) -> None:
        """Make the connection of one of its channels and hand what comes to ``arrived``, until cancelled or it ends."""
        ...

    async def send(self, channel: str, message: Outgoing) -> str:
        """Send a message; return the platform's id of it. Raises ``RefusedError`` for what will never be taken."""
        ...

    async def typing(self, channel: str, chat: str) -> None:
        """Show in a chat that an answer is on its way."""
        ...
