"""A whole run: the agent asks another one, made with the official SDK; the fact inside is found, the envelope is not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from dev.plugin_tests.whole_run import call, stand_in, whole_run

if TYPE_CHECKING:
    from pathlib import Path


def test_what_another_agent_answers_is_found_and_its_envelope_is_not_computed(tmp_path: Path) -> None:
    async def run() -> None:
        script = [call("a2a_query", agent="trains", text="Which train goes to Ulm?"), "It is in the timetable."]
        with stand_in("a2a", "peer", "peer()") as address:
            permissions = [f"net:{address.removeprefix('http://')}"]
            settings = {"agents": {"trains": address}}
            async with whole_run(tmp_path / "home", "a2a", script, settings=settings, permissions=permissions) as world:
                await world.say("Ask the timetable for the train to Ulm.")
                assert '"state": "TASK_STATE_COMPLETED"' in world.outputs()[0]
                assert "platform 7" in world.found("From which platform does ICE 1234 leave?")[0].text
                assert "第二行：二等座" in world.computed()
                assert "a2a_query agent=trains" in world.computed()
                for wrapping in ("TASK_STATE", "artifactId", "contextId", "messageId", "ROLE_", "image/png"):
                    assert wrapping not in world.computed()

    asyncio.run(run())
