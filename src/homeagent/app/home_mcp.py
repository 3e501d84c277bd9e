"""The MCP servers of a home that were agreed to, started for an app; what keeps one from starting is said, no more."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from homeagent.errors import HomeAgentError
from homeagent.mcp_client import McpServer, consents_of, plugin_name, runs_what_was_agreed
from homeagent.plugins import PluginError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from homeagent.config import McpSettings
    from homeagent.plugins import Consent, Registry

    Joined = Callable[[], Awaitable[None]]

__all__ = ["HomeMcp"]

_WAITED_SECONDS: Final = 10.0
_LOOK_SECONDS: Final = 1.0
_UNREACHED_SECONDS: Final = 30.0
_log = logging.getLogger("homeagent.mcp")


class HomeMcp:
    """The servers of one home, in the ``registry`` that is running; ``joined`` is called when its tools are others."""

    def __init__(self, root: Path, registry: Registry, joined: Joined) -> None:
        self._root = root
        self._registry = registry
        self._joined = joined
        self._settings: Mapping[str, McpSettings] = {}
        self._wanted: dict[str, tuple[McpSettings, Consent]] = {}
        self._starting: dict[str, asyncio.Task[None]] = {}
        self._unreached: dict[str, asyncio.Task[None]] = {}
        self._stopping: list[asyncio.Task[None]] = []
        self._following: asyncio.Task[None] | None = None
        self._changing = asyncio.Lock()
        self._unasked: set[str] = set()

    async def use(self, settings: Mapping[str, McpSettings]) -> None:
        """Go by these settings: start what is new or changed, stop what is gone. Those that take long come later."""
        self._settings = settings
        await self._follow_all()
        if settings and self._following is None:
            self._following = asyncio.create_task(self._follow())
        if self._starting:
            await asyncio.wait(self._starting.values(), timeout=_WAITED_SECONDS)

    async def close(self) -> None:
        """Stop looking and starting; the registry stops what runs."""
        tasks = [*self._starting.values(), *self._unreached.values()]
        await _cancelled([*tasks, self._following] if self._following is not None else tasks)
        if self._stopping:
            await asyncio.wait(self._stopping)

    async def _follow(self) -> None:
        """Go by what is agreed to and taken back while the program runs."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                await self._follow_all()
            except HomeAgentError as error:  # of the memory: the next change tries again
                _log.warning("%s", error)

    async def _follow_all(self) -> None:
        async with self._changing:  # the settings and what is agreed to may change at once
            await self._followed()

    async def _followed(self) -> None:
        wanted = await asyncio.to_thread(self._agreed)
        gone = [name for name in self._wanted if wanted.get(name) != self._wanted[name]]
        new = [name for name in wanted if wanted[name] != self._wanted.get(name)]
        self._wanted = wanted
        for name in gone:
            await self._stop(name)
        for name in new:
            self._starting[name] = asyncio.create_task(self._start(name, *wanted[name]))

    def _agreed(self) -> dict[str, tuple[McpSettings, Consent]]:
        """Return the servers that are on and were agreed to."""
        on = {name: settings for name, settings in self._settings.items() if settings.enabled}
        if not on:
            return {}
        try:
            consents = consents_of(self._root).all()
        except PluginError as error:
            _log.warning("%s", error)
            return {}
        for name in on.keys() - consents.keys() - self._unasked:
            self._unasked.add(name)
            _log.warning("mcp server %r is off: look and agree with homeagent mcp consent %s", name, name)
        return {name: (settings, consents[name]) for name, settings in on.items() if name in consents}

    async def _start(self, name: str, settings: McpSettings, consent: Consent) -> None:
        try:
            server = await McpServer.open(name, settings, consent, self._root)
        except PluginError as error:
            _log.warning("%s", error)
            if settings.url and runs_what_was_agreed(settings, consent):
                self._unreached[name] = asyncio.create_task(self._try_again(name, settings, consent))
        else:
            await self._join(name, server)
        finally:
            self._starting.pop(name, None)

    async def _try_again(self, name: str, settings: McpSettings, consent: Consent) -> None:
        """Try to reach a server at an address until it is there: its machine may start later than this one."""
        while True:
            await asyncio.sleep(_UNREACHED_SECONDS)
            try:
                server = await McpServer.open(name, settings, consent, self._root)
            except PluginError:  # it was said when it was tried first
                continue
            await self._join(name, server)
            return

    async def _join(self, name: str, server: McpServer) -> None:
        try:
            self._registry.swap(plugin_name(name), server)
        except PluginError as error:
            _log.warning("%s", error)
            await server.stop()
            return
        server.follow(lambda: self._reoffered(server))
        await self._told_of_join()

    async def _reoffered(self, server: McpServer) -> None:
        """Let the registry know what a server offers now."""
        try:
            self._registry.swap(plugin_name(server.name), server)
        except PluginError as error:
            _log.warning("%s", error)
        await self._told_of_join()

    async def _told_of_join(self) -> None:
        try:
            await self._joined()
        except HomeAgentError as error:
            _log.warning("%s", error)

    async def _stop(self, name: str) -> None:
        under_way = (self._starting.pop(name, None), self._unreached.pop(name, None))
        await _cancelled([task for task in under_way if task is not None])
        if plugin_name(name) in self._registry.plugins:
            old = self._registry.swap(plugin_name(name), None)
            if old is not None:
                stopping = asyncio.create_task(old.stop())
                self._stopping.append(stopping)
                await asyncio.shield(stopping)  # it goes on to its end when the app is closed meanwhile
                self._stopping.remove(stopping)


async def _cancelled(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
