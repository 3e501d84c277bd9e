"""What a running plugin is handed: the contexts of the SDK, made of the parts of one home."""

from __future__ import annotations

import logging
import secrets
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar, Unpack

from homeagent_sdk import Injection, ToolError
from homeagent_sdk.call_facts import CallFacts, own_value

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from homeagent_sdk import Arrival, InjectOptions, MemoryAccess, TurnInfo

__all__ = ["CallContext", "CallSeat", "ChannelSeat", "Host", "Injector", "PluginSeat"]

T = TypeVar("T")

_PRIVATE_FOLDER = 0o700


class Injector(Protocol):
    """Takes messages that plugins put in, and keeps those that wait. ``plugin`` is whose they are."""

    async def add(self, injection: Injection, plugin: str) -> None:
        """Take a message; it is on the disk when this returns."""
        ...

    async def waiting(self, plugin: str) -> Sequence[Injection]:
        """Return what a plugin put in and still waits, the earliest first."""
        ...

    async def withdraw(self, injection: str, plugin: str) -> bool:
        """Take a waiting message back; return whether there was one."""
        ...


@dataclass(frozen=True, slots=True)
class Host:
    """The parts of a home that plugins may reach. ``folder`` holds one data folder for each plugin."""

    folder: Path
    injector: Injector


@dataclass(frozen=True, slots=True)
class CallSeat:
    """What is particular to one call of a tool: its turn, and the ways to the person and the memory.

    ``cancelled`` is set when nobody waits for the call any more.
    """

    turn: TurnInfo
    memory: MemoryAccess
    ask: Callable[[str], Awaitable[bool]]
    progress: Callable[[str], None]
    cancelled: threading.Event = field(default_factory=threading.Event)


class PluginSeat:
    """The SDK's ``PluginContext`` of one plugin. ``started`` gives it the plugin's state."""

    def __init__(self, name: str, host: Host, settings: object) -> None:
        self._name = name
        self._host = host
        self._settings = settings
        self._state: object = None

    def started(self, state: object) -> None:
        """Remember what ``on_start`` returned."""
        self._state = state

    def use(self, settings: object) -> None:
        """Hand out these settings from now on."""
        self._settings = settings

    @property
    def plugin(self) -> str:
        """The plugin's name."""
        return self._name

    @property
    def data_folder(self) -> Path:
        """The plugin's own folder, made when it is first asked for."""
        folder = self._host.folder / self._name
        folder.mkdir(parents=True, exist_ok=True, mode=_PRIVATE_FOLDER)
        return folder

    @property
    def log(self) -> logging.Logger:
        """The plugin's part of the home's log."""
        return logging.getLogger(f"homeagent.plugin.{self._name}")

    def settings(self, kind: type[T]) -> T:
        """Return the plugin's settings."""
        return own_value(self._settings, kind, f"plugin {self._name!r}, context.settings")

    def state(self, kind: type[T]) -> T:
        """Return what ``on_start`` returned."""
        return own_value(self._state, kind, f"plugin {self._name!r}, context.state")

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
        if not (channel and chat):
            raise ToolError("chat", "there is no present chat", "Name channel and chat")
        if at is not None and at.tzinfo is None:
            raise ToolError("at", "the time has no zone", "Give e.g. 2026-05-01T10:00:00+08:00")
        injection = Injection(
            f"i{secrets.token_hex(8)}",
            text,
            channel,
            chat,
            options.get("no_memory", False),
            at,
            options.get("interrupt", False),
            options.get("priority", 0),
        )
        await self._host.injector.add(injection, self._name)
        return injection.id

    async def injections(self) -> Sequence[Injection]:
        """Return what this plugin put in and still waits."""
        return await self._host.injector.waiting(self._name)

    async def withdraw(self, injection: str) -> bool:
        """Take a waiting injection back."""
        return await self._host.injector.withdraw(injection, self._name)


class CallContext(PluginSeat, CallFacts):
    """The SDK's ``ToolContext`` of one call."""

    def __init__(self, plugin: PluginSeat, seat: CallSeat, call_id: str) -> None:
        PluginSeat.__init__(self, plugin._name, plugin._host, plugin._settings)
        CallFacts.__init__(self, call_id, seat.turn, seat.cancelled)
        self.started(plugin._state)
        self._seat = seat

    @property
    def memory(self) -> MemoryAccess:
        """The memory, as the people present may see it."""
        return self._seat.memory

    async def ask(self, question: str) -> bool:
        """Ask the person for consent."""
        return await self._seat.ask(question)

    def progress(self, text: str) -> None:
        """Show one line about how far the work is."""
        self._seat.progress(text)

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
        if self.private:
            raise ToolError("", "this turn is private and leaves nothing behind", "Ask again outside the private mode")
        here = not (channel or chat)
        return await super().inject(
            text,
            channel=self.channel if here else channel,
            chat=self.chat if here else chat,
            at=at,
            **options,
        )


class ChannelSeat(PluginSeat):
    """The SDK's ``ChannelContext`` of one channel."""

    def __init__(self, plugin: PluginSeat, channel: str, arrived: Callable[[Arrival], Awaitable[bool]]) -> None:
        super().__init__(plugin._name, plugin._host, plugin._settings)
        self.started(plugin._state)
        self._channel = channel
        self._arrived = arrived

    @property
    def channel(self) -> str:
        """The channel's name."""
        return self._channel

    async def arrived(self, arrival: Arrival) -> bool:
        """Hand a message in; return whether it will be answered."""
        return await self._arrived(arrival)
