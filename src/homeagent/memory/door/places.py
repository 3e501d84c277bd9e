"""Cleaners that are functions of plugins run with the environments of their plugins, one process for each."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from homeagent.memory.door.runner import CleanerPlace, CleanerProcess
from homeagent_sdk.cleaner_language import FUNCTION_REFERENCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent.memory.door.runner import Cleaned

__all__ = ["CleanerPlace", "CleanerProcesses"]


class CleanerProcesses:
    """Runs each cleaner where the module of its first function is; ``places`` are by top-level module."""

    def __init__(self, places: Mapping[str, CleanerPlace]) -> None:
        self._own = CleanerProcess()
        self._places = dict(places)
        self._started: dict[CleanerPlace, CleanerProcess] = {}
        self._lock = threading.Lock()

    def clean(self, cleaner: str, text: str) -> Cleaned:
        """Run ``cleaner`` on ``text``; never raises for what the cleaner does."""
        return self._process(cleaner).clean(cleaner, text)

    def replace(self, places: Mapping[str, CleanerPlace]) -> None:
        """Run cleaners at these places from now on, each module as it is on the disk now."""
        self._places = dict(places)
        self.close()

    def close(self) -> None:
        """End every process; one that is needed again is started again."""
        with self._lock:
            started, self._started = list(self._started.values()), {}
        for process in (self._own, *started):
            process.close()

    def _process(self, cleaner: str) -> CleanerProcess:
        stages = (stage.strip() for stage in re.split(r"\|", cleaner))
        function = next((stage for stage in stages if FUNCTION_REFERENCE.fullmatch(stage)), "")
        place = self._places.get(function.partition(":")[0].partition(".")[0])
        if place is None:
            return self._own
        with self._lock:
            if place not in self._started:
                self._started[place] = CleanerProcess(place=place)
            return self._started[place]
