"""How the server is to be run: where it listens, under which names, and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LOOPBACK", "Limits", "ServeOptions"]

LOOPBACK: Final = "127.0.0.1"
"""Where the server listens unless it is told otherwise: this machine only."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may take. Sizes in bytes, rates in requests a second with room for ``burst`` at once.

    ``upload`` is for bodies that may hold files, ``history`` for whole exports that are brought in, ``body`` for all
    others. ``wrong_tokens`` may be tried in a minute.
    """

    body: int = 2 << 20
    upload: int = 32 << 20
    history: int = 1 << 30
    rate: float = 100.0
    burst: int = 400
    wrong_tokens: int = 20


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where to listen; port 0 is a free one. ``names`` are further host names under which clients may ask for it.

    ``show_token`` prints a token when it starts: the owner's first one, later one that holds until it stops.
    ``in_chinese`` returns what an error or a reason says in Chinese, for the page.
    """

    host: str = LOOPBACK
    port: int = 0
    names: tuple[str, ...] = ()
    show_token: bool = True
    limits: Limits = Limits()
    in_chinese: Callable[[str], str] = str
