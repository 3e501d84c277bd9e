"""What is put off so that `keep` need not wait for it: merging full text, bringing the files up to date."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.memory.lease import Lease
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore

__all__ = ["Tidying"]

_STEPS: Final = 8
_WAIT_SECONDS: Final = 0.5
_PAUSE_SECONDS: Final = 0.002


class Tidying:
    """Keeps the files of one memory in order, a few milliseconds at a time."""

    def __init__(self, log: LogStore, derived: DerivedStore, lease: Lease) -> None:
        self._log = log
        self._derived = derived
        self._lease = lease

    def some(self) -> None:
        """Do a little, between other work."""
        self._merge(range(_STEPS))

    def rest(self) -> None:
        """Do all of it, in a quiet moment."""
        self._merge(itertools.count())
        self._derived.fold()
        self._log.fold()

    def _merge(self, steps: Iterable[int]) -> None:
        """Merge full text step by step; between two of them whoever keeps something goes first."""
        for _ in steps:
            with self._lease.held(_WAIT_SECONDS) as held:
                if not held or not self._derived.merge_some():
                    return
            time.sleep(_PAUSE_SECONDS)  # a lock goes to whoever asks first, and that would be this thread again
