"""Links that let a browser in once: printed when the server starts, so that nobody has to copy a token."""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Entrances"]

_SECONDS: Final = 30 * 60
_MOST: Final = 100


class Entrances:
    """Codes for one use each, good for half an hour; only their hashes are held."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._open: dict[str, tuple[str, float]] = {}

    def new(self, token: str) -> str:
        """Return a new code that stands for a token, by its id."""
        code = secrets.token_urlsafe(24)
        self._open[_hash(code)] = (token, self._clock() + _SECONDS)
        while len(self._open) > _MOST:
            del self._open[next(iter(self._open))]
        return code

    def use(self, code: str) -> str | None:
        """Return the id of the token that a code stands for, and let it hold no longer; None where it does not hold."""
        token, until = self._open.pop(_hash(code), ("", 0.0))
        return token if self._clock() < until else None


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
