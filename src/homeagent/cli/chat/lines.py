"""Lines that a person types, or that come through a pipe, read without holding up the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Lines"]

_PIECE: Final = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    """Somebody who wants a line, and what stands before it on the screen."""

    line: asyncio.Future[str | None]
    prompt: str


class Lines:
    """Reads one line at a time. A question put while somebody waits for a line gets the next one.

    Without ``prompts`` nothing is written to standard output, and nobody can be asked.
    """

    def __init__(self, *, prompts: bool = True) -> None:
        self.interactive = prompts and sys.stdin.isatty() and sys.stdout.isatty()
        self._waiting: list[_Waiter] = []
        self._early: list[str] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reading = False
        self._rest = b""
        self._ended = False

    async def next(self, prompt: str) -> str | None:
        """Return the next line without its end, None when there are no more."""
        if self._early:
            return self._early.pop(0)
        self._loop = asyncio.get_running_loop()
        waiter = _Waiter(self._loop.create_future(), prompt)
        self._waiting.append(waiter)
        if self.asking:  # somebody else's prompt stands there
            sys.stdout.write("\r\x1b[K")
            self.redraw()
        try:
            self._read_for_the_newest()
            return await waiter.line
        finally:
            self._waiting.remove(waiter)
            self._read_for_the_newest()

    def leave(self) -> None:
        """Give everybody who waits the end."""
        self._ended = True
        for waiter in self._waiting:
            if not waiter.line.done():
                waiter.line.set_result(None)

    @property
    def asking(self) -> bool:
        """Whether a prompt stands on the screen and waits to be answered."""
        return self.interactive and self._reading

    def redraw(self) -> None:
        """Write the prompt again, with what was typed so far, below what was written over it."""
        if self.asking:
            import readline

            sys.stdout.write(self._newest_prompt() + readline.get_line_buffer())
            sys.stdout.flush()

    @contextlib.contextmanager
    def terminal_kept(self) -> Iterator[None]:
        """Leave the terminal as it was: a reader that is left in the middle of a line can't."""
        if not self.interactive:
            yield
            return
        import termios

        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        try:
            yield
        finally:
            with contextlib.suppress(termios.error):  # it was closed
                termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

    def _newest_prompt(self) -> str:
        return self._waiting[-1].prompt if self._waiting else ""

    def _read_for_the_newest(self) -> None:
        if not self._waiting or self._waiting[-1].line.done():
            return
        if self._ended:  # even where somebody still reads: what is typed now is for nobody
            self.leave()
            return
        if self._reading:
            return
        self._reading = True
        # A thread of its own that nobody waits for: a line that never comes holds up no exit.
        threading.Thread(target=self._read_line, args=(self._newest_prompt(),), daemon=True).start()

    def _read_line(self, prompt: str) -> None:
        line: str | None = None
        with contextlib.suppress(EOFError, OSError, ValueError):
            line = _typed(prompt) if self.interactive else self._piped()
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: we have left
                loop.call_soon_threadsafe(self._got, line)

    def _got(self, line: str | None) -> None:
        self._reading = False
        if line is None:
            self.leave()
        elif self._waiting and not self._waiting[-1].line.done():
            self._waiting[-1].line.set_result(line)
        else:
            self._early.append(line)

    def _piped(self) -> str | None:
        try:
            descriptor = sys.stdin.fileno()
        except (OSError, ValueError):  # not a file: a test, or a program around this one
            line = sys.stdin.readline()
            return line.rstrip("\n") if line else None
        # Not by way of sys.stdin: a thread that waits inside it can't be left behind at the end.
        while b"\n" not in self._rest:
            piece = os.read(descriptor, _PIECE)
            if not piece:
                last, self._rest = self._rest, b""
                return _text(last) if last else None
            self._rest += piece
        first, _, self._rest = self._rest.partition(b"\n")
        return _text(first)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape").removesuffix("\r")


def _typed(prompt: str) -> str:
    import readline  # makes input() edit lines; what was typed is never written to a file

    readline.set_auto_history(True)
    return input(prompt)
