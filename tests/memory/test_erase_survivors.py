"""What stays and says the same as what is erased: whatever its length, and a single part of it too."""

from __future__ import annotations

import json

import pytest

from homeagent.memory.erasing.targets import Target
from tests.memory.worlds import LetterEmbedder, opened, reply, tool, turn, user

DOOR = "My door code is QX88412-KJ, and please buy milk, bread and some of the good olives too."


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        yield memory


def left(memory, kept):
    chosen = memory.forgetting.chosen(Target((kept,)))
    return [(each.external_id, each.segment, each.why) for each in memory.forgetting.survivors(chosen)]


@pytest.mark.parametrize("text", ["密码0917", "暗号7316", "暗号", "pin 42"])
def test_the_same_short_words_are_listed(memory, text):
    kept = memory.keep(turn(user(text), reply("好")))
    memory.keep(turn(user(f" {text}\n"), reply("好"), external_id="twin"))
    memory.keep(turn(user("什么都没有说过"), external_id="other"))
    assert left(memory, kept) == [("twin", 0, "same words")]


def test_an_acknowledgement_that_many_turns_hold_is_not_listed(memory):
    kept = memory.keep(turn(user("好的"), reply("Noted.")))
    memory.keep(turn(user("好的"), reply("Noted."), external_id="other"))
    assert left(memory, kept) == []


PARTS = {
    "a token": (DOOR, "It was qx88412-kj."),
    "a sentence": (DOOR, "You said: 'please buy  MILK, bread' to me"),
    "Chinese": ("我的身份是卧底，代号鸬鹚。今天还买了菜。", "你的身份是卧底"),
    "traditional Chinese": ("我的身份是卧底，代号鸬鹚。今天还买了菜。", "你的身份是臥底嗎"),
    "a line of it": ("some words\nred heron\nmore words", "it said red heron, twice"),
    "a line that stands in it": ("The launch phrase is copper heron, remember it", "copper heron"),
    "escaped": ("门锁的备用电池在鞋柜右格", json.dumps({"text": "备用电池在鞋柜右格"})),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_reply_an_output_and_an_argument_that_repeat_a_part_are_listed(memory, part):
    said, repeated = PARTS[part]
    kept = memory.keep(turn(user(said)))
    memory.keep(turn(user("again"), reply(repeated), external_id="reply"))
    memory.keep(turn(user("again"), tool(repeated), chat="other", external_id="output"))
    memory.keep(turn(user("again"), tool("x", arguments=json.dumps({"q": repeated})), external_id="argument"))
    memory.keep(turn(user("some milk and bread"), reply("是的，身份"), external_id="other"))
    assert [(name, why) for name, _, why in left(memory, kept)] == [
        ("reply", "quotes it"),
        ("output", "quotes it"),
        ("argument", "quotes it"),
    ]


def test_a_part_is_found_in_a_text_of_any_length(memory):
    kept = memory.keep(turn(user(DOOR)))
    memory.keep(turn(tool("lorem ipsum 1\n" * 100_000 + "the good olives too"), external_id="long"))
    assert left(memory, kept) == [("long", 0, "quotes it")]
