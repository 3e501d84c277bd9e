"""A plugin that runs in its own process and environment. When the process dies it is started again, three times."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import TYPE_CHECKING, Final

from homeagent.plugins.boundary import Failure, PluginError, guarded
from homeagent.plugins.core_end import CoreEnd
from homeagent.plugins.host import PluginSeat
from homeagent.plugins.plugin_log import PluginLog
from homeagent.plugins.process import PluginProcess
from homeagent.plugins.received import read_declaration
from homeagent_sdk import SdkError, ToolError, ToolResult
from homeagent_sdk.peer import ClosedError
from homeagent_sdk.wire_values import WireError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping
    from pathlib import Path

    from homeagent.plugins.declaration import HandlerDeclaration, Manifest
    from homeagent.plugins.environment import Runtime
    from homeagent.plugins.host import CallSeat, Host
    from homeagent_sdk import Arrival, Outgoing, ToolCall

__all__ = ["OutOfProcess"]

_PAUSES: Final = (1.0, 2.0, 4.0)
_START_SECONDS: Final = 25.0
_CRASHES: Final = 3
_RETIRE_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.05
_CRASH_SECONDS: Final = 300.0
_log = logging.getLogger("homeagent.plugins")


class OutOfProcess:
    """One plugin in its own process (`homeagent.plugins.PluginRunner`). Make one with `open`."""

    def __init__(self, name: str, runtime: Runtime, host: Host, settings: Mapping[str, object]) -> None:
        self._name = name
        self._runtime = runtime
        self._settings = dict(settings)
        self._seat = PluginSeat(name, host, None)
        self._end = CoreEnd(self._seat)
        self._file = PluginLog(host.folder.parent, name)
        self._process: PluginProcess | None = None
        self._manifest: Manifest | None = None
        self._guard: asyncio.Task[None] | None = None
        self._crashes: list[float] = []
        self._begun = False

    @classmethod
    async def open(cls, name: str, runtime: Runtime, host: Host, settings: Mapping[str, object]) -> OutOfProcess:
        """Start the process and learn what the plugin declares. Raises `PluginError`; then no process is left.

        Its ``on_start`` is not called yet: that is `begin`, then `start`.
        """
        self = cls(name, runtime, host, settings)
        self._process, self._manifest = await self._launched()
        return self

    @property
    def manifest(self) -> Manifest:
        """What the plugin declares."""
        if self._manifest is None:
            raise PluginError(f"plugin {self._name!r}", "it is not open", "Open it first")
        return self._manifest

    @property
    def available(self) -> bool:
        """Whether its process is there now."""
        return self._process is not None

    @property
    def log_file(self) -> Path:
        """Where what it prints goes."""
        return self._file.path

    async def accept(self, settings: Mapping[str, object]) -> None:
        """See whether it can be started with these settings, which it is not. Raises `PluginError` naming the key."""
        asked = self._running().peer.request("settings", settings=dict(settings), where=self._where)
        outcome = await guarded(asked, _START_SECONDS)
        if isinstance(outcome, Failure):
            raise self._refusal(outcome, "its settings can't be read")

    async def begin(self) -> None:
        """Call ``on_start`` with the settings. Raises `PluginError` when it fails; then the process is ended."""
        process = self._running()
        outcome = await guarded(self._start(process), _START_SECONDS)
        if not isinstance(outcome, Failure):
            self._begun = True
            return
        await self.stop()
        raise self._refusal(outcome, "it did not start")

    async def start(self) -> None:
        """From here on a process that dies is started again."""
        self._guard = asyncio.create_task(self._keep_running(self._running()))

    async def retire(self) -> None:
        """Stop it when the calls under way have ended, after 5 seconds at the latest."""
        limit = time.monotonic() + _RETIRE_SECONDS
        while self._end.busy and time.monotonic() < limit:
            await asyncio.sleep(_LOOK_SECONDS)
        await self.stop()

    async def stop(self) -> None:
        """Call ``on_stop`` and end the process."""
        process, self._process = self._process, None
        if self._guard is not None:
            self._guard.cancel()
            await asyncio.wait({self._guard})
        if process is None:
            return
        try:
            if not self._begun:
                return
            outcome = await guarded(process.peer.request("stop"), _START_SECONDS)
            if isinstance(outcome, Failure) and not isinstance(outcome.error, ClosedError):
                _log.warning("plugin %r did not stop properly: %s", self._name, outcome.message)
        finally:
            await process.stop()

    async def check(self, call: ToolCall) -> None:
        """Raise ``ArgumentsError`` when the arguments of a call don't fit."""
        process = self._running()
        try:
            await process.peer.request("check", call=call)
        except asyncio.CancelledError:
            process.see_that_it_stops()
            raise
        except ClosedError:
            raise _gone() from None

    async def call(self, call: ToolCall, seat: CallSeat) -> ToolResult:
        """Run one of its tools."""
        process = self._running()
        with self._end.seated(seat, call.call_id) as number, self._quiet(seat.turn.private):
            try:
                result = await process.peer.request("call", call=call, turn=seat.turn, seat=number)
            except asyncio.CancelledError:
                process.see_that_it_stops()
                raise
            except ClosedError:
                raise _gone() from None
            finally:
                seat.cancelled.set()
        if not isinstance(result, ToolResult):
            raise WireError(call.tool, "what came back is no result", "Use the SDK of this installation")
        return result

    async def handle(self, handler: HandlerDeclaration, values: Mapping[str, object]) -> object:
        """Call one of its stage handlers."""
        process = self._running()
        wanted = {name: value for name, value in values.items() if name in handler.takes}
        private = bool(getattr(values.get("turn"), "private", False))
        with self._quiet(private):
            try:
                return await process.peer.request("handle", place=handler.place, values=wanted)
            except asyncio.CancelledError:
                process.see_that_it_stops()
                raise

    async def listen(self, channel: str, arrived: Callable[[Arrival], Awaitable[bool]]) -> None:
        """Make the connection of one of its channels and hand in what comes, until cancelled or it ends."""
        process = self._running()
        with self._end.listening(channel, arrived):
            try:
                await process.peer.request("listen", channel=channel)
            except asyncio.CancelledError:
                process.see_that_it_stops()
                raise

    async def send(self, channel: str, message: Outgoing) -> str:
        """Send a message; return the platform's id of it."""
        return str(await self._running().peer.request("send", channel=channel, message=message))

    async def typing(self, channel: str, chat: str) -> None:
        """Show in a chat that an answer is on its way."""
        await self._running().peer.request("typing", channel=channel, chat=chat)

    async def _launched(self) -> tuple[PluginProcess, Manifest]:
        process = await PluginProcess.start(self._runtime, self._end, self._file)
        try:
            said = await guarded(process.peer.request("hello"), _START_SECONDS)
            if isinstance(said, Failure):
                trace = "\n".join(getattr(said.error, "__notes__", ())) or said.message
                self._file.write(f"{trace}\n".encode("utf-8", "backslashreplace"))
                raise PluginError(
                    f"plugin {self._name!r}", f"it can't be loaded ({said.message})", f"See {self._file.path}"
                ) from said.error
            return process, read_declaration(said, self._name)
        except BaseException:
            await process.stop()
            raise

    async def _start(self, process: PluginProcess) -> None:
        folder = str(self._seat.data_folder)
        await process.peer.request("start", settings=self._settings, folder=folder, where=self._where)

    @property
    def _where(self) -> str:
        return f"config.toml [plugins.{self._name}]"

    def _refusal(self, outcome: Failure, what: str) -> PluginError:
        error = outcome.error
        if isinstance(error, SdkError):
            found = PluginError(error.where, error.problem, error.next_step)
        else:
            step = f"See {self._file.path}, or turn it off: homeagent plugin disable {self._name}"
            found = PluginError(f"plugin {self._name!r}", f"{what} ({outcome.message})", step)
        found.__cause__ = error
        return found

    async def _keep_running(self, process: PluginProcess) -> None:
        while True:
            code = await process.ended()
            self._process = None
            again = await self._restarted(code, stuck=process.stuck)
            if again is None:
                return
            self._process = process = again

    async def _restarted(self, code: int, *, stuck: bool) -> PluginProcess | None:
        """Return a new process for one that ended, or None when it ends too often."""
        told = "a call would not stop, so it was stopped" if stuck else f"its process ended ({_ending(code)})"
        while True:
            now = time.monotonic()
            self._crashes = [at for at in self._crashes if now - at < _CRASH_SECONDS]
            pause = 0.0
            if not stuck:
                self._crashes.append(now)
                if len(self._crashes) > _CRASHES:
                    _log.error("plugin %r is off until the next start: %s; see %s", self._name, told, self._file.path)
                    return None
                pause = _PAUSES[len(self._crashes) - 1]
            _log.warning("plugin %r: %s; its tools are back in %g s", self._name, told, pause)
            await asyncio.sleep(pause)
            outcome = await guarded(self._again(), _START_SECONDS)
            if not isinstance(outcome, Failure):
                return outcome
            told, stuck = f"it did not start again ({outcome.message})", False

    async def _again(self) -> PluginProcess:
        process, manifest = await self._launched()
        try:
            if manifest != self._manifest:
                problem = "its files changed while it ran"
                raise PluginError(f"plugin {self._name!r}", problem, "Start the program again")
            await self._start(process)
        except BaseException:
            await process.stop()
            raise
        return process

    def _running(self) -> PluginProcess:
        if self._process is None:
            raise _gone()
        return self._process

    @contextlib.contextmanager
    def _quiet(self, private: bool) -> Iterator[None]:
        self._file.private += private
        try:
            yield
        finally:
            self._file.private -= private


def _gone() -> ToolError:
    return ToolError("", "the plugin's process has ended", "Try again in some seconds, or do something else")


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
