"""Running a command's own event loop, and leaving it although something in it does not stop."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

__all__ = ["run_until_done"]

T = TypeVar("T")

_LEAVE_SECONDS: Final = 2.0
_log = logging.getLogger("homeagent.cli")


def run_until_done(main: Coroutine[object, object, T]) -> T:
    """Run ``main`` as `asyncio.run` does and return what it returns.

    What it left running is cancelled and has 2 seconds to end. `asyncio.run` would wait for ever for a tool that
    swallows that; here it is left behind, and ends with this process.
    """
    runner = asyncio.Runner()
    try:
        return runner.run(main)
    finally:
        loop = runner.get_loop()
        left = loop.run_until_complete(_cancelled())
        if left:
            _log.warning("%d tasks of plugins don't stop; they end with this program", left)
            _abandon(loop)
        else:
            runner.close()


async def _cancelled() -> int:
    """Cancel every other task; return how many are still there afterwards."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if not tasks:
        return 0
    _, left = await asyncio.wait(tasks, timeout=_LEAVE_SECONDS)
    return len(left)


def _abandon(loop: asyncio.AbstractEventLoop) -> None:
    """Close the loop without waiting for its tasks."""
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.set_exception_handler(lambda _loop, _context: None)  # that they were pending at the end is known
    asyncio.set_event_loop(None)
    loop.close()
