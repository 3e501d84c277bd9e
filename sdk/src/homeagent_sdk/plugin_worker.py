"""``python -m homeagent_sdk.plugin_worker FD MODULE:NAME FOLDER``: one plugin in a process of its own.

Speaks over the inherited socket ``FD`` (see ``wire`` and ``peer``) until it ends. ``FOLDER`` holds the plugin's files,
``NAME`` is the ``Plugin`` in its module. What the plugin prints goes where standard output and error lead.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import importlib
import inspect
import logging
import os
import socket
import sys
import threading
from typing import TYPE_CHECKING, Final

from homeagent_sdk.calling import call_function, call_tool
from homeagent_sdk.channels import Outgoing
from homeagent_sdk.connections import Connections
from homeagent_sdk.convert import convert_arguments
from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.peer import Peer
from homeagent_sdk.plugin import Plugin
from homeagent_sdk.settings import read_settings
from homeagent_sdk.stage_data import ToolCall, TurnInfo
from homeagent_sdk.wire_values import WireError
from homeagent_sdk.worker_context import WorkerCallContext, WorkerCallSeat, WorkerChannelContext, WorkerContext

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from homeagent_sdk.context import PluginContext, ToolContext
    from homeagent_sdk.policy import MemoryPolicy
    from homeagent_sdk.tools import AnyTool

__all__ = ["PluginEnd", "declaration_of", "main", "serve"]

_LOOK_SECONDS: Final = 0.05
_USAGE: Final = "usage: python -m homeagent_sdk.plugin_worker FD MODULE:NAME FOLDER"


class PluginEnd:
    """The plugin's end of the stream: does what the core asks."""

    def __init__(self, entry: str) -> None:
        self._entry = entry
        self._peer: Peer | None = None
        self._loop = asyncio.get_running_loop()
        self._plugin: Plugin | None = None
        self._context = WorkerContext("", self)
        self._connections = Connections(())
        self._threads = 0

    def joined(self, peer: Peer) -> None:
        """Speak through this peer from now on."""
        self._peer = peer

    async def answer(self, method: str, values: Mapping[str, object]) -> object:
        """Do what the core asks."""
        match method, values:
            case "ping", _:
                return None
            case "hello", _:
                return self._hello()
            case "start", {"settings": dict(settings), "folder": str(folder), "where": str(where)}:
                await self._start(settings, folder, where)
                return None
            case "settings", {"settings": dict(settings), "where": str(where)}:
                self._settings(settings, where)
                return None
            case "stop", _:
                await self._hook(self._ready().on_stop)
                return None
            case "check", {"call": ToolCall() as call}:
                self._arguments(call)
                return None
            case "call", {"call": ToolCall() as call, "turn": TurnInfo() as turn, "seat": int(seat)}:
                return await self._call(call, turn, seat)
            case "handle", {"place": int(place), "values": dict(given)}:
                return await self._handle(place, given)
            case "listen", {"channel": str(channel)}:
                await self._connections.listen(WorkerChannelContext(self._context, channel))
                return None
            case "send", {"channel": str(channel), "message": Outgoing() as message}:
                return await self._connections.send(channel, message)
            case "typing", {"channel": str(channel), "chat": str(chat)}:
                await self._connections.typing(channel, chat)
                return None
        raise WireError("request", f"{method} is none that is known", "Use an SDK of the same version")

    def told(self, method: str, values: Mapping[str, object]) -> None:
        """Nothing is told to a plugin."""

    def request(self, method: str, /, **values: object) -> Awaitable[object]:
        """Ask the core."""
        return self._other().request(method, **values)

    def tell(self, method: str, /, **values: object) -> None:
        """Tell the core."""
        self._other().tell(method, **values)

    def call_soon(self, method: str, /, **values: object) -> None:
        """Tell the core from any thread, before the reply of the call that does so."""
        if threading.current_thread() is threading.main_thread():
            self.tell(method, **values)
            return
        self._loop.call_soon_threadsafe(lambda: self.tell(method, **values))

    def _hello(self) -> dict[str, object]:
        module, _, name = self._entry.partition(":")
        found: object = getattr(importlib.import_module(module), name, None)
        if not isinstance(found, Plugin):
            fix = f"Write {name} = Plugin(...) at its top level"
            raise DeclarationError(module, f"it has no Plugin called {name!r}", fix)
        self._plugin = found
        for own in (found.name, module.partition(".")[0]):  # libraries tell too much: addresses with keys in them
            logging.getLogger(own).setLevel(logging.INFO)
        self._connections = Connections(found.channels)
        self._context.plugin = found.name
        return declaration_of(found)

    async def _start(self, settings: dict[str, object], folder: str, where: str) -> None:
        self._context.folder = folder
        self._context.values = self._settings(settings, where)
        self._context.kept = await self._hook(self._ready().on_start)

    def _settings(self, settings: dict[str, object], where: str) -> object:
        plugin = self._ready()
        if plugin.settings is not None:
            return read_settings(plugin.settings, settings, where)
        if settings:
            raise DeclarationError(where, f"the plugin has no settings, got {', '.join(settings)}", "Take them out")
        return None

    async def _call(self, call: ToolCall, turn: TurnInfo, seat: int) -> object:
        tool, arguments = self._arguments(call)
        cancelled = threading.Event()
        context: ToolContext = WorkerCallContext(self._context, WorkerCallSeat(seat, call.call_id, turn, cancelled))
        self._threads += not tool.is_async
        try:
            return await call_tool(tool, context, arguments)
        except asyncio.CancelledError:
            cancelled.set()
            if not tool.is_async:
                await self._threads_ended()
            raise
        finally:
            cancelled.set()
            self._threads -= not tool.is_async

    async def _handle(self, place: int, given: dict[str, object]) -> object:
        handler = tuple(self._ready().stages)[place]
        context: PluginContext = self._context
        known = {**given, "context": context}
        taken = {name: known[name] for name in handler.takes}
        function = handler.function
        return await call_function(lambda: function(**taken), is_async=inspect.iscoroutinefunction(function))

    async def _hook(self, hook: Callable[[PluginContext], object] | None) -> object:
        if hook is None:
            return None
        context: PluginContext = self._context
        return await call_function(lambda: hook(context), is_async=inspect.iscoroutinefunction(hook))

    async def _threads_ended(self) -> None:
        """Wait for threads of calls that nobody waits for any more: while one runs, the call has not been stopped."""
        while sum(thread.name == "plugin" for thread in threading.enumerate()) >= self._threads:
            await asyncio.sleep(_LOOK_SECONDS)

    def _arguments(self, call: ToolCall) -> tuple[AnyTool, Mapping[str, object]]:
        tool = next((each for each in self._ready().tools if each.name == call.tool), None)
        if tool is None:
            raise WireError(call.tool, "there is no such tool", "Ask for one that is declared")
        return tool, convert_arguments(tool, call.arguments)

    def _ready(self) -> Plugin:
        if self._plugin is None:
            raise WireError("request", "nobody said hello", "Say hello first")
        return self._plugin

    def _other(self) -> Peer:
        if self._peer is None:
            raise WireError("request", "nobody is there", "Join a peer first")
        return self._peer


def declaration_of(plugin: Plugin) -> dict[str, object]:
    """Return what a plugin declares as plain values."""
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "policy": _policy(tool.policy),
            "returns_memory": tool.returns_memory,
            "parallel": tool.parallel,
            "timeout": tool.timeout,
        }
        for tool in plugin.tools
    ]
    handlers = [
        {"stage": each.stage, "verb": each.verb, "name": each.name, "takes": list(each.takes)} for each in plugin.stages
    ]
    channels = [
        {
            "name": each.name,
            "can": dataclasses.asdict(each.can),
            "input": _policy(each.input),
            "output": _policy(each.output),
        }
        for each in plugin.channels
    ]
    named = {"name": plugin.name, "version": plugin.version}
    return {**named, "tools": tools, "handlers": handlers, "channels": channels}


def _policy(policy: MemoryPolicy) -> dict[str, object]:
    stages = policy.cleaner.stages if policy.cleaner else ()
    return {
        "no_memory": policy.no_memory,
        "cleaner": [[stage.spec, stage.identity, stage.is_json] for stage in stages] or None,
    }


async def serve(connection: socket.socket, entry: str) -> None:
    """Answer the core until the stream ends."""
    reader, writer = await asyncio.open_connection(sock=connection)
    end = PluginEnd(entry)
    peer = Peer(reader, writer, end)
    end.joined(peer)
    await peer.run()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code."""
    match sys.argv[1:] if arguments is None else arguments:
        case [number, entry, folder] if number.isascii() and number.isdigit() and ":" in entry:
            pass
        case _:
            print(_USAGE, file=sys.stderr)  # noqa: T201
            return 2
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    sys.path.append(folder)  # at the end: a plugin must not shadow the standard library
    connection = socket.socket(fileno=int(number))
    connection.set_inheritable(False)
    with contextlib.suppress(KeyboardInterrupt, WireError):
        asyncio.run(serve(connection, entry))
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # threads of the plugin that still run keep no process alive
