"""A home with a hub, a scripted model, and a chat platform that is a list of messages."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from homeagent.agent import AgentSettings
from homeagent.app import App, AppParts
from homeagent.channels import Pauses
from homeagent.config import ChannelOptions
from homeagent.memory.embed import NoEmbedder
from homeagent.models import ScriptedModel
from homeagent_sdk import Arrival, Capabilities, Channel, Connection, MemoryPolicy, Outgoing, Plugin
from tests.agent.worlds import call, in_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from homeagent.memory import Segment
    from homeagent.models import Model, ModelRequest
    from homeagent_sdk import ChannelContext

__all__ = ["ANNA", "BEN", "HOUSE", "Platform", "World", "call", "in_loop", "until"]

ANNA, BEN, OWN = "1001", "1002", "1000"
HOUSE = ChannelOptions(owners=(OWN,), members=(ANNA, BEN), groups=("g1",), merge_seconds=0.0, status_seconds=30.0)


@dataclass
class Platform:
    """A chat platform: what was sent is in ``sent``; ``faults`` are raised by the next sends, one each."""

    name: str = "chat"
    can: Capabilities = field(default_factory=Capabilities)
    input: MemoryPolicy = field(default_factory=MemoryPolicy)
    output: MemoryPolicy = field(default_factory=MemoryPolicy)
    sent: list[Outgoing] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    context: ChannelContext | None = None

    @property
    def channel(self) -> Channel:
        platform = self

        class Link(Connection):
            async def listen(self) -> None:
                platform.context = self.context
                await super().listen()

            async def send(self, message: Outgoing) -> str:
                if platform.faults:
                    raise platform.faults.pop(0)
                platform.sent.append(message)
                return f"m{len(platform.sent)}"

            async def typing(self, chat: str) -> None:
                platform.typed.append(chat)

        return Channel(self.name, Link, self.can, self.input, self.output)

    async def says(self, sender: str, text: str, **more: object) -> bool:
        """Have somebody write; in a chat with the assistant alone unless another is named."""
        assert self.context is not None
        given = {"chat": sender, **more}
        return await self.context.arrived(Arrival(sender=sender, text=text, **given))  # type: ignore[arg-type]

    def texts(self, chat: str) -> list[str]:
        return [each.text for each in self.sent if each.chat == chat]


class World:
    """An app whose hub runs. Plugins: the platform, and one with the tools."""

    def __init__(
        self,
        home: Path,
        model: Model | Sequence[object] | Callable[[ModelRequest], object],
        *tools: object,
        platform: Platform | None = None,
        options: ChannelOptions = HOUSE,
    ) -> None:
        self.platform = platform or Platform()
        self.model = model if hasattr(model, "stream") else ScriptedModel(model)  # type: ignore[arg-type]
        plugins = [Plugin("platform", "1.0.0", channels=[self.platform.channel])]
        if tools:
            plugins.append(Plugin("tools", "1.0.0", tools=tools))  # type: ignore[arg-type]
        parts = AppParts(
            self.model,  # type: ignore[arg-type]
            plugins,
            agent=AgentSettings(),
            embedder=NoEmbedder(),
            channels={self.platform.name: options},
            pauses=Pauses(0.01, 0.05, 30.0),
        )
        self.app = App.open(home, parts)

    async def __aenter__(self) -> Self:
        await self.app.__aenter__()
        self._running = asyncio.create_task(self.app.hub.run())
        await until(lambda: self.platform.context is not None)
        return self

    async def __aexit__(self, *error: object) -> None:
        self._running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._running
        await self.app.__aexit__(*error)  # type: ignore[arg-type]

    async def says(self, sender: str, text: str, **more: object) -> bool:
        return await self.platform.says(sender, text, **more)

    async def hears(self, chat: str, count: int = 1) -> list[str]:
        """Wait until so many messages were sent to a chat, and return them."""
        await until(lambda: len(self.platform.texts(chat)) >= count)
        return self.platform.texts(chat)

    async def settled(self) -> None:
        """Wait until every message that came in was answered, and everything that was put in."""
        while self.app.hub.state().unanswered or self.app.inbox._waiting or self.app.agent.is_busy():
            await asyncio.sleep(0.005)

    def raw(self) -> list[list[Segment]]:
        memory = self.app.memory
        return [[row.segment for row in memory.segments(turn)] for turn in memory.turns()]

    def statuses(self) -> list[str]:
        return [turn.status for turn in self.app.memory.turns()]

    def computed(self) -> str:
        return "\n".join(row.text.text for row in self.app.memory.all_computed())

    @property
    def requests(self) -> list[ModelRequest]:
        return self.model.requests  # type: ignore[union-attr]

    def prompts(self) -> list[str]:
        """Return what the model was last told in each request."""
        return [request.messages[-1].text for request in self.requests]


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    while not holds():
        await asyncio.sleep(0.005)
