"""A turn on the screen: the answer as it comes, one line about what is going on, questions to the person."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

from homeagent.agent import events
from homeagent.cli.chat.status import Status, fitted
from homeagent.cli.model_errors import problem_of, step_of
from homeagent.cli.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.agent import Event
    from homeagent.cli.chat.lines import Lines
    from homeagent.cli.terminal import Terminal

__all__ = ["Screen"]

_YES: Final = frozenset({"y", "yes", "ja", "是", "好", "可以", "行", "同意"})
_LONGEST_CALL: Final = 100


class Screen:
    """A `Ui` for one person at one terminal. With ``fails`` off it leaves it to others to say why a turn failed."""

    def __init__(self, terminal: Terminal, lines: Lines, *, fails: bool = True) -> None:
        self.terminal = terminal
        self.status = Status(terminal)
        self.busy = False
        self._lines = lines
        self._fails = fails
        self._open_line = False
        self._later: list[str] = []
        self._told: set[str] = set()

    def show(self, event: Event) -> None:
        """Show an event."""
        match event:
            case events.TurnStarted():
                self.busy = True
            case events.Recalled():
                self._show_waiting("status_waiting")
            case events.Thinking():
                self._show_waiting("status_thinking")
            case events.TextDelta(text=text):
                self._write(text)
            case events.Said():
                self._end_line()
            case events.ToolStarted():
                self._end_line()
                self._show_status(_call(event))
            case events.ToolProgress():
                self._show_status(f"{event.tool}: {event.text}")
            case events.ToolFinished():
                self._finished(event)
            case events.StatusLine():
                self._say_status(event)
            case events.Refused(reason=reason) | events.CallRefused(reason=reason):
                self.note(self.terminal.told(reason))
            case events.TurnFailed(error=error) if self._fails:
                self.clear()
                self.terminal.failed(error.where, problem_of(error, self.terminal), step_of(error, self.terminal))
            case events.TurnEnded():
                self.clear()
                self.busy = False
                self._say_what_waited()

    async def ask(self, question: str) -> bool:
        """Ask the person; no when there is nobody at a terminal."""
        doing = self.status.text
        self.clear()
        self.terminal.note(question)
        if not self._lines.interactive:
            self.terminal.say("nobody_to_ask")
            return False
        answer = await self._lines.next(self.terminal.message("ask_consent"))
        if doing:
            self._show_status(doing)
        return (answer or "").strip().casefold() in _YES

    def note(self, text: str) -> None:
        """Say something beside the answer."""
        self.clear()
        self.terminal.note(text)

    def aside(self, text: str) -> None:
        """Say something that has nothing to do with the turn under way: after it, or above the prompt at once."""
        if self.busy:
            self._later.append(text)
            return
        if self._lines.asking:
            sys.stdout.write("\r\x1b[K")
        sys.stdout.write(f"{printable(text)}\n")
        sys.stdout.flush()
        self._lines.redraw()

    def clear(self) -> None:
        """End the line that is being written, and take the status line away."""
        self.status.clear()
        self._end_line()

    def lines(self, lines: Iterable[str]) -> None:
        """Write lines as a result."""
        self.clear()
        for line in lines:
            sys.stdout.write(f"{printable(line)}\n")
        sys.stdout.flush()

    def _write(self, text: str) -> None:
        self.status.clear()
        sys.stdout.write(printable(text))
        sys.stdout.flush()
        self._open_line = not text.endswith("\n")

    def _end_line(self) -> None:
        if self._open_line:
            self._open_line = False
            sys.stdout.write("\n")
            sys.stdout.flush()

    def _show_status(self, text: str) -> None:
        if not self._open_line:
            self.status.show(text)

    def _show_waiting(self, key: str) -> None:
        if self.status.in_place:  # elsewhere a line for each moment of silence would be too much
            self._show_status(self.terminal.message(key))

    def _say_status(self, event: events.StatusLine) -> None:
        if event.kind == "calling":
            if self.status.in_place:  # elsewhere it is said once, with its arguments
                self._show_status(event.detail)
            return
        text = self.terminal.message(f"status_{event.kind}", detail=event.detail)
        if event.kind != "tools_out" or text not in self._told:  # the same at every turn of a small model
            self._told.add(text)
            self.note(text)

    def _finished(self, event: events.ToolFinished) -> None:
        key = "tool_failed" if event.error else "tool_done"
        self.status.clear()
        self.terminal.say(key, tool=event.tool, seconds=f"{event.seconds:.1f}")
        self._show_waiting("status_waiting")

    def _say_what_waited(self) -> None:
        waited, self._later = self._later, []
        for text in waited:
            self.aside(text)


def _call(event: events.ToolStarted) -> str:
    """Return a call on one line: ``cmd_run ls -l``."""
    try:
        given: object = json.loads(event.arguments or "{}")
    except ValueError:
        given = event.arguments
    if isinstance(given, dict):
        given = " ".join(str(value) for value in given.values())
    return fitted(f"{event.tool} {given}", _LONGEST_CALL)
