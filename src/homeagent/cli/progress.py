"""A progress bar on standard error for work that takes long; now and then a line where nobody watches."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from homeagent.cli.terminal import Terminal

__all__ = ["shown"]

_LINE_SECONDS: Final = 5.0


@contextmanager
def shown(terminal: Terminal) -> Iterator[Callable[[str, int, int], None]]:
    """Give a function to tell (step, done, in all); what it is told is shown until the block ends."""
    if sys.stderr.isatty():
        with _bar(terminal) as update:
            yield update
    else:
        yield _Lines(terminal).update


@contextmanager
def _bar(terminal: Terminal) -> Iterator[Callable[[str, int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:

        def update(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(terminal.message(f"step_{step}"), total=total)
            progress.update(tasks[step], completed=done, total=total)

        yield update


class _Lines:
    """Writes a line a step every few seconds, none for what is quick."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._next = time.monotonic() + _LINE_SECONDS

    def update(self, step: str, done: int, total: int) -> None:
        """Say how far a step is, unless something was said a moment ago."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_SECONDS
            share = f"{done / total:.0%}" if total else ""
            self._terminal.note(f"{self._terminal.message(f'step_{step}')} {share}")
