"""A whole run: the agent asks another one, made with the official SDK; the fact inside is found, the envelope is not."""

from __future__ import annotations

import asyncio
import json
import socket
import time
import urllib.request
from typing import TYPE_CHECKING

from dev.plugin_tests.environments import PLUGINS, environment_of
from dev.plugin_tests.whole_run import call, stand_in, whole_run
from homeagent.config import ChannelOptions

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


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


async def served(address: str) -> None:
    def card() -> bool:
        try:
            urllib.request.urlopen(f"{address}/.well-known/agent-card.json").close()  # noqa: S310
        except OSError:
            return False
        return True

    end = time.monotonic() + 30
    while not await asyncio.to_thread(card):
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


async def ask(address: str, token: str, text: str) -> dict[str, object]:
    python, script = environment_of(PLUGINS / "a2a").python, PLUGINS / "a2a" / "tests" / "client.py"
    process = await asyncio.create_subprocess_exec(
        str(python), str(script), address, token, text, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    found: dict[str, object] = json.loads(output)
    return found


def test_another_agent_speaks_to_this_home_and_a_stranger_with_a_token_is_not_answered(tmp_path: Path) -> None:
    async def run() -> None:
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        settings = {"port": port, "clients": "desk=d3sk guest=gu3st", "title": "Haus am See"}
        channels = {"a2a": ChannelOptions(members=("desk",), merge_seconds=0.0)}
        async with whole_run(
            tmp_path / "home", "a2a", ["锅炉是周二检修的。 It was on Tuesday."], settings=settings, channels=channels
        ) as world:
            running = asyncio.create_task(world.app.hub.run())
            try:
                await served(address)
                assert await ask(address, "gu3st", "Who are you?") == {
                    "name": "Haus am See",
                    "state": "TASK_STATE_REJECTED",
                    "answers": [],
                }
                answer = await ask(address, "d3sk", "When was the boiler serviced?")
                assert (answer["state"], answer["answers"]) == (
                    "TASK_STATE_COMPLETED",
                    ["锅炉是周二检修的。 It was on Tuesday."],
                )
                (turn,) = world.app.memory.turns()
                assert (turn.place.channel, turn.sender) == ("a2a", "desk")
                assert turn.place.chat.startswith("desk/")
                assert world.app.memory.segments(turn)[0].segment.text == "When was the boiler serviced?"
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)

    asyncio.run(run())
