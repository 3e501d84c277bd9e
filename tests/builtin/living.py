"""Which processes live, and waiting for what takes a moment."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["is_alive", "numbers_in", "open_descriptors", "until"]


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def until(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Wait until a condition holds; return whether it came to that."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def numbers_in(path: Path, count: int, seconds: float = 60.0) -> list[int]:
    """Wait until a file holds so many whole lines with a number each, and return them."""
    assert until(lambda: path.exists() and path.read_text("utf-8").count("\n") >= count, seconds), (
        "the file was not written"
    )
    return [int(line) for line in path.read_text("utf-8").split()]


def open_descriptors() -> int:
    """Return how many files this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))
