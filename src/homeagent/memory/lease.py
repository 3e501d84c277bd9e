"""The derive lease: a lock file, held by one process and one thread at a time, let go of even by ``kill -9``."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Lease", "held_lock", "is_held", "remove_unheld"]

_PAUSE_SECONDS = 0.002
_PROBES = 3


class Lease:
    """Whoever holds it may write computed data."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._descriptor = -1

    @contextmanager
    def held(self, seconds: float = 60.0) -> Iterator[bool]:
        """Hold the lease for the block; gives False when somebody else kept it for ``seconds``."""
        deadline = time.monotonic() + seconds
        if not self._lock.acquire(timeout=max(0.0, seconds)):
            yield False
            return
        try:
            if self._depth == 0 and not self._take(deadline):
                yield False
                return
            self._depth += 1
            try:
                yield True
            finally:
                self._depth -= 1
                if self._depth == 0:
                    os.close(self._descriptor)
        finally:
            self._lock.release()

    def _take(self, deadline: float) -> bool:
        while True:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_at(self._path, descriptor):
                    self._descriptor = descriptor
                    return True
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(descriptor)
                    return False
            os.close(descriptor)
            time.sleep(_PAUSE_SECONDS)


def held_lock(path: Path) -> int:
    """Make ``path`` and lock it until the returned descriptor is closed, or this process dies."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor):
                return descriptor
        except BlockingIOError:
            pass  # somebody sweeps it away: the next one is ours
        os.close(descriptor)
        time.sleep(_PAUSE_SECONDS)


def is_held(path: Path) -> bool:
    """Whether some process still holds the lock file ``path``; one that is gone is held by nobody."""
    for _ in range(_PROBES):
        if _while_free(path, remove=False):
            return False
        time.sleep(_PAUSE_SECONDS)  # it may be a sweep that holds it for a moment
    return True


def remove_unheld(path: Path) -> None:
    """Remove the lock file ``path`` unless some process holds it."""
    _while_free(path, remove=True)


def _while_free(path: Path, *, remove: bool) -> bool:
    """Whether nobody holds ``path``; removed, if at all, while this process holds it, so nobody can take it between."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if remove else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        if remove and _is_at(path, descriptor):
            path.unlink()
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False
