"""A program in a pseudo terminal, typed to as a person would, and what its screen shows afterwards."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["PseudoTerminal", "rendered"]

_ROWS, _COLUMNS = 60, 400
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_ERASED = re.compile(r"\r\x1b\[(?:2K|K)")


class PseudoTerminal:
    """A running program. Wide enough that no line is folded. Use it in a ``with`` block, which ends the program."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.process, self._terminal = pty.fork()
        if not self.process:  # this is the program itself from here on
            os.execvpe(command[0], list(command), dict(environment))  # noqa: S606 - no shell on purpose
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        self.output = ""
        self._data = b""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        os.close(self._terminal)

    def wait_for(self, text: str, seconds: float = 60.0) -> str:
        """Return what is written up to ``text``, which must come after all that was waited for before.

        Raises `TimeoutError` when it does not come, `EOFError` when the program has ended without it.
        """
        limit = time.monotonic() + seconds
        while text not in self.output[self._seen :]:
            if time.monotonic() > limit:
                raise TimeoutError(f"{text!r} did not come; there is {self.output[self._seen :]!r}")
            if not self._read(limit - time.monotonic()):
                raise EOFError(f"{text!r} did not come; there is {self.output[self._seen :]!r}")
        start, self._seen = self._seen, self.output.index(text, self._seen) + len(text)
        return self.output[start : self._seen]

    def type(self, text: str) -> None:
        """Type a line, or with no line end whatever key it is: ``chr(3)`` is Ctrl+C, ``chr(4)`` Ctrl+D."""
        os.write(self._terminal, text.encode())

    def ended(self, seconds: float = 60.0) -> int:
        """Read to the end; return the exit code, negative for a signal. Raises `TimeoutError`."""
        limit = time.monotonic() + seconds
        while self._read(max(0.0, limit - time.monotonic())):
            if time.monotonic() > limit:
                raise TimeoutError(f"the program did not end; there is {self.output[self._seen :]!r}")
        return self._collected()

    def kill(self) -> None:
        """End the program at once, as a power cut would; harmless when it has ended."""
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            self._collected()

    def _collected(self) -> int:
        _, status = os.waitpid(self.process, 0)
        self.process = 0
        return os.waitstatus_to_exitcode(status)

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
