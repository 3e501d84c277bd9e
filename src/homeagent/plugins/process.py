"""One process of a plugin: started with a socket and a log, asked things, and killed when it does not answer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from typing import TYPE_CHECKING, Final

from homeagent.plugins.boundary import PluginError
from homeagent.plugins.forwarding import Forwarder
from homeagent.plugins.way_out import WayOut
from homeagent_sdk.peer import ClosedError, Peer
from homeagent_sdk.wire_values import WireError

if TYPE_CHECKING:
    from homeagent.plugins.environment import Runtime
    from homeagent.plugins.plugin_log import PluginLog
    from homeagent_sdk.peer import Endpoint

__all__ = ["PluginProcess"]

_PING_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 5.0
_STUCK_SECONDS: Final = 4.0
_LOOK_SECONDS: Final = 0.1
_REST_SECONDS: Final = 1.0


class PluginProcess:
    """A running process. Make one with `start`; whatever happens, `ended` says so and nothing of it is left."""

    def __init__(self, process: asyncio.subprocess.Process, peer: Peer, log: PluginLog, way_out: WayOut | None) -> None:
        self._process = process
        self.peer = peer
        self.stuck = False
        """Whether it was killed because a call would not stop."""
        self._tasks = [asyncio.ensure_future(self._listen()), asyncio.ensure_future(self._ping())]
        if process.stdout is not None:
            self._tasks.append(asyncio.ensure_future(log.read(process.stdout)))
        if way_out is not None:
            self._tasks.append(asyncio.ensure_future(way_out.run()))
        self._watcher: asyncio.Future[None] | None = None

    @classmethod
    async def start(cls, runtime: Runtime, endpoint: Endpoint, log: PluginLog) -> PluginProcess:
        """Start a process that speaks to ``endpoint``. Raises `PluginError` when it can't be started."""
        ours, theirs = socket.socketpair()
        way_out = None if runtime.has_whole_network else WayOut(Forwarder(log.plugin, runtime.permissions))
        try:
            process = await _started(runtime, theirs, way_out)
        except OSError as error:
            ours.close()
            if way_out is not None:
                way_out.close()
            step = "Put the plugin in again: homeagent plugin install PATH"
            raise PluginError(runtime.python[0], f"can't be started ({error.strerror})", step) from error
        finally:
            theirs.close()
        if way_out is not None:
            way_out.given()
        reader, writer = await asyncio.open_connection(sock=ours)
        return cls(process, Peer(reader, writer, endpoint), log, way_out)

    async def ended(self) -> int:
        """Wait for its end; return its exit code, negative for a signal."""
        code = await self._process.wait()
        self.kill()  # what it started itself
        listening, pinging, *others = self._tasks
        pinging.cancel()
        await asyncio.wait({listening, *others[:1]}, timeout=_REST_SECONDS)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return code

    async def stop(self) -> None:
        """Close the stream, which ends a good process, and kill what is left after 5 seconds."""
        self._tasks[0].cancel()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _STOP_SECONDS)
        self.kill()
        await self.ended()

    def kill(self) -> None:
        """End the process and what it started, at once; harmless when it has ended."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def see_that_it_stops(self) -> None:
        """Kill the process unless what was cancelled ends within seconds: a thread can't be stopped otherwise."""
        if self._watcher is None or self._watcher.done():
            self._watcher = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        limit = loop.time() + _STUCK_SECONDS
        while self.peer.stopping:
            if loop.time() > limit:
                self.stuck = True
                self.kill()
                return
            await asyncio.sleep(_LOOK_SECONDS)

    async def _listen(self) -> None:
        try:
            await self.peer.run()
        except WireError:
            self.kill()  # it sends what is no message: nothing it says can be relied on
            raise

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(_PING_SECONDS)
            try:
                await asyncio.wait_for(self.peer.request("ping"), _PING_SECONDS)
            except ClosedError:
                return
            except TimeoutError:
                self.kill()
                return


async def _started(runtime: Runtime, stream: socket.socket, way_out: WayOut | None) -> asyncio.subprocess.Process:
    passed = (stream.fileno(), way_out.descriptor) if way_out else (stream.fileno(),)
    return await asyncio.create_subprocess_exec(
        *(*runtime.python, "-m", "homeagent_sdk.plugin_worker"),
        *(str(stream.fileno()), runtime.entry, str(runtime.folder)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        pass_fds=passed,
        env={**runtime.variables, **(way_out.variables if way_out else {})},
        cwd=runtime.folder,
        start_new_session=True,  # Ctrl+C is for us; what it starts can be ended with it
    )
