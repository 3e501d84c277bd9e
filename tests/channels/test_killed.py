"""A process that is killed between a message and its answer: after a restart it is answered, and once."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

import pytest

from tests.channels.worlds import OWN, World, in_loop, until

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
    import asyncio, sys, time
    from pathlib import Path
    from homeagent.models import Say, ToolCall
    from homeagent_sdk import tool
    from tests.channels.worlds import OWN, World

    home, when = Path(sys.argv[1]), sys.argv[2]

    @tool
    async def slow() -> str:
        '''Be slow.'''
        (home / "begun").touch()
        await asyncio.sleep(600)
        return ""

    @tool
    async def quick() -> str:
        '''Be quick.'''
        return "the kettle is on"

    async def main() -> None:
        calls = [Say("one moment", (ToolCall("c1", "quick", "{}"),)), ToolCall("c2", "slow", "{}")]
        script = {"taken": [], "tool": calls, "answered": ["the answer"], "said": ["the answer"]}[when]
        async with World(home, script, slow, quick) as world:
            if when == "taken":
                world.app.hub._desk.lanes.put = lambda place, job: (home / "begun").touch()
            if when == "said":
                world.app.memory.close = lambda *_: ((home / "begun").touch(), time.sleep(600))
            if when == "answered":
                world.platform.faults += [ConnectionError("down")] * 100_000
            await world.says(OWN, "put the kettle on", id="m1")
            while when == "answered":
                await asyncio.sleep(0.01)
                if world.app.hub.state().unanswered == 0:
                    (home / "begun").touch()
            await asyncio.sleep(600)

    asyncio.run(main())
"""


def killed(home: Path, when: str) -> None:
    home.mkdir(exist_ok=True)
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(PROGRAM), str(home), when])
    deadline = time.monotonic() + 50
    while not (home / "begun").exists():
        assert process.poll() is None
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    process.kill()
    process.wait(30)
    assert (home / "begun").exists()


@pytest.mark.parametrize("when", ["taken", "tool", "answered"])
@in_loop
async def test_a_message_is_answered_once_however_far_it_came(tmp_path: Path, when: str) -> None:
    killed(tmp_path, when)
    script = [] if when == "answered" else ["It is on."]
    expected = ["the answer"] if when == "answered" else ["It is on."]
    async with World(tmp_path, script) as world:
        await world.hears(OWN)
        await until(lambda: world.app.hub.state().unanswered == 0 and world.app.hub.state().unsent == 0)
        said = world.platform.texts(OWN)
        assert [each for each in said if each != "one moment"] == expected, "which may have gone out before"
        assert not await world.says(OWN, "put the kettle on", id="m1")
        words = [segment.text for turn in world.raw() for segment in turn if segment.role == "user"]
        assert words == ["put the kettle on"], "and it stands in the log once"
    if when == "tool":
        seen = [message.text for message in world.requests[0].messages]
        assert any("the kettle is on" in text for text in seen), "what was done is known"
    async with World(tmp_path, []) as world:
        assert not await world.says(OWN, "put the kettle on", id="m1")
        assert world.platform.sent == []


@in_loop
async def test_an_answer_that_was_given_is_not_given_anew_although_the_turn_was_not_closed(tmp_path: Path) -> None:
    killed(tmp_path, "said")
    async with World(tmp_path, []) as world:
        await world.settled()
        assert world.statuses() == ["interrupted"]
        assert [segment.text for turn in world.raw() for segment in turn] == ["put the kettle on", "the answer"]
        assert world.platform.texts(OWN) in ([], ["the answer"]), "it may have gone out before"
