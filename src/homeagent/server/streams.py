"""Server-sent events: how they are written, and what keeps a silent stream from being taken for a dead one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

__all__ = ["SSE", "keeping_alive", "sse_lines"]

SSE: Final = "text/event-stream"
"""The media type of server-sent events."""

_SILENT_SECONDS: Final = 15.0


def sse_lines(data: Mapping[str, object], *, event: str = "", number: str = "") -> str:
    """Return one event as it goes over the wire."""
    lines = [f"event: {event}"] if event else []
    if number:
        lines.append(f"id: {number}")
    return "\n".join((*lines, f"data: {json.dumps(data, ensure_ascii=True)}", "", ""))


async def keeping_alive(
    events: AsyncIterator[str], seconds: float = _SILENT_SECONDS, *, most: float = 0.0
) -> AsyncIterator[str]:
    """Yield the events, and a comment, which every reader passes over, after each stretch of silence.

    After ``most`` seconds it ends whatever comes; 0 is never. The events are waited for in a task each: an
    ``asyncio.timeout`` around them would hold for the first of these alone.
    """
    waiting: asyncio.Task[str | None] | None = None
    loop = asyncio.get_running_loop()
    end = loop.time() + most if most else math.inf

    async def following() -> str | None:
        return await anext(events, None)

    try:
        while True:
            waiting = waiting or asyncio.create_task(following())
            done, _ = await asyncio.wait({waiting}, timeout=max(0.0, min(seconds, end - loop.time())))
            if loop.time() >= end:
                return
            if not done:
                yield ": still there\n\n"
                continue
            item, waiting = waiting.result(), None
            if item is None:
                return
            yield item
    finally:
        if waiting is not None:
            waiting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await waiting
        close = getattr(events, "aclose", None)
        if close is not None:
            await close()
