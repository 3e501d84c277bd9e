"""The channel: other agents speak to this home through an A2A server; each conversation of each client is a chat."""

from __future__ import annotations

import asyncio
from typing import Final

from a2a_home.exchange import Exchange
from a2a_home.settings import A2aSettings
from homeagent_sdk import Connection, Outgoing, Output, PluginContext, RefusedError, TurnInfo, stage

__all__ = ["CHANNEL", "A2aConnection", "answered"]

CHANNEL: Final = "a2a"
"""The name of the channel."""


class A2aConnection(Connection):
    """The server, as long as the program runs."""

    async def listen(self) -> None:
        """Serve other agents until cancelled; without a port nobody is served."""
        settings = self.context.settings(A2aSettings)
        if not settings.port:
            await asyncio.Event().wait()
        from a2a_home.server import serve  # late: the process that runs cleaners does not need it

        await serve(self.context, settings, self.context.state(Exchange))

    async def send(self, message: Outgoing) -> str:
        """Take note of what is said. The answer itself comes by the stage; what comes too late can't be delivered."""
        exchange = self.context.state(Exchange)
        if not exchange.is_waiting(message.chat):
            raise RefusedError("the other agent does not wait any more")
        if message.key:  # without a key it is a line about what is being done
            exchange.said(message.chat, message.text)
        return message.key

    async def typing(self, chat: str) -> None:
        """Take note that the answer is still being made."""
        self.context.state(Exchange).alive(chat)


@stage.after_output.observe
async def answered(output: Output, turn: TurnInfo, context: PluginContext) -> None:
    """Give the answer of a turn to the agent that asked."""
    if turn.channel == CHANNEL:
        context.state(Exchange).answered(turn.chat, output.text)
