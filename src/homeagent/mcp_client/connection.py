"""One connection to an MCP server, held open by a task of its own; calls may come from any other."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import math
import os
from typing import TYPE_CHECKING, Final, cast

from homeagent import __version__
from homeagent.mcp_client.address import Address
from homeagent.mcp_client.metadata import Listing, read_listing
from homeagent.mcp_client.pipe import Pipe
from homeagent.mcp_client.program import headers_of, program_of
from homeagent.mcp_client.results import result_of
from homeagent.mcp_client.sieve import Sieve, Sieved
from homeagent.plugins import Failure, PluginError, guarded
from homeagent_sdk import ToolError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from mcp.client import Client, IncomingMessage, Transport

    from homeagent.config import McpSettings
    from homeagent.mcp_client.server_log import ServerLog
    from homeagent_sdk import ToolResult

__all__ = ["START_SECONDS", "Connection"]

START_SECONDS: Final = 60.0
"""How long a server may take until it has said what it offers: its packages may have to be fetched first."""

_MOST_PAGES: Final = 64
_PROBE_SECONDS: Final = 10.0
_CLOSE_SECONDS: Final = 10.0
_LISTEN_AGAIN_SECONDS: Final = 5.0
_LONGEST_MESSAGE: Final = 2_000
_LONGEST_PROGRESS: Final = 500
_CLOSED: Final = -32000


class Connection:
    """A server that answers. Make one with `open`; ``stir`` is called when it has ended or its tools have changed.

    ``ended`` is why it ended, None while it has not; ``changed`` says that its tools are to be listed again.
    """

    def __init__(self, name: str, settings: McpSettings, root: Path, log: ServerLog) -> None:
        self.ended: str | None = None
        self.changed = False
        self.stir: Callable[[], None] = lambda: None
        self.log = log
        self._name = name
        self._settings = settings
        self._root = root
        self._sieve = Sieve()
        self._client: Client | None = None
        self._closing = asyncio.Event()
        self._open = asyncio.Event()
        self._pipe: Pipe | None = None
        self._address: Address | None = None
        self._holding: asyncio.Task[None] | None = None
        self._failure: Failure | None = None

    @classmethod
    async def open(cls, name: str, settings: McpSettings, root: Path, log: ServerLog) -> tuple[Connection, Listing]:
        """Start or reach the server and ask what it offers. Raises `PluginError`; then nothing of it is left."""
        await asyncio.to_thread(_load_library)
        self = cls(name, settings, root, log)
        outcome = await self._tried("legacy")
        if not isinstance(outcome, Failure):
            return self, outcome
        failure = self._not_started(outcome)
        if not _is_refusal(outcome.error):
            raise failure
        self = cls(name, settings, root, log)  # newer servers may not know the older way to begin
        outcome = await self._tried("auto")
        if not isinstance(outcome, Failure):
            return self, outcome
        raise failure

    async def _tried(self, mode: str) -> Listing | Failure:
        try:
            outcome = await guarded(self._opened(mode), START_SECONDS)
        except BaseException:
            await self.close()
            raise
        if isinstance(outcome, Failure):
            await self.close()
        return outcome

    async def _opened(self, mode: str) -> Listing:
        self._holding = asyncio.create_task(self._hold(mode))
        opening = asyncio.create_task(self._open.wait())
        try:
            await asyncio.wait({self._holding, opening}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opening.cancel()
        if self._failure is not None and self._failure.error is not None:
            raise self._failure.error
        return await self.listing()

    def _not_started(self, failure: Failure) -> PluginError:
        error = _first(failure.error)
        if isinstance(error, PluginError):
            return error
        told = _told(error) if error is not None else failure.message
        if self._pipe is not None:
            ending = self._pipe.ending if self._pipe.reason or _is_closed(error) else told
            problem, step = f"it did not start ({ending})", f"See {self.log.path}, or start it by hand to see why"
        else:
            refused = self._address.refused if self._address is not None else 0
            problem = f"it can't be reached ({f'HTTP status {refused}' if refused else told})"
            step = "Look at its address and key, and whether it runs"
        return PluginError(f"mcp server {self._name!r}", problem, step)

    async def _hold(self, mode: str) -> None:
        """Keep the connection until it is to be closed or ends by itself."""
        outcome = await guarded(self._held(mode), math.inf)
        self._client = None
        if isinstance(outcome, Failure):
            self._failure = outcome
            self._end(_told(_first(outcome.error) or Exception(outcome.message)))
        self._end("")

    async def _held(self, mode: str) -> None:
        from mcp.client import Client
        from mcp.types import Implementation

        about = Implementation(name="homeagent", version=__version__)
        transport = cast("Transport", self._transport())
        made = Client(transport, mode=mode, client_info=about, message_handler=self._heard, cache=None)
        async with made as client:
            self._client = client
            self._open.set()
            listening = asyncio.create_task(self._listen(client))
            try:
                await self._closing.wait()
            finally:
                listening.cancel()
                await asyncio.wait({listening})

    @contextlib.asynccontextmanager
    async def _transport(self) -> AsyncIterator[tuple[Sieved, object]]:
        settings = self._settings
        if settings.url:
            self._address = Address(settings.url, headers_of(self._name, settings, os.environ))
            async with self._address as (incoming, outgoing):
                yield Sieved(incoming, self._sieve, self._end), outgoing
            return
        program = await asyncio.to_thread(program_of, self._name, settings, self._root, os.environ)
        self._pipe = pipe = Pipe(program, self.log, self._sieve)
        async with pipe as (lines, inlet):
            yield Sieved(lines, self._sieve, lambda reason: self._end(reason or pipe.ending)), inlet

    def _end(self, reason: str) -> None:
        if self.ended is None:
            self.ended = reason or "the connection is closed"
            self._closing.set()
            self.stir()

    async def _heard(self, message: IncomingMessage) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self.changed = True
            self.stir()

    async def _listen(self, client: Client) -> None:
        """Be told of changed tools where the protocol has it that one asks for it."""
        from mcp.types.version import MODERN_PROTOCOL_VERSIONS

        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return

        async def listen() -> None:
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    self.changed = True
                    self.stir()

        while not isinstance(outcome := await guarded(listen(), math.inf), Failure) or not _is_refusal(outcome.error):
            await asyncio.sleep(_LISTEN_AGAIN_SECONDS)

    async def close(self) -> None:
        """Close it; whatever the server does, nothing of it is left afterwards."""
        self._closing.set()
        if self._holding is None:
            return
        if self._open.is_set():
            await asyncio.wait({self._holding}, timeout=_CLOSE_SECONDS)
        elif self._pipe is not None and self.ended is None:
            self._pipe.end("it did not answer")  # it is still waited for, so it would not be told to end
        self._holding.cancel()
        await asyncio.wait({self._holding}, timeout=_CLOSE_SECONDS)

    def break_off(self, reason: str) -> None:
        """End it because it does not answer."""
        if self._pipe is not None:
            self._pipe.end(reason)
        self._end(reason)

    async def listing(self) -> Listing:
        """Ask what the server offers. Raises what the library raises; `PluginError` for a listing without an end."""
        from mcp.types import PaginatedRequestParams

        client = self._running()
        self._sieve.problems.clear()
        self.changed = False
        tools: list[Mapping[str, object]] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(_MOST_PAGES):
            page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                about = client.server_info
                version = about.version[:40] if about is not None else ""
                return await asyncio.to_thread(read_listing, version, tools, tuple(self._sieve.problems))
            if cursor in seen:
                break
            seen.add(cursor)
        raise PluginError(f"mcp server {self._name!r}", "its list of tools has no end", "Tell its author")

    async def answers(self) -> bool:
        """Whether it still answers within seconds; a listing is what every server has to answer."""
        client = self._client
        if client is None:
            return False
        return not isinstance(await guarded(client.session.list_tools(), _PROBE_SECONDS), Failure)

    async def call(self, tool: str, arguments: Mapping[str, object], show: Callable[[str], None]) -> ToolResult:
        """Call a tool. Raises ``ToolError`` for what the server or the protocol refuses."""
        from mcp import MCPError

        async def told(progress: float, total: float | None, message: str | None) -> None:
            show((message or (f"{progress:g} / {total:g}" if total else f"{progress:g}"))[:_LONGEST_PROGRESS])

        client = self._running()
        try:
            result = await client.call_tool(tool, dict(arguments), progress_callback=told)
        except MCPError as error:
            if _is_closed(error):
                raise _gone(self.ended) from None
            raise ToolError("", f"its server says: {_told(error)}", "Mend the call, or do something else") from None
        except (OSError, RuntimeError, ValueError) as error:
            problem = f"what the server returned can't be used ({_told(error)})"
            raise ToolError("", problem, "Try another way, or tell the person") from None
        return await asyncio.to_thread(result_of, result)

    @property
    def rubbish(self) -> int:
        """How many lines came that were no messages."""
        return self._pipe.rubbish if self._pipe is not None else 0

    def _running(self) -> Client:
        if self._client is None or self.ended is not None:
            raise _gone(self.ended)
        return self._client


def _load_library() -> None:
    """Import the library off the loop, since it takes most of a second, and keep its own words out of the log."""
    importlib.import_module("mcp.client")
    for name in ("client", "mcp.client", "mcp.shared"):
        logger = logging.getLogger(name)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def _gone(reason: str | None) -> ToolError:
    told = f" ({reason})" if reason else ""
    return ToolError("", f"the tool's server is not there now{told}", "Try again in some seconds, or do something else")


def _first(error: BaseException | None) -> BaseException | None:
    """Return the first error of a group of them, which is how the library's tasks fail."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _told(error: BaseException) -> str:
    return " ".join(str(error).split())[:_LONGEST_MESSAGE] or type(error).__name__


def _is_closed(error: BaseException | None) -> bool:
    return getattr(_first(error), "code", None) == _CLOSED


def _is_refusal(error: BaseException | None) -> bool:
    """Whether the server answered, and the answer was no."""
    code = getattr(_first(error), "code", None)
    return isinstance(code, int) and code != _CLOSED
