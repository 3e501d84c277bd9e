"""What a text stands for when turns are forgotten or erased by it: every turn that holds all its words, no other."""

from __future__ import annotations

import pytest

from homeagent.errors import NotFoundError
from homeagent.memory.erasing.targets import Target
from tests.memory.worlds import HIDDEN, LetterEmbedder, opened, reply, tool, turn, user

MANY = 520


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home", LetterEmbedder()) as memory:
        yield memory


def names(chosen):
    return [row.external_id for row in chosen.turns]


def meant(memory, text):
    return names(memory.forgetting.chosen(Target(text=text)))


def test_a_text_stands_for_every_turn_that_holds_it_however_many_there_are(memory):
    turns = [turn(user(f"parcel wombatly {number}"), external_id=str(number)) for number in range(MANY)]
    memory.keep_all([*turns, turn(user("a parcel for somebody else"), external_id="other")])
    every = [str(number) for number in range(MANY)]
    target = Target(text="Parcel WOMBATLY")
    assert names(memory.forgetting.forget(target)) == every
    assert names(memory.forgetting.undo(target)) == every
    memory.forgetting.erase(memory.forgetting.chosen(target))
    assert [row.external_id for row in memory.turns()] == ["other"]


@pytest.mark.parametrize("asked", ["门锁密码", "門鎖密碼", "密码 门锁"])
def test_a_chinese_text_is_found_wherever_a_dictionary_ends_its_words(memory, asked):
    said = ("门锁密码是七", "門鎖密碼本在抽屜", "旧的门锁密码锁坏了")
    memory.keep_all([turn(user(text), external_id=str(place)) for place, text in enumerate(said)])
    memory.keep(turn(user("门锁坏了"), external_id="other"))
    assert meant(memory, asked) == ["0", "1", "2"]


def test_the_words_may_stand_in_different_parts_of_a_turn_and_a_hidden_output_is_no_part(memory):
    memory.set_policies({"hide": HIDDEN})
    memory.keep(turn(user("Ｗｏｍｂａｔ"), tool("the parcel", "shown"), external_id="both"))
    memory.keep(turn(user("wombat " * 400), reply("parcel " * 400), external_id="long"))
    memory.keep(turn(user("wombat"), tool("the parcel", "hide"), external_id="hidden"))
    assert meant(memory, "wombat parcel") == ["both", "long"]


def test_a_text_that_no_turn_holds_is_said_to_be_in_none(memory):
    memory.keep(turn(user("the wombat")))
    with pytest.raises(NotFoundError):
        meant(memory, "wombat parcel")
