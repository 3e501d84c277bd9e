"""The contexts that a plugin in its own process is handed: what they can't do here they ask the core for."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, Unpack, cast

from homeagent_sdk.call_facts import CallFacts, own_value
from homeagent_sdk.remote_memory import RemoteMemory

if TYPE_CHECKING:
    import threading
    from collections.abc import Awaitable, Sequence
    from datetime import datetime

    from homeagent_sdk.channels import Arrival
    from homeagent_sdk.context import Injection, InjectOptions
    from homeagent_sdk.recollection import MemoryAccess
    from homeagent_sdk.stage_data import TurnInfo

__all__ = ["Core", "WorkerCallContext", "WorkerCallSeat", "WorkerChannelContext", "WorkerContext"]

T = TypeVar("T")


class Core(Protocol):
    """The other end, as the contexts use it."""

    def request(self, method: str, /, **values: object) -> Awaitable[object]:
        """Ask for something."""
        ...

    def tell(self, method: str, /, **values: object) -> None:
        """Tell something, from the thread of the event loop."""
        ...

    def call_soon(self, method: str, /, **values: object) -> None:
        """Tell something, from any thread."""
        ...


@dataclass
class WorkerContext:
    """The SDK's ``PluginContext``."""

    plugin: str
    core: Core
    folder: str = ""
    values: object = None
    kept: object = None

    @property
    def data_folder(self) -> Path:
        """The plugin's own folder."""
        return Path(self.folder)

    @property
    def log(self) -> logging.Logger:
        """What is written there goes to standard error, and so to the plugin's log file."""
        return logging.getLogger(self.plugin)

    def settings(self, kind: type[T]) -> T:
        """Return the plugin's settings."""
        return own_value(self.values, kind, f"plugin {self.plugin!r}, context.settings")

    def state(self, kind: type[T]) -> T:
        """Return what ``on_start`` returned."""
        return own_value(self.kept, kind, f"plugin {self.plugin!r}, context.state")

    async def inject(
        self,
        text: str,
        *,
        channel: str = "",
        chat: str = "",
        at: datetime | None = None,
        **options: Unpack[InjectOptions],
    ) -> str:
        """Put a message in; return its id."""
        return await self._inject(0, text=text, channel=channel, chat=chat, at=at, options=dict(options))

    async def injections(self) -> Sequence[Injection]:
        """Return what this plugin put in and still waits."""
        return cast("Sequence[Injection]", await self.core.request("injections"))

    async def withdraw(self, injection: str) -> bool:
        """Take a waiting injection back."""
        return bool(await self.core.request("withdraw", injection=injection))

    async def _inject(self, seat: int, **values: object) -> str:
        return str(await self.core.request("inject", seat=seat, **values))


class WorkerChannelContext(WorkerContext):
    """The SDK's ``ChannelContext`` of one channel."""

    def __init__(self, plugin: WorkerContext, channel: str) -> None:
        super().__init__(plugin.plugin, plugin.core, plugin.folder, plugin.values, plugin.kept)
        self.channel = channel

    async def arrived(self, arrival: Arrival) -> bool:
        """Hand a message in; return whether it will be answered."""
        return bool(await self.core.request("arrived", channel=self.channel, arrival=arrival))


@dataclass(frozen=True)
class WorkerCallSeat:
    """What is particular to one call; ``number`` is how the core knows it."""

    number: int
    call_id: str
    turn: TurnInfo
    cancelled: threading.Event = field(compare=False)


class WorkerCallContext(WorkerContext, CallFacts):
    """The SDK's ``ToolContext`` of one call."""

    def __init__(self, plugin: WorkerContext, seat: WorkerCallSeat) -> None:
        WorkerContext.__init__(self, plugin.plugin, plugin.core, plugin.folder, plugin.values, plugin.kept)
        CallFacts.__init__(self, seat.call_id, seat.turn, seat.cancelled)
        self._seat = seat

    @property
    def memory(self) -> MemoryAccess:
        """The memory, as the people present may see it."""
        return RemoteMemory(self._remember)

    async def ask(self, question: str) -> bool:
        """Ask the person for consent."""
        return bool(await self.core.request("ask", seat=self._seat.number, question=question))

    def progress(self, text: str) -> None:
        """Show one line about how far the work is."""
        self.core.call_soon("progress", seat=self._seat.number, text=text)

    async def inject(
        self,
        text: str,
        *,
        channel: str = "",
        chat: str = "",
        at: datetime | None = None,
        **options: Unpack[InjectOptions],
    ) -> str:
        """Put a message in, in this chat unless another is named; return its id."""
        seat = self._seat.number
        return await self._inject(seat, text=text, channel=channel, chat=chat, at=at, options=dict(options))

    async def _remember(self, method: str, given: tuple[object, ...], named: dict[str, object]) -> object:
        return await self.core.request("memory", seat=self._seat.number, method=method, given=given, named=named)
