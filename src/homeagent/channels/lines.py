"""The lines of a hub: what a channel is to it, whoever brings it, and keeping those that listen connected."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, Protocol

from homeagent.plugins import Failure, guarded
from homeagent_sdk import Arrival

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent.plugins import PluginRunner, Registry
    from homeagent_sdk import Capabilities, Outgoing

__all__ = ["Line", "LineOf", "Lines", "PluginLine"]

_LOOK_SECONDS: Final = 0.5
_LONGEST_PAUSE: Final = 60.0
_GOOD_SECONDS: Final = 60.0
_FOREVER: Final = 3e8
_log = logging.getLogger("homeagent.channels")

Arrived = Callable[[str, Arrival], Awaitable[bool]]
"""Takes a message of a channel; whether it will be answered."""


class Line(Protocol):
    """A channel as the hub uses it. Methods raise whatever the other side raises; their callers guard them."""

    @property
    def can(self) -> Capabilities:
        """What its platform can do."""
        ...

    @property
    def pushes(self) -> bool:
        """Whether it can send by itself; otherwise whoever asked fetches the answer."""
        ...

    async def send(self, message: Outgoing) -> str:
        """Send a message; return the platform's id of it."""
        ...

    async def typing(self, chat: str) -> None:
        """Show that an answer is on its way."""
        ...


LineOf = Callable[[str], Line | None]
"""Gives the line of a channel, None while there is none."""


class PluginLine:
    """The line of a channel that a plugin brings, wherever the plugin runs."""

    pushes = True

    def __init__(self, name: str, can: Capabilities, runner: PluginRunner) -> None:
        self.name = name
        self.can = can
        self.runner = runner

    async def send(self, message: Outgoing) -> str:
        """Send a message; return the platform's id of it."""
        return await self.runner.send(self.name, message)

    async def typing(self, chat: str) -> None:
        """Show that an answer is on its way."""
        await self.runner.typing(self.name, chat)


class Lines:
    """The lines that there are now: those of the program by name, and those of the plugins of a registry.

    ``is_on`` says of a channel whether it may be used.
    """

    def __init__(self, registry: Registry, own: Mapping[str, Line], is_on: Callable[[str], bool]) -> None:
        self._registry = registry
        self._own = own
        self._is_on = is_on
        self.states: dict[str, str] = {}
        """Of each channel that listens ``connected``, or why it is not."""

    def of(self, channel: str) -> Line | None:
        """Return the line of a channel, None while there is none."""
        if not self._is_on(channel):
            return None
        return self._own.get(channel) or self._of_plugin(channel)

    def names(self) -> tuple[str, ...]:
        """Return the channels that there are."""
        return tuple(name for name in (*self._own, *self._registry.channels) if self._is_on(name))

    def _of_plugin(self, channel: str) -> PluginLine | None:
        found = self._registry.channels.get(channel)
        return None if found is None else PluginLine(channel, found.can, self._registry.runner(found.plugin))

    async def listen(self, arrived: Arrived) -> None:
        """Keep every channel of a plugin connected, until cancelled; one whose plugin is swapped follows it."""
        tasks: dict[str, tuple[PluginRunner, asyncio.Task[None]]] = {}
        try:
            while True:
                found = {name: line for name in self._registry.channels if (line := self._listening(name))}
                for name in [name for name, (runner, _) in tasks.items() if _differs(found.get(name), runner)]:
                    await _cancelled(tasks.pop(name)[1])
                    self.states.pop(name, None)
                for name in found.keys() - tasks.keys():
                    line = found[name]
                    tasks[name] = line.runner, asyncio.create_task(self._keep_connected(line, arrived))
                await asyncio.sleep(_LOOK_SECONDS)
        finally:
            await asyncio.gather(*(_cancelled(task) for _, task in tasks.values()))

    def _listening(self, name: str) -> PluginLine | None:
        return self._of_plugin(name) if self._is_on(name) else None

    async def _keep_connected(self, line: PluginLine, arrived: Arrived) -> None:
        async def take(arrival: Arrival) -> bool:
            return await arrived(line.name, arrival)

        pause = 1.0
        while True:
            if not line.runner.available:
                self.states[line.name] = "its plugin's process is being started again"
                await asyncio.sleep(_LOOK_SECONDS)
                continue
            self.states[line.name] = "connected"
            begun = time.monotonic()
            outcome = await guarded(line.runner.listen(line.name, take), _FOREVER)
            reason = outcome.message if isinstance(outcome, Failure) else "it stopped listening"
            self.states[line.name] = reason
            pause = 1.0 if time.monotonic() - begun > _GOOD_SECONDS else pause
            _log.warning("channel %s: %s; connected again in %g s", line.name, reason, pause)
            await asyncio.sleep(pause)
            pause = min(_LONGEST_PAUSE, pause * 2)


def _differs(line: PluginLine | None, runner: PluginRunner) -> bool:
    return line is None or line.runner is not runner


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})
