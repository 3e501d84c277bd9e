"""The thread that embeds what was kept, so that ``keep`` need not wait for a model."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from homeagent.errors import HomeAgentError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Background"]

_LOG = logging.getLogger(__name__)
_PAUSE_SECONDS = 5.0


class Background:
    """Runs ``work`` until it returns 0, whenever it is woken; started at the first `wake`."""

    def __init__(self, work: Callable[[], int]) -> None:
        self._work = work
        self._wanted = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def wake(self) -> None:
        """Say that there is something to do."""
        with self._lock:
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="homeagent-embed", daemon=True)
                self._thread.start()
        self._wanted.set()

    def stop(self) -> None:
        """Finish the batch under way and end the thread; what is left waits in the queue."""
        with self._lock:
            self._stopping = True
            thread, self._thread = self._thread, None
        self._wanted.set()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while not self._stopping:
            self._wanted.wait()
            self._wanted.clear()
            try:
                while not self._stopping and self._work():
                    pass
            except HomeAgentError as error:
                _LOG.warning("embedding waits: %s", error)
                threading.Event().wait(_PAUSE_SECONDS if not self._stopping else 0)
