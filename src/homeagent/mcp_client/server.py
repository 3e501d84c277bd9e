"""An MCP server among the plugins: its tools are called as theirs are, and when it ends it is started again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from homeagent.builtin.consent import visible
from homeagent.mcp_client.agreeing import agreed_offers, runs_what_was_agreed
from homeagent.mcp_client.connection import Connection
from homeagent.mcp_client.naming import plugin_name, policy_name, wire_names
from homeagent.mcp_client.restarts import Restarts
from homeagent.mcp_client.server_log import ServerLog
from homeagent.plugins import Failure, Manifest, PluginError, ToolDeclaration, guarded
from homeagent_sdk import ArgumentsError, Problem, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from homeagent.config import McpSettings
    from homeagent.mcp_client.metadata import Listing, Offer
    from homeagent.plugins import CallSeat, Consent, HandlerDeclaration
    from homeagent.plugins.runner import Arrived
    from homeagent_sdk import Outgoing, ToolCall, ToolResult

__all__ = ["McpServer"]

Reoffered = Callable[[], Awaitable[None]]
"""Called when a server offers other tools than before."""

_SETTLE_SECONDS: Final = 0.3
_UNREACHED_SECONDS: Final = 30.0
_MOST_SHOWN: Final = 2_000
_log = logging.getLogger("homeagent.mcp")


class McpServer:
    """One server (`homeagent.plugins.PluginRunner`). Make one with `open`."""

    def __init__(self, name: str, settings: McpSettings, consent: Consent, root: Path) -> None:
        self.name = name
        self._settings = settings
        self._consent = consent
        self._root = root
        self._file = ServerLog(root, name)
        self._connection: Connection | None = None
        self._manifest = Manifest(plugin_name(name), "", (), ())
        self._offers: dict[str, Offer] = {}
        self._restarts = Restarts()
        self._stirred = asyncio.Event()
        self._doubted = False
        self._told: set[str] = set()
        self._watching: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, name: str, settings: McpSettings, consent: Consent, root: Path) -> McpServer:
        """Start or reach a server that was agreed to and learn what it offers. Raises `PluginError`."""
        if not runs_what_was_agreed(settings, consent):
            problem = "it is not what was agreed to: its command or address has changed"
            raise PluginError(f"mcp server {name!r}", problem, f"Look and agree: homeagent mcp consent {name}")
        self = cls(name, settings, consent, root)
        self._take(*await Connection.open(name, settings, root, self._file))
        return self

    @property
    def manifest(self) -> Manifest:
        """What it offers now and was agreed to."""
        return self._manifest

    @property
    def available(self) -> bool:
        """Whether it can be called now."""
        return self._connection is not None and self._connection.ended is None

    async def start(self) -> None:
        """Do nothing: it runs since it was opened; `follow` looks after it."""

    def follow(self, reoffered: Reoffered) -> None:
        """From here on start it again when it ends, and call ``reoffered`` when its tools are others."""
        self._watching = asyncio.create_task(self._watch(reoffered))

    async def stop(self) -> None:
        """Close the connection; a program is ended with what it started."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def check(self, call: ToolCall) -> None:
        """Raise ``ArgumentsError`` when a required argument is missing; the rest is checked by the server itself."""
        required = self._offer(call).parameters.get("required")
        names = required if isinstance(required, list) else []
        missing = [Problem(str(name), "is missing", "Give it") for name in names if name not in call.arguments]
        if missing:
            raise ArgumentsError(f"tool {call.tool!r}", missing)

    async def call(self, call: ToolCall, seat: CallSeat) -> ToolResult:
        """Call one of its tools; being cancelled cancels the call on the server."""
        offer = self._offer(call)
        await self._confirmed(offer, call, seat)
        connection = self._connection
        if connection is None:
            raise ToolError("", "the tool's server is not there now", "Try again in some seconds, or do something else")
        with self._quiet(seat.turn.private):
            try:
                return await connection.call(offer.name, call.arguments, seat.progress)
            except (asyncio.CancelledError, ToolError):
                self._doubted = True  # it may hang, or be gone
                self._stirred.set()
                raise
            finally:
                seat.cancelled.set()
                self._tell_of_rubbish(connection)

    async def handle(self, handler: HandlerDeclaration, values: Mapping[str, object]) -> object:
        """Refuse: a server takes part in no stage, whatever the values."""
        problem = f"it takes no part in {handler.stage} ({len(values)} values)"
        raise PluginError(f"mcp server {self.name!r}", problem, "Report this as a bug")

    async def listen(self, channel: str, arrived: Arrived) -> None:  # noqa: ARG002 - the protocol's
        """Refuse: a server has no channels."""
        raise self._no_channel(channel)

    async def send(self, channel: str, message: Outgoing) -> str:  # noqa: ARG002 - the protocol's
        """Refuse: a server has no channels."""
        raise self._no_channel(channel)

    async def typing(self, channel: str, chat: str) -> None:  # noqa: ARG002 - the protocol's
        """Refuse: a server has no channels."""
        raise self._no_channel(channel)

    def _no_channel(self, channel: str) -> PluginError:
        return PluginError(f"mcp server {self.name!r}", f"it has no channel {channel!r}", "Report this as a bug")

    async def _confirmed(self, offer: Offer, call: ToolCall, seat: CallSeat) -> None:
        """Ask the person where the settings, or what the server says of its tool, want it."""
        wanted = self._settings.confirm
        if wanted == "never" or offer.read_only or (wanted == "destructive" and not offer.destructive):
            return
        shown = visible(f"{self.name}: {offer.name} {json.dumps(call.arguments, ensure_ascii=False)}"[:_MOST_SHOWN])
        if not await seat.ask(f"Call this tool of an MCP server? 要调用这个 MCP 服务的工具吗？\n{shown}"):
            raise ToolError("", "the person did not agree to this", "Don't try it another way: ask what they want")

    def _offer(self, call: ToolCall) -> Offer:
        if call.tool not in self._offers:
            raise ToolError("", "the server has no such tool any more", "Use the tools that there are")
        return self._offers[call.tool]

    def _take(self, connection: Connection, listing: Listing) -> None:
        """Go by this connection and what its server offers."""
        offers, off = agreed_offers(self._settings, listing, self._consent)
        if off:
            step = f"Look and agree: homeagent mcp consent {self.name}"
            self._tell(f"these tools are off, they were not agreed to: {', '.join(off)}. {step}")
        if listing.problems:
            self._tell("; ".join(listing.problems))
        wires = wire_names(self.name, [offer.name for offer in offers])
        self._offers = {wires[offer.name]: offer for offer in offers}
        tools = tuple(self._declared(wire, offer, listing.version) for wire, offer in self._offers.items())
        self._manifest = Manifest(plugin_name(self.name), listing.version, tools, ())
        self._connection = connection
        connection.stir = self._stirred.set
        if connection.ended is not None:
            self._stirred.set()
        self._tell_of_rubbish(connection)

    def _declared(self, wire: str, offer: Offer, version: str) -> ToolDeclaration:
        return ToolDeclaration(
            wire,
            offer.description,
            offer.parameters,
            offer.policy,
            returns_memory=False,
            parallel=offer.read_only,
            timeout=self._settings.timeout,
            plugin=plugin_name(self.name),
            plugin_version=version,
            kept_as=policy_name(self.name, offer.name),
        )

    async def _watch(self, reoffered: Reoffered) -> None:
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            connection, doubted, self._doubted = self._connection, self._doubted, False
            if connection is None:
                return
            if doubted and connection.ended is None and not await connection.answers():
                connection.break_off("it did not answer any more")
            before = self._manifest
            if connection.ended is not None:
                if not await self._again(connection):
                    return
            elif connection.changed:
                await asyncio.sleep(_SETTLE_SECONDS)  # several may change at once
                await self._reread(connection)
            if self._manifest != before:
                await reoffered()

    async def _reread(self, connection: Connection) -> None:
        outcome = await guarded(connection.listing(), self._settings.timeout)
        if isinstance(outcome, Failure):
            connection.break_off(f"it did not say what it offers now ({outcome.message})")
        else:
            self._take(connection, outcome)

    async def _again(self, ended: Connection) -> bool:
        """Whether a server that ended is there again; one that ends too often is left alone."""
        told = ended.ended or "it ended"
        while True:
            await ended.close()
            pause = self._restarts.pause(time.monotonic())
            if pause is not None:
                _log.warning("mcp server %r: %s; its tools are back in %g s", self.name, told, pause)
            elif not self._settings.url:
                _log.error("mcp server %r is off until the next start: %s; see %s", self.name, told, self._file.path)
                return False
            await asyncio.sleep(_UNREACHED_SECONDS if pause is None else pause)
            try:
                self._take(*await Connection.open(self.name, self._settings, self._root, self._file))
            except PluginError as error:
                told = error.problem
            else:
                _log.info("mcp server %r is back", self.name)
                return True

    def _tell(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            _log.warning("mcp server %r: %s", self.name, sentence)

    def _tell_of_rubbish(self, connection: Connection) -> None:
        if connection.rubbish:
            self._tell(f"it prints lines that are no messages; they are in {self._file.path}")

    @contextlib.contextmanager
    def _quiet(self, private: bool) -> Iterator[None]:
        self._file.private += private
        try:
            yield
        finally:
            self._file.private -= private
