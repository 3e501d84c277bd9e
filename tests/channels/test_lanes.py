from __future__ import annotations

import asyncio
import contextvars

from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.channels.lanes import Job, Lanes
from homeagent.memory import Place
from tests.channels.worlds import in_loop, until

HERE, THERE = Place("chat", "here"), Place("chat", "there")


class Work:
    """A job that takes some steps, and goes on where it was stopped; what is done is written into ``log``."""

    def __init__(self, name: str, log: list[str], steps: int = 3) -> None:
        self.name, self.log, self.left = name, log, steps

    async def run(self) -> None:
        while self.left:
            await asyncio.sleep(0)
            self.left -= 1
            self.log.append(self.name)


@given(st.lists(st.tuples(st.integers(-2, 2), st.booleans(), st.integers(0, 3), st.integers(0, 4)), max_size=8))
@settings(deadline=None, max_examples=60)
def test_whatever_interrupts_every_job_is_done_whole_and_never_two_at_once(
    jobs: list[tuple[int, bool, int, int]],
) -> None:
    log: list[str] = []
    running = 0

    async def main() -> None:
        lanes = Lanes()
        made: list[Job] = []
        for number, (priority, interrupt, steps, wait) in enumerate(jobs):
            work = Work(str(number), log, steps)

            async def alone(work: Work = work) -> None:
                nonlocal running
                running += 1
                try:
                    assert running == 1
                    await work.run()
                finally:
                    running -= 1

            made.append(Job(alone, priority, interrupt))
            lanes.put(HERE, made[-1])
            for _ in range(wait):
                await asyncio.sleep(0)
        for job in made:
            await job.ended.wait()
        await asyncio.sleep(0)
        assert not lanes.busy

    asyncio.run(asyncio.wait_for(main(), 60))
    assert sorted(log) == sorted(str(number) for number, job in enumerate(jobs) for _ in range(job[2]))


@in_loop
async def test_what_was_interrupted_goes_on_before_what_came_after_it() -> None:
    lanes, log = Lanes(), []

    async def hang_once() -> None:
        log.append("first")
        if len(log) == 1:
            await asyncio.Event().wait()

    second = Job(Work("second", log, 1).run)
    lanes.put(HERE, Job(hang_once))
    await until(lambda: log == ["first"])
    lanes.put(HERE, second)
    lanes.put(HERE, Job(Work("urgent", log, 1).run, interrupt=True))
    await second.ended.wait()
    assert log == ["first", "urgent", "first", "second"]


@in_loop
async def test_a_job_that_fails_stops_no_other_one() -> None:
    lanes, log = Lanes(), []

    async def fail() -> None:
        raise RuntimeError("a mistake")

    broken, good = Job(fail), Job(Work("good", log, 1).run)
    lanes.put(HERE, broken)
    lanes.put(HERE, good)
    await good.ended.wait()
    assert log == ["good"]
    assert broken.ended.is_set()


@in_loop
async def test_what_is_withdrawn_is_not_done_and_does_not_come_again() -> None:
    lanes, log = Lanes(), []
    gate = asyncio.Event()

    async def wait() -> None:
        await gate.wait()
        log.append("waited")

    running, waiting = Job(wait), Job(Work("never", log).run)
    lanes.put(HERE, running)
    lanes.put(HERE, waiting)
    await asyncio.sleep(0)
    lanes.withdraw(HERE, waiting)
    lanes.withdraw(HERE, running)
    await running.ended.wait()
    assert waiting.ended.is_set()
    assert log == []


@in_loop
async def test_a_job_runs_in_the_context_it_was_made_in() -> None:
    whose: contextvars.ContextVar[str] = contextvars.ContextVar("whose", default="nobody")
    lanes, seen = Lanes(), []

    async def look() -> None:
        seen.append(whose.get())

    def put(name: str) -> Job:
        whose.set(name)
        job = Job(look)
        lanes.put(HERE, job)
        return job

    jobs = [contextvars.copy_context().run(put, name) for name in ("anna", "ben")]
    for job in jobs:
        await job.ended.wait()
    assert seen == ["anna", "ben"]


@in_loop
async def test_closing_stops_what_runs_in_every_lane() -> None:
    lanes = Lanes()
    stopped: list[str] = []

    async def hang(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(name)

    for place in (HERE, THERE):
        lanes.put(place, Job(lambda name=place.chat: hang(name)))
    await asyncio.sleep(0.01)
    await lanes.close()
    assert sorted(stopped) == ["here", "there"]
