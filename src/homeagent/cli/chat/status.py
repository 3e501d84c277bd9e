"""One line about what is going on: edited in place on a terminal, a line of its own for each news elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
import unicodedata
from typing import TYPE_CHECKING, Final

from homeagent.cli.terminal import printable

if TYPE_CHECKING:
    from homeagent.cli.terminal import Terminal

__all__ = ["Status", "fitted"]

_QUICK: Final = 1.0
"""Seconds after which it is said how long something takes."""


class Status:
    """The line. Clear it before anything else is written. ``text`` is what it says, empty when it is not there."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.in_place = sys.stderr.isatty()
        self.text = ""
        self._since = 0.0
        self._drawn = False

    def show(self, text: str) -> None:
        """Say what is going on, from now on."""
        if text == self.text:
            return
        self.text, self._since = text, time.monotonic()
        if self.in_place:
            self._draw()
        else:
            self._terminal.note(f"... {text}")

    def tick(self) -> None:
        """Show how long it takes by now; call it about once a second."""
        if self.text and self.in_place:
            self._draw()

    def clear(self) -> None:
        """Take the line away."""
        self.text = ""
        if self._drawn:
            self._drawn = False
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()

    def _draw(self) -> None:
        seconds = time.monotonic() - self._since
        text = f"... {self.text}" + (f" ({seconds:.0f} s)" if seconds >= _QUICK else "")
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[2K{fitted(printable(text), width)}")
        sys.stderr.flush()
        self._drawn = True


def fitted(text: str, width: int) -> str:
    """Return the beginning of a text, on one line, that takes at most ``width`` columns; wide characters take two."""
    taken = 0
    text = " ".join(text.split())
    for place, character in enumerate(text):
        taken += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if taken > width:
            return text[: max(0, place - 1)] + "…"
    return text
