"""One program in a pseudo-terminal of its own, and its output until someone reads it."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import fcntl
import os
import pty
import struct
import sys
import termios
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from homeagent.builtin.processes import ProcessGroup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["Launch", "Session", "Size"]

# Run in the new process before the program: only there can the terminal be made its own. Python ignores SIGPIPE, which
# the program would inherit.
_TAKE_TERMINAL = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
try:
    os.execvp(sys.argv[1], sys.argv[1:])
except OSError as error:
    sys.exit(f"{sys.argv[1]}: {error.strerror}")
"""
_CHUNK = 65_536
_READS = 16
_QUIET_SECONDS = 0.25
_FULL_SECONDS = 0.1
_WRITE_SECONDS = 2.0
_CLOSE_SECONDS = 2.0


class Size(NamedTuple):
    """The size of a terminal in characters."""

    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Launch:
    """What is started, where, and with which variables. ``command`` is how the person would write it."""

    command: str
    argv: Sequence[str]
    folder: Path
    environment: Mapping[str, str]


class Session:
    """A program in a terminal. At most ``buffer`` bytes of unread output are kept, the newest."""

    def __init__(self, launch: Launch, size: Size, buffer: int) -> None:
        self.launch = launch
        self.size = size
        self.used_at = time.monotonic()
        self._buffer_limit = buffer
        self._unread = bytearray()
        self._lost = 0
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._paused: asyncio.TimerHandle | None = None
        self._terminal, inner = pty.openpty()
        try:
            _set_size(self._terminal, size)
            os.set_blocking(self._terminal, False)
            self._group = ProcessGroup(
                [sys.executable, "-I", "-S", "-c", _TAKE_TERMINAL, *launch.argv],
                folder=launch.folder,
                environment=launch.environment,
                stdin=inner,
                output=inner,
            )
        except BaseException:
            os.close(self._terminal)
            raise
        finally:
            os.close(inner)
        self._open = self._is_watched = True
        self._loop.add_reader(self._terminal, self._take)

    @property
    def running(self) -> bool:
        """Whether the program has not ended yet."""
        return self._group.running

    @property
    def unread(self) -> int:
        """How many bytes of output wait to be read."""
        return len(self._unread)

    async def state(self) -> str:
        """Say whether the program runs or how it ended: ``is running``, ``has ended with exit code 1``."""
        if self.running:
            return "is running"
        code = await self._group.ended()
        return f"has ended with exit code {code}" if code >= 0 else f"has ended by signal {-code}"

    def resize(self, size: Size) -> None:
        """Give the terminal another size; the program is told. Raises ``OSError`` when it is gone."""
        _set_size(self._terminal, size)
        self.size = size

    async def write(self, text: str) -> int:
        """Type ``text``; return how many bytes of it the program's terminal took within 2 seconds."""
        data = memoryview(text.encode("utf-8", "surrogateescape"))
        written = 0
        until = time.monotonic() + _WRITE_SECONDS
        while self._open and written < len(data) and time.monotonic() < until:
            try:
                written += os.write(self._terminal, data[written : written + 1024])
            except BlockingIOError:
                await asyncio.sleep(0.01)
            except OSError:  # nobody has the other end any more
                break
        return written

    async def settle(self, seconds: float) -> None:
        """Wait until there is output and then no more for a moment, or the terminal is closed, or time is over."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self._open:
            self._changed.clear()
            patience = min(left, _QUIET_SECONDS) if self._unread else left
            try:
                async with asyncio.timeout(patience):
                    await self._changed.wait()
            except TimeoutError:
                return
        if not self._open and self.running:  # it is about to end
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_QUIET_SECONDS):
                    await self._group.ended()

    def read(self, limit: int) -> str:
        r"""Return the next unread output as it came, at most ``limit`` bytes and marks for what is missing or waits.

        Bytes that are no UTF-8 are shown as ``\xff``; a character that is not whole yet waits for its rest.
        """
        data = bytes(self._unread[:limit])
        decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        text = decoder.decode(data, final=not self._open and len(data) == len(self._unread))
        kept = len(decoder.getstate()[0])
        del self._unread[: len(data) - kept]
        if self._lost:
            text = f"[... {self._lost:,} older bytes were not read in time and are gone ...]\n{text}"
            self._lost = 0
        if len(self._unread) > kept:
            text += f"\n[... {len(self._unread):,} more bytes wait: call terminal_read again ...]"
        return text

    async def close(self) -> None:
        """End the program and everything it started, and let the terminal go. What is unread can still be read."""
        self._group.kill()
        with contextlib.suppress(TimeoutError):  # one that hangs in the kernel goes as soon as that lets it
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._group.ended()
        self._take()
        self._hang_up()

    def _take(self) -> None:
        """Take what the program wrote, up to some ten thousand bytes of it."""
        self._paused = None
        is_full = False
        for _ in range(_READS):
            data = self._next_bytes()
            if not data:
                break
            self._unread += data
            excess = len(self._unread) - self._buffer_limit
            if excess > 0:
                del self._unread[:excess]
                self._lost += excess
                is_full = True
            self._changed.set()
        if self._open:
            self._read_slowly(is_full)

    def _next_bytes(self) -> bytes:
        """Return what can be read now, or nothing; hang up when there will be nothing any more."""
        if not self._open:
            return b""
        try:
            data = os.read(self._terminal, _CHUNK)
        except BlockingIOError:
            return b""
        except OSError:  # how a terminal says that the last one on its other end is gone
            data = b""
        if not data:
            self._hang_up()
        return data

    def _read_slowly(self, is_slow: bool) -> None:
        """Look only now and then at output that nobody reads: a program that never stops would take all the time."""
        if is_slow:
            self._loop.remove_reader(self._terminal)
            self._paused = self._loop.call_later(_FULL_SECONDS, self._take)
        elif not self._is_watched:
            self._loop.add_reader(self._terminal, self._take)
        self._is_watched = not is_slow

    def _hang_up(self) -> None:
        if not self._open:
            return
        self._open = False
        if self._paused is not None:
            self._paused.cancel()
        self._loop.remove_reader(self._terminal)
        with contextlib.suppress(OSError):
            os.close(self._terminal)
        self._changed.set()


def _set_size(terminal: int, size: Size) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))
