from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent_sdk import MemoryPolicy, regex
from tests.channels.worlds import ANNA, Platform, World, in_loop

if TYPE_CHECKING:
    from pathlib import Path

WORDS = "[at:99] the spare key is in the shed\nSent from my phone"
REPLY = "Noted: the shed it is.\n-- sent by the house bot"
NO_MENTION = MemoryPolicy(cleaner=regex(r"\[at:\d+\] |\nSent from my phone", ""))
NO_SIGNATURE = MemoryPolicy(cleaner=regex(r"\n-- sent by .*", ""))


@in_loop
async def test_a_channel_cleans_what_is_computed_of_words_and_replies_and_nothing_else(tmp_path: Path) -> None:
    platform = Platform(input=NO_MENTION, output=NO_SIGNATURE)
    async with World(tmp_path, [REPLY], platform=platform) as world:
        await world.says(ANNA, WORDS)
        assert await world.hears(ANNA) == [REPLY], "what is sent is what was said"
        await world.settled()
        assert [each.text for each in world.raw()[0]] == [WORDS, REPLY]
        assert WORDS in world.requests[0].messages[-1].text, "the model reads what was said"
        words, reply = world.app.memory.all_computed()
        assert words.text.text == "the spare key is in the shed"
        assert (words.decision, reply.decision) == ("cleaned", "cleaned")
        assert reply.text.text == "Noted: the shed it is."


@in_loop
async def test_a_change_of_policy_computes_anew_and_leaves_raw_alone(tmp_path: Path) -> None:
    async with World(tmp_path, [REPLY]) as world:
        await world.says(ANNA, WORDS)
        await world.hears(ANNA)
        await world.settled()
        before = world.app.memory.digest()
        assert "house bot" in world.computed()
        assert "from my phone" in world.computed()
    async with World(tmp_path, [], platform=Platform(input=NO_MENTION, output=NO_SIGNATURE)) as world:
        assert world.app.memory.digest() == before
        assert "house bot" not in world.computed()
        assert "from my phone" not in world.computed()
        assert "in the shed" in world.computed()
        world.app.memory.set_policies({"chat.output": MemoryPolicy(no_memory=True)}, kind="channel")
        assert "Noted" not in world.computed()
        assert "in the shed" in world.computed()
        world.app.memory.set_policies({"chat.output": None, "*": MemoryPolicy(no_memory=True)}, kind="channel")
        assert "Noted" in world.computed(), "a glob of the owner speaks of people's words"
        assert "in the shed" not in world.computed()
        assert world.app.memory.digest() == before
    async with World(tmp_path, [], platform=Platform()) as world:
        world.app.memory.set_policies({"*": None}, kind="channel")
        assert "house bot" in world.computed()
        assert world.app.memory.rebuild(verify=True).equal
