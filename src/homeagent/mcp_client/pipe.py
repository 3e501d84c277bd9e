"""A server that is a program: messages go by its standard input and output, one a line, what else it prints to its log.

The library's own transport takes lines of any length and leaves what the program writes to standard error on the
person's screen; this one does neither, and nothing of the program is left when it is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from typing import TYPE_CHECKING, Final, Self

from homeagent.mcp_client.sieve import LARGEST_MESSAGE
from homeagent.plugins import PluginError

if TYPE_CHECKING:
    from types import TracebackType

    from mcp.shared.message import SessionMessage

    from homeagent.mcp_client.program import Program
    from homeagent.mcp_client.server_log import ServerLog
    from homeagent.mcp_client.sieve import Sieve

__all__ = ["Pipe"]

_PIECE: Final = 64 * 1024
_PATIENCE_SECONDS: Final = 2.0
_REST_SECONDS: Final = 0.5
_LOOK_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.02


class Pipe:
    """A running program as a transport of the library. ``reason`` says why it was ended, where it did not do so itself.

    ``rubbish`` counts the lines that were no messages.
    """

    def __init__(self, program: Program, log: ServerLog, sieve: Sieve) -> None:
        self.reason = ""
        self.rubbish = 0
        self._program = program
        self._log = log
        self._sieve = sieve
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> tuple[_Lines, _Input]:
        program = self._program
        try:
            process = await asyncio.create_subprocess_exec(
                *program.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=program.variables,
                cwd=program.folder,
                start_new_session=True,  # Ctrl+C is for us; what it starts can be ended with it
            )
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) else error
            raise PluginError(
                program.command[0], f"can't be started ({told})", "Check command and cwd, or install the program"
            ) from error
        self._process = process
        inlet, outlet, errors = process.stdin, process.stdout, process.stderr
        if inlet is None or outlet is None or errors is None:
            raise PluginError(program.command[0], "it has no pipes", "Report this as a bug")
        self._tasks = [asyncio.create_task(self._log.read(errors)), asyncio.create_task(self._watch(process))]
        return _Lines(self, outlet), _Input(self, inlet)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()  # which ends a good one
        try:
            if not await self._gone(_PATIENCE_SECONDS):
                self._signal(signal.SIGTERM)
                await self._gone(_PATIENCE_SECONDS)
        finally:
            self._signal(signal.SIGKILL)  # it, and what it started
        await self._gone(_PATIENCE_SECONDS)
        await asyncio.wait(self._tasks[:1], timeout=_REST_SECONDS)
        for task in self._tasks:
            task.cancel()
        transport = getattr(process, "_transport", None)  # what closes the pipes; asyncio shows it to nobody
        if isinstance(transport, asyncio.SubprocessTransport):
            transport.close()

    @property
    def ending(self) -> str:
        """Why there is nothing more to read."""
        if self.reason:
            return self.reason
        code = self._process.returncode if self._process is not None else None
        if code is None:
            return "it closed its output"
        return f"its process ended ({f'signal {-code}' if code < 0 else f'exit code {code}'})"

    def end(self, reason: str) -> None:
        """End the program at once."""
        self.reason = self.reason or reason
        self._signal(signal.SIGKILL)

    def no_message(self, line: bytes) -> None:
        """Keep a line that is no message where the program's other words are."""
        self.rubbish += 1
        self._log.note(line + b"\n")

    def counted(self, size: int) -> bool:
        """Whether a line of ``size`` bytes may still come; a program that floods is ended."""
        if self._sieve.count(size):
            return True
        self.end("it floods: more messages than can be read")
        return False

    async def exited(self) -> None:
        """Wait a little for the end of a program that has closed its output, so that its exit code is known."""
        await self._gone(_REST_SECONDS)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """End what a program that has ended left running: it may hold the output open for ever."""
        while process.returncode is None:  # to wait for the process is to wait for the end of its output, too
            await asyncio.sleep(_LOOK_SECONDS)
        await asyncio.sleep(_REST_SECONDS)
        self._signal(signal.SIGKILL)

    async def _gone(self, seconds: float) -> bool:
        limit = time.monotonic() + seconds
        while self._process is not None and self._process.returncode is None:
            if time.monotonic() > limit:
                return False
            await asyncio.sleep(_POLL_SECONDS)
        return True

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


class _Lines:
    """The messages that come, one after another."""

    def __init__(self, pipe: Pipe, reader: asyncio.StreamReader) -> None:
        from mcp.shared.message import SessionMessage
        from mcp.types import jsonrpc_message_adapter

        self._pipe = pipe
        self._reader = reader
        self._rest = bytearray()
        self._looked = 0
        self._message = SessionMessage
        self._adapter = jsonrpc_message_adapter

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while (line := await self._line()) is not None:
            if not line.strip():
                continue
            if not self._pipe.counted(len(line)):
                break
            try:
                return self._message(self._adapter.validate_json(line, by_name=False))
            except ValueError:
                self._pipe.no_message(line)
        await self._pipe.exited()
        raise StopAsyncIteration

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message."""
        return await self.__anext__()

    async def aclose(self) -> None:
        """Do nothing: the pipe closes its streams."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _line(self) -> bytes | None:
        """Return the next line without its end, None when there is none or it is too long."""
        while (end := self._rest.find(b"\n", self._looked)) < 0:
            self._looked = len(self._rest)
            if self._looked > LARGEST_MESSAGE:
                self._pipe.end("it sent a line of more than 64 MiB")
                return None
            piece = await self._reader.read(_PIECE)
            if not piece:
                return None
            self._rest += piece
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        self._looked = 0
        return line


class _Input:
    """Where messages go. A program that takes them no more is ended, so that whoever waits for an answer learns it."""

    def __init__(self, pipe: Pipe, writer: asyncio.StreamWriter) -> None:
        self._pipe = pipe
        self._writer = writer
        self._draining = asyncio.Lock()

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message. Raises `ValueError` for text that has no UTF-8."""
        data = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        try:
            self._writer.write(data)
            async with self._draining:
                await self._writer.drain()
        except (ConnectionError, RuntimeError):
            self._pipe.end("")

    async def aclose(self) -> None:
        """Close the program's input."""
        self._writer.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
