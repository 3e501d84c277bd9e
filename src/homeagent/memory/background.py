"""The thread that embeds what was kept, so that ``keep`` need not wait for a model."""

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import TYPE_CHECKING

from homeagent.errors import HomeAgentError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Background"]

_LOG = logging.getLogger(__name__)
_PAUSE_SECONDS = 5.0
_LONGEST_YIELD_SECONDS = 5.0
_LOOK_SECONDS = 0.05
_QUIET_SECONDS = 1.0

_SWITCH_SECONDS = 0.001
"""A `keep` that waited for the disk goes on when this thread is asked to let it: Python's own figure, 5 ms, is longer
than all of a `keep`."""


class Background:
    """Runs ``work`` until it returns 0, whenever it is woken; started at the first `wake`.

    When nobody woke it for a second, ``rest`` is called, once: for what can wait until nothing else is done.
    """

    def __init__(self, work: Callable[[], int], rest: Callable[[], None] = lambda: None) -> None:
        self._work = work
        self._rest = rest
        self._wanted = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._busy: Callable[[], bool] = lambda: False

    def wake(self) -> None:
        """Say that there is something to do."""
        with self._lock:
            ended = self._thread is None or not self._thread.is_alive()  # an error that nobody foresaw ends it
            if ended and not self._stopped.is_set():
                sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH_SECONDS))
                self._thread = threading.Thread(target=self._run, name="homeagent-embed", daemon=True)
                self._thread.start()
        self._wanted.set()

    def yield_to(self, busy: Callable[[], bool]) -> None:
        """Let others go first: before each batch wait, at most some seconds, until ``busy`` is False."""
        self._busy = busy

    def stop(self) -> None:
        """Finish the batch under way and end the thread; what is left waits in the queue."""
        with self._lock:
            self._stopped.set()
            thread, self._thread = self._thread, None
        self._wanted.set()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        rested = True
        while True:
            woken = self._wanted.wait(None if rested else _QUIET_SECONDS)
            if woken:
                self._wanted.clear()
            if self._stopped.is_set():
                return
            rested = not woken
            try:
                if rested:
                    self._rest()
                while woken and self._may_go_on() and self._work():
                    pass
            except HomeAgentError as error:
                _LOG.warning("embedding waits: %s", error)
                self._stopped.wait(_PAUSE_SECONDS)

    def _may_go_on(self) -> bool:
        """Wait while others are busy, but not for ever: what is kept is to be found by its meaning too."""
        until = time.monotonic() + _LONGEST_YIELD_SECONDS
        while self._busy() and time.monotonic() < until and not self._stopped.is_set():
            self._stopped.wait(_LOOK_SECONDS)
        return not self._stopped.is_set()
