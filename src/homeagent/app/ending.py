"""Ending what runs beside the program, also where a cancellation gets lost in the middle of something."""

from __future__ import annotations

import asyncio
from typing import Final

__all__ = ["ended"]

_SECONDS: Final = 1.0


async def ended(task: asyncio.Task[None]) -> None:
    """Cancel a task until it has ended.

    Once is not enough: what waits for a process that ends in the same moment may take the cancellation for its own.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=_SECONDS)
