"""How far a long measurement is: lines on stderr, never on stdout."""

from __future__ import annotations

import sys
import time
from typing import Final

__all__ = ["Progress", "say"]

_EVERY_SECONDS: Final = 5.0


def say(sentence: str) -> None:
    """Write one line to stderr."""
    print(sentence, file=sys.stderr, flush=True)


class Progress:
    """Says now and then how far one piece of work is; the last word is always said."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._started = self._said = time.monotonic()

    def at(self, done: int, of: int) -> None:
        """Say that ``done`` of ``of`` are done, if it is time to."""
        now = time.monotonic()
        if now - self._said >= _EVERY_SECONDS:
            self._said = now
            say(f"{self._what}: {done:,} of {of:,} after {now - self._started:.0f} s")

    def step(self, step: str, done: int, left: int) -> None:
        """Say the same in the words of `Memory.settle` and `Memory.rebuild`."""
        now = time.monotonic()
        if now - self._said >= _EVERY_SECONDS:
            self._said = now
            say(f"{self._what}, {step}: {done:,} done, {left:,} to do, after {now - self._started:.0f} s")

    def done(self, what: str) -> float:
        """Say what was done and in how many seconds; return the seconds."""
        seconds = time.monotonic() - self._started
        say(f"{self._what}: {what} in {seconds:.1f} s")
        return seconds
