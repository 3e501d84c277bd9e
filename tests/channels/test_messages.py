from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from homeagent.errors import HomeError
from homeagent.models import Say
from homeagent_sdk import Attachment
from tests.channels.worlds import ANNA, BEN, HOUSE, OWN, World, in_loop, until

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.models import ModelRequest


def echo(request: ModelRequest) -> str:
    """Repeat the last line that somebody said."""
    words = request.messages[-1].text.split("<context")[0]
    lines = [line for line in words.splitlines() if line and not line.startswith("<")]
    return f"re {lines[-1]}"


@in_loop
async def test_a_message_is_a_turn_and_its_answer_goes_to_its_chat(tmp_path: Path) -> None:
    async with World(tmp_path, ["hello Anna"]) as world:
        assert await world.says(ANNA, "hello\u200b there \r\n", id="m1", sender_name="Anna")
        assert await world.hears(ANNA) == ["hello Anna"]
        await world.settled()
        (turn,) = world.app.memory.turns()
        assert (turn.place.channel, turn.place.chat, turn.sender, turn.status) == ("chat", ANNA, ANNA, "done")
        assert [each.text for each in world.raw()[0]] == ["hello\u200b there \r\n", "hello Anna"]
        assert (turn.source, turn.external_id) == ("channel chat", f"{ANNA}/m1")
        assert 'from="1001" name="Anna"' in world.requests[0].messages[-1].text


@in_loop
async def test_the_messages_of_a_chat_are_answered_in_order(tmp_path: Path) -> None:
    pauses = iter([0.05, 0.02, 0.0])
    async with World(tmp_path, lambda request: Say(echo(request), pause=next(pauses))) as world:
        for number in range(3):
            await world.says(ANNA, f"word {number}", id=str(number))
        assert await world.hears(ANNA, 3) == ["re word 0", "re word 1", "re word 2"]
        await world.settled()
        assert world.statuses() == ["done"] * 3


@in_loop
async def test_chats_do_not_wait_for_each_other(tmp_path: Path) -> None:
    def slow_for_anna(request: ModelRequest) -> Say:
        return Say(
            "at last" if f"/{ANNA}" in request.cache_key else "at once",
            pause=3600.0 if ANNA in request.cache_key else 0,
        )

    async with World(tmp_path, slow_for_anna) as world:
        await world.says(ANNA, "take your time")
        await until(lambda: len(world.requests) == 1)
        await world.says(BEN, "quick please")
        assert await world.hears(BEN) == ["at once"]
        assert world.platform.texts(ANNA) == []


@in_loop
async def test_what_comes_twice_is_answered_once_also_after_a_restart(tmp_path: Path) -> None:
    async with World(tmp_path, ["once", "twice"]) as world:
        assert await world.says(ANNA, "hi", id="m1")
        assert not await world.says(ANNA, "hi", id="m1")
        await world.hears(ANNA)
        assert not await world.says(ANNA, "hi", id="m1")
        assert await world.says(BEN, "hi", id="m1"), "an id is of its chat"
        await world.hears(BEN)
    (tmp_path / "channels" / "done.txt").unlink()  # the log alone knows it too
    async with World(tmp_path, ["never"]) as world:
        assert not await world.says(ANNA, "hi", id="m1")
        assert len(world.raw()) == 2
        assert world.requests == []


@in_loop
async def test_rapid_messages_of_one_sender_are_one_turn_with_a_segment_each(tmp_path: Path) -> None:
    options = replace(HOUSE, merge_seconds=0.2)
    async with World(tmp_path, ["all of it", "more"], options=options) as world:
        for number, text in enumerate(["can you  ", "look up", " the weather?"]):
            await world.says(ANNA, text, id=f"m{number}")
        assert await world.hears(ANNA) == ["all of it"]
        assert [each.text for each in world.raw()[0]] == ["can you  ", "look up", " the weather?", "all of it"]
        assert "can you  \nlook up\n the weather?" in world.requests[0].messages[-1].text
        for number in range(3):
            assert not await world.says(ANNA, "again", id=f"m{number}"), "each of them is known"
    async with World(tmp_path, ["never"], options=options) as world:
        for number in range(3):
            assert not await world.says(ANNA, "again", id=f"m{number}")
        assert len(world.raw()) == 1


@in_loop
async def test_somebody_else_ends_the_waiting_for_more(tmp_path: Path) -> None:
    options = replace(HOUSE, merge_seconds=3600.0, answer="always")
    async with World(tmp_path, ["to Anna", "to Ben"], options=options) as world:
        await world.says(ANNA, "I think", chat="g1", group=True)
        await world.says(BEN, "me too", chat="g1", group=True)
        assert await world.hears("g1") == ["to Anna"]


@in_loop
async def test_the_window_after_a_restart_shows_merged_messages_as_one(tmp_path: Path) -> None:
    options = replace(HOUSE, merge_seconds=0.1)
    async with World(tmp_path, ["yes"], options=options) as world:
        await world.says(ANNA, "one")
        await world.says(ANNA, "two")
        await world.hears(ANNA)
    async with World(tmp_path, ["still yes"], options=options) as world:
        await world.says(ANNA, "three")
        await world.hears(ANNA)
        _, first, *_ = world.requests[0].messages
        assert first.role == "user"
        assert "one\ntwo" in first.text


@in_loop
async def test_the_owner_is_known_by_his_id_and_speaks_unmarked(tmp_path: Path) -> None:
    async with World(tmp_path, ["sir", "madam", "sir again"]) as world:
        await world.says(OWN, "it is me")
        await world.hears(OWN)
        await world.says(ANNA, "it is me", sender_name="owner")
        await world.hears(ANNA)
        assert world.requests[0].messages[-1].text.startswith("it is me")
        assert world.requests[1].messages[-1].text.startswith('<message from="1001"')
    async with World(tmp_path, ["sir again"]) as world:
        await world.says(OWN, "and again")
        await world.hears(OWN)
        assert world.requests[0].messages[1].text == "it is me", "in the window he speaks unmarked too"


@in_loop
async def test_an_owner_who_is_named_no_more_is_a_stranger_again(tmp_path: Path) -> None:
    async with World(tmp_path, ["hi"]) as world:
        assert world.app.memory.people.who("chat", OWN) == "owner"
    async with World(tmp_path, ["hi"], options=replace(HOUSE, owners=())) as world:
        assert world.app.memory.people.who("chat", OWN) == f"chat:{OWN}"
        assert not await world.says(OWN, "let me in")


@in_loop
async def test_attachments_come_with_their_message(tmp_path: Path) -> None:
    picture = Attachment("image/png", b"\x89PNG\x00", "cat.png")
    async with World(tmp_path, ["a cat"]) as world:
        await world.says(ANNA, "", attachments=(picture,))
        await world.hears(ANNA)
        (kept,) = world.raw()[0][0].attachments
        assert (kept.media_type, kept.data, kept.name) == ("image/png", b"\x89PNG\x00", "cat.png")


@in_loop
async def test_a_message_that_can_not_be_kept_is_not_taken_and_may_come_again(tmp_path: Path) -> None:
    async with World(tmp_path, ["hi"]) as world:
        folder = tmp_path / "channels" / "in"
        folder.rmdir()
        folder.touch()
        with pytest.raises(HomeError, match="can't be written"):
            await world.says(ANNA, "hello", id="m1")
        folder.unlink()
        folder.mkdir()
        assert await world.says(ANNA, "hello", id="m1")
        assert await world.hears(ANNA) == ["hi"]
