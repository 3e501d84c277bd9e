"""The registry: which plugins there are, what they brought, and whether they are running."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from homeagent.plugins.boundary import Failure, PluginError, guarded
from homeagent_sdk.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from homeagent.plugins.declaration import ChannelDeclaration, HandlerDeclaration, ToolDeclaration
    from homeagent.plugins.runner import PluginRunner
    from homeagent_sdk import MemoryPolicy
    from homeagent_sdk.stages import Verb

__all__ = ["START_SECONDS", "Registry", "shared_names"]

START_SECONDS = 30.0
"""How long a plugin may take to start, and to stop."""

_log = logging.getLogger("homeagent.plugins")


class Registry:
    """Plugins, tools and channels by name. Filled with `register`, then started; after that `swap` changes one."""

    def __init__(self) -> None:
        self._runners: dict[str, PluginRunner] = {}
        self._tools: dict[str, ToolDeclaration] = {}
        self._channels: dict[str, ChannelDeclaration] = {}
        self._handlers: dict[tuple[str, str], tuple[HandlerDeclaration, ...]] = {}
        self._started: list[str] = []
        self._frozen = False

    def register(self, runner: PluginRunner) -> None:
        """Add a plugin with everything it declares, all or nothing.

        Raises `PluginError` when the plugin or one of its tools is there already, or the registry is started.
        """
        manifest = runner.manifest
        where = f"plugin {manifest.name!r}"
        if self._frozen:
            step = "Register every plugin before the registry is started"
            raise PluginError(where, "the plugins are running, so none can be added", step)
        if manifest.name in self._runners:
            raise PluginError(where, "there is a plugin of that name already", "Rename one or take one out")
        self._check_names(runner)
        self._add(runner)

    def swap(self, name: str, runner: PluginRunner | None) -> PluginRunner | None:
        """Put a running plugin in the place of the one called ``name``, or take that out; return what was there.

        Whoever asks sees the one or the other, never a part. Raises `PluginError` when one of its tools or channels is
        another plugin's; then nothing changes. Stopping what is returned is up to the caller.
        """
        if runner is not None:
            self._check_names(runner)
        old = self._runners.pop(name, None)
        self._tools = {key: tool for key, tool in self._tools.items() if tool.plugin != name}
        self._channels = {key: each for key, each in self._channels.items() if each.plugin != name}
        for key, handlers in list(self._handlers.items()):
            self._handlers[key] = tuple(each for each in handlers if each.plugin != name)
        if old is not None and name in self._started:
            self._started.remove(name)
        if runner is not None:
            self._add(runner)
            self._started.append(name)
        return old

    def _check_names(self, runner: PluginRunner) -> None:
        manifest = runner.manifest
        names = {name: tool.plugin for name, tool in self._tools.items()}
        for shared in shared_names((tool.name for tool in manifest.tools), manifest.name, names):
            raise PluginError(*shared)
        for channel in manifest.channels:
            taken = self._channels.get(channel.name)
            if taken is not None and taken.plugin != manifest.name:
                problem = f"its channel {channel.name!r} is also a channel of plugin {taken.plugin!r}"
                raise PluginError(f"plugin {manifest.name!r}", problem, "Rename one of the two, or take one plugin out")

    def _add(self, runner: PluginRunner) -> None:
        manifest = runner.manifest
        self._runners[manifest.name] = runner
        self._tools.update({tool.name: tool for tool in manifest.tools})
        self._channels.update({channel.name: channel for channel in manifest.channels})
        for handler in manifest.handlers:
            key = (handler.stage, handler.verb)
            self._handlers[key] = (*self._handlers.get(key, ()), handler)

    async def start(self) -> None:
        """Start every plugin, in order; from here on nothing can be registered.

        Raises `PluginError` naming the one that can't start; those that were started are stopped again.
        """
        self._frozen = True
        for name, runner in self._runners.items():
            outcome = await guarded(runner.start(), START_SECONDS)
            self._started.append(name)
            if isinstance(outcome, Failure):
                await self.stop()
                _log.error("plugin %r did not start\n%s", name, outcome.trace)
                step = "See the log; take the plugin out or mend its settings"
                raise PluginError(f"plugin {name!r}", f"it did not start ({outcome.message})", step)

    async def stop(self) -> None:
        """Stop every plugin that was started, the last one first; a failure is logged and stops no other."""
        while self._started:
            name = self._started.pop()
            outcome = await guarded(self._runners[name].stop(), START_SECONDS)
            if isinstance(outcome, Failure):
                _log.warning("plugin %r did not stop properly: %s\n%s", name, outcome.message, outcome.trace)

    @property
    def tools(self) -> Mapping[str, ToolDeclaration]:
        """Every tool that can be called now, by name, in the order of registration."""
        return {name: tool for name, tool in self._tools.items() if self._runners[tool.plugin].available}

    @property
    def channels(self) -> Mapping[str, ChannelDeclaration]:
        """Every channel that a plugin brings, by name, whether its plugin can be called now or not."""
        return dict(self._channels)

    @property
    def plugins(self) -> tuple[str, ...]:
        """The names of the plugins, in the order of registration."""
        return tuple(self._runners)

    def runner(self, plugin: str) -> PluginRunner:
        """Return where a plugin runs."""
        return self._runners[plugin]

    def handlers(self, stage: str, verb: Verb) -> tuple[HandlerDeclaration, ...]:
        """Return who takes part in a stage with this verb, in the order of registration."""
        found = self._handlers.get((stage, verb), ())
        if verb == "decide":  # one that can't be asked does not say yes
            return found
        return tuple(handler for handler in found if self._runners[handler.plugin].available)

    def policies(self) -> dict[str, MemoryPolicy | None]:
        """Return what the tools declare of their memory, for `Memory.declare_policies`."""
        return {tool.policy_name: tool.policy for tool in self._tools.values()}

    def channel_policies(self) -> dict[str, tuple[MemoryPolicy, MemoryPolicy]]:
        """Return what the channels declare of the words that come in and go out."""
        return {name: (each.input, each.output) for name, each in self._channels.items()}

    def returning_memory(self) -> tuple[str, ...]:
        """Return the tools whose outputs are recalled memory."""
        return tuple(tool.policy_name for tool in self._tools.values() if tool.returns_memory)


def shared_names(tools: Iterable[str], plugin: str, taken: Mapping[str, str]) -> Iterator[Problem]:
    """Yield a problem for each tool of a plugin whose name is ``taken`` by a tool of another, named there."""
    for name in tools:
        if (other := taken.get(name, plugin)) != plugin:
            problem = f"its tool {name!r} is also a tool of plugin {other!r}"
            step = "Rename one of the two: @tool(name=...), or take one plugin out"
            yield Problem(f"plugin {plugin!r}", problem, step)
