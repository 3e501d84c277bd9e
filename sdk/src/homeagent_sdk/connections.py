"""The open connections of one plugin, the same in the program's process and in the plugin's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent_sdk.channels import Connection
from homeagent_sdk.errors import DeclarationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent_sdk.channels import Channel, ChannelContext, Outgoing

__all__ = ["Connections"]


class Connections:
    """Makes connections and speaks through them. Methods raise whatever the plugin raises."""

    def __init__(self, channels: Iterable[Channel]) -> None:
        self._channels = {channel.name: channel for channel in channels}
        self._open: dict[str, Connection] = {}

    async def listen(self, context: ChannelContext) -> None:
        """Make the connection of a channel and listen until cancelled, or until the connection ends."""
        name = context.channel
        channel = self._channels.get(name)
        if channel is None:
            raise DeclarationError(f"channel {name!r}", "there is no such channel", "Ask for one that is declared")
        made: object = channel.connect(context)
        if not isinstance(made, Connection):
            where = f"channel {name!r}, connect"
            raise DeclarationError(where, f"it made a {type(made).__name__}", "Return a Connection")
        connection = made
        self._open[name] = connection
        try:
            await connection.listen()
        finally:
            if self._open.get(name) is connection:
                del self._open[name]

    async def send(self, channel: str, message: Outgoing) -> str:
        """Send a message; return the platform's id of it. Raises ``ConnectionError`` while there is no connection."""
        return str(await self._connection(channel).send(message) or "")

    async def typing(self, channel: str, chat: str) -> None:
        """Show that an answer is on its way. Raises ``ConnectionError`` while there is no connection."""
        await self._connection(channel).typing(chat)

    def _connection(self, channel: str) -> Connection:
        if channel not in self._open:
            raise ConnectionError(f"channel {channel!r} is not connected")
        return self._open[channel]
