"""How soon a server that ended is started again: as plugins are, after 1, 2 and 4 seconds, thrice in 5 minutes."""

from __future__ import annotations

from typing import Final

__all__ = ["Restarts"]

_PAUSES: Final = (1.0, 2.0, 4.0)
_SECONDS: Final = 300.0


class Restarts:
    """When it ended, as far as that counts."""

    def __init__(self) -> None:
        self._ended: list[float] = []

    def pause(self, now: float) -> float | None:
        """Take note of an end at ``now`` (seconds); return how many to wait, None when it ended too often."""
        self._ended = [at for at in self._ended if now - at < _SECONDS]
        self._ended.append(now)
        return _PAUSES[len(self._ended) - 1] if len(self._ended) <= len(_PAUSES) else None
