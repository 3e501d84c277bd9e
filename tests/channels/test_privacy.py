from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from homeagent.agent import Incoming
from homeagent.memory import Place
from tests.channels.worlds import ANNA, BEN, HOUSE, OWN, World, in_loop

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.models import ModelRequest

SECRET = "My locker code is 4417."
QUESTION = "What is the locker code?"


def recalled(request: ModelRequest) -> str:
    """What the last message brought beside the words that were said."""
    return request.messages[-1].text.partition("<context")[2]


@in_loop
async def test_what_two_guests_say_never_meets(tmp_path: Path) -> None:
    async with World(tmp_path, ["noted", "I don't know", "4417"]) as world:
        await world.says(ANNA, SECRET)
        await world.hears(ANNA)
        await world.settled()
        await world.says(BEN, QUESTION)
        await world.hears(BEN)
        await world.settled()
        assert "4417" not in str(world.requests[1])
        await world.says(ANNA, QUESTION, chat="anna-2")
        await world.hears("anna-2")
        await world.settled()
        assert "4417" in recalled(world.requests[2]), "she was there herself"


@in_loop
async def test_a_private_note_never_surfaces_in_a_group(tmp_path: Path) -> None:
    async with World(tmp_path, ["noted", "no", "no", "yes"]) as world:
        await world.says(OWN, SECRET)
        await world.hears(OWN)
        await world.settled()
        group = {"chat": "g1", "group": True, "addressed": True}
        await world.says(OWN, QUESTION, members=(OWN, ANNA), **group)
        await world.says(OWN, QUESTION, **group)
        await world.hears("g1", 2)
        await world.settled()
        assert "4417" not in str(world.requests[1])
        assert "4417" not in str(world.requests[2]), "nor where the platform does not tell who is there"
        await world.app.agent.respond(Incoming(QUESTION, Place("cli", "main")))
        assert "4417" in recalled(world.requests[3]), "the owner has it at the terminal"


@in_loop
async def test_what_was_said_in_a_group_is_recalled_in_private_by_who_was_there(tmp_path: Path) -> None:
    async with World(tmp_path, ["noted", "4417", "no"]) as world:
        group = {"chat": "g1", "group": True, "addressed": True, "members": (OWN, ANNA)}
        await world.says(OWN, SECRET, **group)
        await world.hears("g1")
        await world.settled()
        await world.says(ANNA, QUESTION)
        await world.hears(ANNA)
        await world.settled()
        await world.says(BEN, QUESTION)
        await world.hears(BEN)
        await world.settled()
        assert "4417" in recalled(world.requests[1])
        assert "4417" not in str(world.requests[2])


@in_loop
async def test_two_groups_of_unknown_members_do_not_hear_of_each_other(tmp_path: Path) -> None:
    async with World(tmp_path, ["noted", "no"], options=replace(HOUSE, groups=("g1", "g2"), answer="always")) as world:
        await world.says(ANNA, SECRET, chat="g1", group=True)
        await world.hears("g1")
        await world.settled()
        await world.says(ANNA, QUESTION, chat="g2", group=True)
        await world.hears("g2")
        await world.settled()
        assert "4417" not in str(world.requests[1])
