"""A program in a pseudo terminal, typed to as a person would, and what its screen shows afterwards."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["PseudoTerminal", "rendered"]

_ROWS, _COLUMNS = 60, 400
_TAKE_THE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal the one that Ctrl+C goes through, which only the program itself can do."""

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ERASED = re.compile(r"\r\x1b\[(?:2K|K)")


class PseudoTerminal:
    """A running program. Wide enough that no line is folded. Use it in a ``with`` block, which ends the program."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._terminal, theirs = pty.openpty()
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _TAKE_THE_TERMINAL, *command],
            env=dict(environment),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.output = ""
        self._data = b""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.hang_up()

    def wait_for(self, text: str, seconds: float = 60.0) -> str:
        """Return what is written up to ``text``, which must come after all that was waited for before.

        Raises `TimeoutError` when it does not come, `EOFError` when the program has ended without it.
        """
        self._read_until(lambda: text in self.output[self._seen :], repr(text), seconds)
        start, self._seen = self._seen, self.output.index(text, self._seen) + len(text)
        return self.output[start : self._seen]

    def wait_until(self, is_there: Callable[[str], bool], seconds: float = 60.0) -> None:
        """Read until ``is_there`` says so of all that came after what was waited for before. Raises as `wait_for`."""
        self._read_until(
            lambda: is_there(self.output[self._seen :].replace("\r\n", "\n")), "what was expected", seconds
        )
        self._seen = len(self.output)

    def _read_until(self, is_there: Callable[[], bool], what: str, seconds: float) -> None:
        limit = time.monotonic() + seconds
        while not is_there():
            if time.monotonic() > limit:
                raise TimeoutError(f"{what} did not come; there is {self.output[self._seen :]!r}")
            if not self._read(limit - time.monotonic()):
                raise EOFError(f"{what} did not come; there is {self.output[self._seen :]!r}")

    def type(self, text: str) -> None:
        """Type a line, or with no line end whatever key it is: ``chr(3)`` is Ctrl+C, ``chr(4)`` Ctrl+D."""
        os.write(self._terminal, text.encode())

    def ended(self, seconds: float = 60.0) -> int:
        """Read to the end; return the exit code, negative for a signal. Raises `TimeoutError`."""
        limit = time.monotonic() + seconds
        while self._read(max(0.0, limit - time.monotonic())):
            if time.monotonic() > limit:
                raise TimeoutError(f"the program did not end; there is {self.output[self._seen :]!r}")
        return self._process.wait(max(0.1, limit - time.monotonic()))

    def send(self, number: int) -> None:
        """Send the program a signal."""
        self._process.send_signal(number)

    def hang_up(self) -> None:
        """Close the terminal, as a person closes its window; harmless when it is closed."""
        if self._terminal >= 0:
            os.close(self._terminal)
            self._terminal = -1

    def left(self, seconds: float = 60.0) -> int:
        """Wait for the end of a program whose terminal is closed; return its exit code as `ended` does."""
        return self._process.wait(seconds)

    def kill(self) -> None:
        """End the program at once, as a power cut would; harmless when it has ended."""
        self._process.kill()
        self._process.wait()

    def _read(self, seconds: float) -> bool:
        """Read what is there, waiting for it; return False at the end."""
        if not select.select([self._terminal], [], [], max(0.0, seconds))[0]:
            return True
        try:
            piece = os.read(self._terminal, 65_536)
        except OSError:  # Linux says so when the program has closed the terminal
            piece = b""
        self._data += piece
        self.output = self._data.decode("utf-8", "ignore")
        return bool(piece)


def rendered(output: str) -> str:
    """Return what a screen shows after this output: lines that were edited in place as they were at the end."""
    lines = []
    for line in output.replace("\r\n", "\n").split("\n"):
        kept = _ERASED.split(line)[-1]
        lines.append(_CONTROL.sub("", kept).replace("\r", "").rstrip())
    return "\n".join(lines)
