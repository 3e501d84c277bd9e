from __future__ import annotations

import json
from typing import TYPE_CHECKING

from homeagent.models import Say
from homeagent_sdk import Capabilities, RefusedError, tool
from tests.channels.worlds import ANNA, Platform, World, call, in_loop, until

if TYPE_CHECKING:
    from pathlib import Path


@tool
def look() -> str:
    """Look."""
    return "open"


def waiting(home: Path, folder: str) -> list[dict[str, object]]:
    return [json.loads(path.read_text("utf-8")) for path in sorted((home / "channels" / folder).glob("*.json"))]


@in_loop
async def test_a_long_answer_is_sent_in_pieces_in_order(tmp_path: Path) -> None:
    platform = Platform(can=Capabilities(length=20))
    async with World(tmp_path, ["The first.\n\nThe second.\n\nThe third."], platform=platform) as world:
        await world.says(ANNA, "three please")
        assert await world.hears(ANNA, 3) == ["The first.", "The second.", "The third."]
        await until(lambda: not waiting(tmp_path, "out"))
        assert world.raw()[0][1].text == "The first.\n\nThe second.\n\nThe third."


@in_loop
async def test_the_same_words_twice_in_one_turn_are_sent_once(tmp_path: Path) -> None:
    script = [Say("One moment.", (call("look"),)), Say("One moment.", (call("look", 2),)), "It is open.", "One moment."]
    async with World(tmp_path, script, look) as world:
        await world.says(ANNA, "is the shop open?", id="1")
        assert await world.hears(ANNA, 2) == ["One moment.", "It is open."]
        await world.says(ANNA, "and now?", id="2")
        assert (await world.hears(ANNA, 3))[2] == "One moment."  # another turn
        await world.settled()
        assert [each.text for each in world.raw()[0] if each.role == "assistant" and each.text] == [
            "One moment.",
            "One moment.",
            "It is open.",
        ]


@in_loop
async def test_what_could_not_be_sent_is_tried_again_in_order(tmp_path: Path) -> None:
    platform = Platform(can=Capabilities(length=5), faults=[ConnectionError("gone"), OSError("still gone")])
    async with World(tmp_path, ["one\n\ntwo"], platform=platform) as world:
        await world.says(ANNA, "count")
        assert await world.hears(ANNA, 2) == ["one", "two"]
        assert len({each.key for each in platform.sent}) == 2


@in_loop
async def test_what_was_not_sent_is_sent_after_a_restart(tmp_path: Path) -> None:
    platform = Platform(faults=[ConnectionError("down")] * 100_000)
    async with World(tmp_path, ["the answer"], platform=platform) as world:
        await world.says(ANNA, "hello")
        await until(lambda: world.app.hub.state().unsent == 1 and world.app.hub.state().unanswered == 0)
    (left,) = waiting(tmp_path, "out")
    assert left["@dict"], "it is on the disk"
    async with World(tmp_path, ["never"]) as world:
        assert await world.hears(ANNA) == ["the answer"]
        await until(lambda: world.app.hub.state().unsent == 0)
        assert world.requests == []


@in_loop
async def test_what_the_platform_refuses_is_given_up_and_the_next_one_is_sent(tmp_path: Path) -> None:
    platform = Platform(faults=[RefusedError("the bot was thrown out")])
    async with World(tmp_path, ["secret words", "second"], platform=platform) as world:
        await world.says(ANNA, "one")
        await until(lambda: world.app.hub.state().given_up == 1)
        await world.says(ANNA, "two")
        assert await world.hears(ANNA) == ["second"]
        (path,) = (tmp_path / "channels" / "failed").glob("*.json")
        assert "the bot was thrown out" in path.read_text("utf-8")
        assert "secret words" not in path.read_text("utf-8")


@in_loop
async def test_no_words_of_what_is_done_with_stay_in_the_spool(tmp_path: Path) -> None:
    async with World(tmp_path, ["zebra answer"]) as world:
        await world.says(ANNA, "zebra question", id="m1")
        await world.hears(ANNA)
        await until(lambda: world.app.hub.state().unsent == 0 and world.app.hub.state().unanswered == 0)
        files = [path for path in (tmp_path / "channels").rglob("*") if path.is_file()]
        assert not any("zebra" in path.read_text("utf-8") for path in files)


@in_loop
async def test_a_file_that_can_not_be_read_keeps_no_other_message_from_being_answered(tmp_path: Path) -> None:
    platform = Platform(faults=[ConnectionError("down")] * 100_000)
    async with World(tmp_path, ["the answer"], platform=platform) as world:
        await world.says(ANNA, "hello")
        await until(lambda: world.app.hub.state().unsent == 1)
    for folder in ("in", "out"):
        (tmp_path / "channels" / folder / f"0{folder}.json").write_text("{", "utf-8")
    async with World(tmp_path, []) as world:
        assert await world.hears(ANNA) == ["the answer"]
        assert len(list((tmp_path / "channels" / "failed").glob("*.unreadable"))) == 2
