"""Being told to end from outside: the terminal was closed (SIGHUP), or somebody asks for it (SIGTERM)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Ending"]

_ENDING: Final = (signal.SIGHUP, signal.SIGTERM)
_BY_SIGNAL: Final = 128


class Ending:
    """While it is entered, in a running event loop, such a signal calls ``leave`` instead of ending the process.

    ``code`` is the exit code then: 128 and the number of the signal, as shells count; 0 when none came. A signal that
    the process was started to ignore, as by ``nohup``, stays ignored.
    """

    def __init__(self, leave: Callable[[], object]) -> None:
        self._leave = leave
        self._heard: list[signal.Signals] = []
        self._at_terminal: list[int] = []
        self.code = 0

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._at_terminal = _at_terminal()  # one that is gone doesn't say any more that it is one
        for number in _ENDING:
            if signal.getsignal(number) != signal.SIG_IGN:
                loop.add_signal_handler(number, self._came, number)
                self._heard.append(number)
        return self

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in self._heard:
            loop.remove_signal_handler(number)

    def _came(self, number: signal.Signals) -> None:
        if number == signal.SIGHUP:
            self._forget_terminal()
        if not self.code:
            self.code = _BY_SIGNAL + number
            self._leave()

    def _forget_terminal(self) -> None:
        """Let what is still written to the terminal that is gone go nowhere: it would fail."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in self._at_terminal:
            os.dup2(nowhere, descriptor)
        os.close(nowhere)


def _at_terminal() -> list[int]:
    found: list[int] = []
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # it is no file, or closed
            if stream.isatty():
                found.append(stream.fileno())
    return found
