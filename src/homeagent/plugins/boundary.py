"""The plugin boundary: foreign code may raise anything, hang or ignore that it was cancelled; here it becomes a value.

This is the one place of the core that catches everything.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from homeagent.errors import HomeAgentError
from homeagent_sdk.wire_errors import RemoteError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

__all__ = ["GRACE_SECONDS", "Deadline", "Failure", "Interrupted", "PluginError", "guarded"]

T = TypeVar("T")

GRACE_SECONDS = 2.0
"""How long cancelled work may clean up before nobody waits for it any more."""

_LONGEST_MESSAGE = 2_000


class PluginError(HomeAgentError):
    """A plugin can't be registered, started or called as asked."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in foreign code. ``error`` is the exception for ``raised``; ``trace`` is for the log."""

    kind: Literal["raised", "timeout"]
    message: str
    error: BaseException | None = None
    trace: str = ""


class Interrupted(asyncio.CancelledError):
    """The caller was cancelled, and the work gave back in time what it had so far: ``so_far``."""

    def __init__(self, so_far: object) -> None:
        super().__init__()
        self.so_far = so_far


class Deadline:
    """So many seconds of work. While it is `paused`, as when a person is asked, none of them passes."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left = seconds
        self._since = time.monotonic()
        self._pauses = 0

    def left(self) -> float:
        """Return the seconds that are left now."""
        passed = 0.0 if self._pauses else time.monotonic() - self._since
        return max(0.0, self._left - passed)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the clock for as long as it is entered."""
        self._left = self.left()
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            self._since = time.monotonic()


async def guarded(work: Awaitable[T], limit: Deadline | float) -> T | Failure:
    """Return what ``work`` gives, or how it failed; when its time is over it is cancelled and counts as failed.

    When the caller is cancelled the work is cancelled first and gets `GRACE_SECONDS` to clean up. What it returns all
    the same comes with the `Interrupted` that is raised then.
    """
    deadline = limit if isinstance(limit, Deadline) else Deadline(limit)
    task = asyncio.ensure_future(_contained(work))
    try:
        while not task.done() and (left := deadline.left()):
            await asyncio.wait({task}, timeout=left)
    except asyncio.CancelledError:
        await _stopped(task)
        if task.done() and not task.cancelled() and not isinstance(so_far := task.result(), Failure):
            raise Interrupted(so_far) from None
        raise
    if task.done():
        return task.result()
    await _stopped(task)
    return Failure("timeout", f"it did not finish within {deadline.seconds:g} seconds and was stopped")


async def _stopped(task: asyncio.Future[T]) -> None:
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE_SECONDS)


async def _contained(work: Awaitable[T]) -> T | Failure:
    try:
        return await work
    except asyncio.CancelledError as error:
        current = asyncio.current_task()
        if current is not None and current.cancelling():
            raise
        return _failure(error)  # the work cancelled something of its own
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - the plugin boundary
        return _failure(error)


def _failure(error: BaseException) -> Failure:
    message = type(error).__name__
    with contextlib.suppress(Exception):  # an exception of foreign code may fail to describe itself
        message = f"{message}: {error}"[:_LONGEST_MESSAGE]
    notes = getattr(error, "__notes__", ())
    if isinstance(error, RemoteError) and notes:  # the traceback of the other process; that of this one says nothing
        return Failure("raised", message, error, "".join(notes))
    return Failure("raised", message, error, "".join(traceback.format_exception(error)))
