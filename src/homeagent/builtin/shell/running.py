"""Running one program to its end, or until its time is over."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from homeagent.builtin.processes import ProcessGroup
from homeagent.builtin.shell.output import BoundedOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from pathlib import Path

__all__ = ["Ended", "Limits", "Program", "run"]

_CHUNK = 65_536
_DRAIN_SECONDS = 0.2
_LAST_READS = 16
_GRACE_SECONDS = 1.0
_PROGRESS_SECONDS = 1.0
_MOST_BYTES = 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Program:
    """What is run, where, and with which variables."""

    argv: Sequence[str]
    folder: Path
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many ``seconds`` a program may take, and how many bytes of its output are kept."""

    seconds: float
    output: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended. ``code`` is negative for a signal; ``stopped`` says why it was ended from here, or is empty.

    ``left_behind``: something it had started was still running and was ended too. ``interrupted``: whoever waited for
    it was cancelled.
    """

    output: BoundedOutput
    code: int
    stopped: str
    left_behind: bool
    seconds: float
    interrupted: bool = False


async def run(program: Program, limits: Limits, progress: Callable[[str], None]) -> Ended:
    """Run a program without input. Nothing of its group outlives this call.

    When it is cancelled it ends the program at once and returns all the same, with the output so far.
    Both of its outputs are one, in the order in which they were written; ``progress`` gets its last line now and then.
    Raises ``OSError`` when it can't be started.
    """
    started = time.monotonic()
    with _Pipe(limits.output, progress) as pipe:
        group = pipe.start(program)
        stopped, interrupted = "", False
        try:
            await _first_of(limits.seconds, group.ended(), pipe.too_much.wait())
            if group.running:
                stopped = _why_stopped(limits.seconds, too_much=pipe.too_much.is_set())
                group.terminate()
                await _first_of(_GRACE_SECONDS, group.ended())
        except asyncio.CancelledError:
            interrupted = True
        finally:
            if group.running:
                group.kill()
        if stopped:
            group.kill()  # what left the group
        code = await group.ended()
        await _first_of(_DRAIN_SECONDS, pipe.closed.wait())
        pipe.take_rest()
        return Ended(pipe.output, code, stopped, group.left_behind, time.monotonic() - started, interrupted)


def _why_stopped(seconds: float, *, too_much: bool) -> str:
    if too_much:
        return f"it wrote more than {_MOST_BYTES:,} bytes"
    return f"it did not finish within {seconds:g} second{'' if seconds == 1 else 's'}"


async def _first_of(seconds: float, *waiting: Coroutine[object, object, object]) -> None:
    """Wait until the first of them is done, at most so many seconds."""
    tasks = [asyncio.ensure_future(each) for each in waiting]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


class _Pipe:
    """The way from a program's two outputs into a `BoundedOutput`, read by the event loop."""

    def __init__(self, limit: int, progress: Callable[[str], None]) -> None:
        self.output = BoundedOutput(limit)
        self.closed = asyncio.Event()
        self.too_much = asyncio.Event()
        self._progress = progress
        self._shown_at = time.monotonic()
        self._showing: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> Self:
        self._source, self._sink = os.pipe()
        os.set_blocking(self._source, False)
        return self

    def __exit__(self, *_: object) -> None:
        if self._showing is not None:
            self._showing.cancel()
        self._loop.remove_reader(self._source)
        os.close(self._source)
        if self._sink >= 0:
            os.close(self._sink)

    def start(self, program: Program) -> ProcessGroup:
        group = ProcessGroup(
            program.argv,
            folder=program.folder,
            environment=program.environment,
            stdin=subprocess.DEVNULL,
            output=self._sink,
        )
        os.close(self._sink)
        self._sink = -1
        self._loop.add_reader(self._source, self._read)
        return group

    def take_rest(self) -> None:
        """Take what is there already; something that detached itself may still write, and is not waited for."""
        for _ in range(_LAST_READS):
            self._read()

    def _read(self) -> None:
        if self.closed.is_set():
            return
        try:
            data = os.read(self._source, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._source)
            self.closed.set()
            return
        self.output.add(data)
        if self.output.total > _MOST_BYTES:
            self.too_much.set()
        if self._showing is None:
            left = self._shown_at + _PROGRESS_SECONDS - time.monotonic()
            self._showing = self._loop.call_later(max(0.0, left), self._show)

    def _show(self) -> None:
        self._showing, self._shown_at = None, time.monotonic()
        self._progress(self.output.last_line())
