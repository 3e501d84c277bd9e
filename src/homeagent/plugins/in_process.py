"""A plugin that runs in this process: the built-ins. What it prints goes to its log, not onto the screen."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from homeagent.plugins.boundary import PluginError
from homeagent.plugins.declaration import declared
from homeagent.plugins.host import CallContext, ChannelSeat, PluginSeat
from homeagent.plugins.printing import PrintedTo
from homeagent_sdk import SettingsError
from homeagent_sdk.calling import call_function, call_tool
from homeagent_sdk.connections import Connections
from homeagent_sdk.convert import convert_arguments
from homeagent_sdk.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from homeagent.plugins.declaration import HandlerDeclaration, Manifest
    from homeagent.plugins.host import CallSeat, Host
    from homeagent_sdk import (
        Arrival,
        ChannelContext,
        Outgoing,
        Plugin,
        PluginContext,
        ToolCall,
        ToolContext,
        ToolResult,
    )

__all__ = ["InProcess"]


class InProcess:
    """Runs one plugin here. Raises `PluginError` when its configured ``settings`` can't be used."""

    def __init__(self, plugin: Plugin, host: Host, settings: Mapping[str, object] | None = None) -> None:
        self._plugin = plugin
        self._host = host
        self._tools = {tool.name: tool for tool in plugin.tools}
        self._handlers = tuple(plugin.stages)
        self._connections = Connections(plugin.channels)
        self._manifest = declared(plugin)
        self._seat = PluginSeat(plugin.name, host, _settings(plugin, settings or {}))

    def use(self, settings: Mapping[str, object]) -> None:
        """Go by other settings from the next call on. Raises `PluginError` when they can't be used."""
        self._seat.use(_settings(self._plugin, settings))

    def with_settings(self, settings: Mapping[str, object]) -> InProcess:
        """Return the same plugin with other settings, not started. Raises `PluginError` when they can't be used."""
        return InProcess(self._plugin, self._host, settings)

    @property
    def manifest(self) -> Manifest:
        """What the plugin declares."""
        return self._manifest

    @property
    def available(self) -> bool:
        """A plugin of this process is always there."""
        return True

    async def start(self) -> None:
        """Call ``on_start`` and keep what it returns."""
        self._seat.started(await self._hook(self._plugin.on_start))

    async def stop(self) -> None:
        """Call ``on_stop``."""
        await self._hook(self._plugin.on_stop)

    async def check(self, call: ToolCall) -> None:
        """Raise ``ArgumentsError`` when the arguments of a call don't fit."""
        convert_arguments(self._tools[call.tool], call.arguments)

    async def call(self, call: ToolCall, seat: CallSeat) -> ToolResult:
        """Run one of its tools."""
        tool = self._tools[call.tool]
        arguments = convert_arguments(tool, call.arguments)
        context: ToolContext = CallContext(self._seat, seat, call.call_id)
        try:
            with PrintedTo(None if seat.turn.private else self._seat.log):
                return await call_tool(tool, context, arguments)
        finally:
            seat.cancelled.set()

    async def handle(self, handler: HandlerDeclaration, values: Mapping[str, object]) -> object:
        """Call one of its stage handlers."""
        context: PluginContext = self._seat
        known = {**values, "context": context}
        function = self._handlers[handler.place].function
        given = {name: known[name] for name in handler.takes}
        with PrintedTo(self._seat.log):
            return await call_function(lambda: function(**given), is_async=inspect.iscoroutinefunction(function))

    async def listen(self, channel: str, arrived: Callable[[Arrival], Awaitable[bool]]) -> None:
        """Make the connection of one of its channels and hand in what comes, until cancelled or it ends."""
        context: ChannelContext = ChannelSeat(self._seat, channel, arrived)
        with PrintedTo(self._seat.log):
            await self._connections.listen(context)

    async def send(self, channel: str, message: Outgoing) -> str:
        """Send a message; return the platform's id of it."""
        with PrintedTo(self._seat.log):
            return await self._connections.send(channel, message)

    async def typing(self, channel: str, chat: str) -> None:
        """Show in a chat that an answer is on its way."""
        with PrintedTo(self._seat.log):
            await self._connections.typing(channel, chat)

    async def _hook(self, hook: Callable[[PluginContext], object] | None) -> object:
        if hook is None:
            return None
        context: PluginContext = self._seat
        with PrintedTo(self._seat.log):
            return await call_function(lambda: hook(context), is_async=inspect.iscoroutinefunction(hook))


def _settings(plugin: Plugin, values: Mapping[str, object]) -> object:
    if plugin.settings is None:
        if values:
            known = f"config.toml [plugins.{plugin.name}]"
            raise PluginError(known, f"the plugin has no settings, got {', '.join(values)}", "Take them out")
        return None
    try:
        return read_settings(plugin.settings, values, f"config.toml [plugins.{plugin.name}]")
    except SettingsError as error:
        raise PluginError(error.where, error.problem, error.next_step) from error
