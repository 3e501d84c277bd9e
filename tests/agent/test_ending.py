"""What runs beside the program ends with it, whatever it is doing when it is told to."""

from __future__ import annotations

import asyncio

from homeagent.app.ending import ended
from tests.agent.worlds import in_loop


@in_loop
async def test_a_task_that_loses_a_cancellation_is_told_again() -> None:
    lost = 0

    async def losing_the_first() -> None:
        nonlocal lost
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                lost += 1
                if lost > 1:
                    raise

    task = asyncio.create_task(losing_the_first())
    await asyncio.sleep(0)
    await ended(task)
    assert task.cancelled()
    assert lost == 2


@in_loop
async def test_a_task_that_has_ended_is_left_alone() -> None:
    task = asyncio.create_task(asyncio.sleep(0))
    await task
    await ended(task)
    assert not task.cancelled()
