"""The core's end of the stream to a plugin: what the plugin may ask for, each call only in its own turn."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from homeagent.plugins.host import CallContext
from homeagent_sdk import Arrival, ToolError
from homeagent_sdk.remote_memory import MEMORY_METHODS
from homeagent_sdk.wire_values import WireError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from homeagent.plugins.host import CallSeat, PluginSeat
    from homeagent_sdk import InjectOptions

__all__ = ["CoreEnd"]

_LONGEST_PROGRESS = 500


class CoreEnd:
    """Answers one plugin (`homeagent_sdk.peer.Endpoint`)."""

    def __init__(self, plugin: PluginSeat) -> None:
        self._plugin = plugin
        self._numbers = itertools.count(1)
        self._calls: dict[int, CallContext] = {}
        self._listening: dict[str, Callable[[Arrival], Awaitable[bool]]] = {}

    @contextlib.contextmanager
    def seated(self, seat: CallSeat, call_id: str) -> Iterator[int]:
        """Let a call ask things for as long as it is entered, by the number that this gives."""
        number = next(self._numbers)
        self._calls[number] = CallContext(self._plugin, seat, call_id)
        try:
            yield number
        finally:
            del self._calls[number]

    @contextlib.contextmanager
    def listening(self, channel: str, arrived: Callable[[Arrival], Awaitable[bool]]) -> Iterator[None]:
        """Let what comes in a channel go to ``arrived`` for as long as it is entered."""
        self._listening[channel] = arrived
        try:
            yield
        finally:
            if self._listening.get(channel) is arrived:
                del self._listening[channel]

    @property
    def busy(self) -> bool:
        """Whether a call is under way."""
        return bool(self._calls)

    async def answer(self, method: str, values: Mapping[str, object]) -> object:
        """Do what the plugin asks. Raises `WireError` for what it may not."""
        match method, values:
            case "ask", {"seat": int(seat), "question": str(question)}:
                return await self._call(seat).ask(question)
            case "inject", {"seat": int(seat), "text": str(text), "channel": str(channel), "chat": str(chat), **more}:
                context = self._call(seat) if seat else self._plugin
                at, options = _moment(more.get("at")), _options(more.get("options"))
                return await context.inject(text, channel=channel, chat=chat, at=at, **options)
            case "injections", _:
                return tuple(await self._plugin.injections())
            case "withdraw", {"injection": str(injection)}:
                return await self._plugin.withdraw(injection)
            case "arrived", {"channel": str(channel), "arrival": Arrival() as arrival} if channel in self._listening:
                return await self._listening[channel](arrival)
            case "memory", {"seat": int(seat), "method": str(asked), "given": tuple(given), "named": dict(named)}:
                return await self._memory(seat, asked, given, named)
        raise WireError("request", f"{method} is none that is known", "Use the SDK of this installation")

    def told(self, method: str, values: Mapping[str, object]) -> None:
        """Take note of progress; anything else is ignored."""
        match method, values:
            case "progress", {"seat": int(seat), "text": str(text)} if seat in self._calls:
                self._calls[seat].progress(text[:_LONGEST_PROGRESS])

    async def _memory(self, seat: int, method: str, given: tuple[object, ...], named: Mapping[str, object]) -> object:
        memory = self._call(seat).memory
        if method not in MEMORY_METHODS:
            raise WireError("memory", f"there is no {method!r}", "Use the SDK of this installation")
        part, _, name = method.rpartition(".")
        target: object = getattr(memory, part) if part else memory
        function: Callable[..., Awaitable[object]] = getattr(target, name)
        value = await function(*given, **named)
        return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else value

    def _call(self, seat: int) -> CallContext:
        if seat not in self._calls:
            raise ToolError("", "the call is over", "Ask while the tool runs")
        return self._calls[seat]


def _options(said: object) -> InjectOptions:
    given = said if isinstance(said, dict) else {}
    match {"no_memory": False, "interrupt": False, "priority": 0, **given}:
        case {"no_memory": bool(no_memory), "interrupt": bool(interrupt), "priority": int(priority)}:
            return {"no_memory": no_memory, "interrupt": interrupt, "priority": priority}
    raise WireError("inject", "its options can't be read", "Use the SDK of this installation")


def _moment(at: object) -> datetime | None:
    if at is not None and not isinstance(at, datetime):
        raise WireError("inject", "at is no time", "Use the SDK of this installation")
    return at
