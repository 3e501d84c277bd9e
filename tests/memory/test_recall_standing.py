"""How things stand: corrections and changes go before what they replace, questions before nobody's answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from homeagent.memory import Memory, Place, Segment, Turn
from homeagent.memory.compute import ComputeText, DoorKey, QueryText
from homeagent.memory.embed import NoEmbedder
from homeagent.memory.recall.newest import Standing, newest_first
from homeagent.memory.text.speech import asks_how_it_stands, corrects, tells_of_change

START = datetime(2026, 6, 1, 9, tzinfo=UTC)
HERE = Place("cli", "main")


def text(words):
    return ComputeText(DoorKey(), words)


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as memory:
        yield memory


def keep(memory, number, words, reply="Noted.", *, days=0):
    segments = (Segment("user", words), Segment("assistant", reply))
    at = START + timedelta(days=days or number)
    memory.keep(Turn(HERE, "owner", segments, at=at, source="test", external_id=f"t{number}"))


def found(memory, question, at=START + timedelta(days=60)):
    return [hit.external_id for hit in memory.recall(question, at=at).hits]


def test_a_question_that_was_only_asked_is_no_answer(memory):
    keep(memory, 1, "The septic tank was emptied by Fosse & Sons.")
    keep(memory, 2, "Who emptied the septic tank?", "As I told you before.")
    keep(memory, 3, "谁清理了化粪池？", "就是之前说的那样。")
    assert found(memory, "who emptied the septic tank")[0] == "t1"


def test_what_a_person_said_goes_before_what_the_assistant_answered(memory):
    keep(memory, 1, "The sewing kit is in the piano stool.")
    for number in range(2, 5):
        keep(memory, number, "Where is the sewing kit?", "The sewing kit is in the piano stool.")
    assert found(memory, "where is the sewing kit")[0] == "t1"


def test_an_answer_that_nobody_else_gave_is_found(memory):
    keep(memory, 1, "谁是超级管理员", "root 是超级管理员。")
    keep(memory, 2, "超级市场几点关门", "九点。")
    assert found(memory, "谁是超级管理员")[0] == "t1"


def test_what_was_asked_is_found_where_that_is_asked_for(memory):
    keep(memory, 1, "When does the ferry leave?", "I do not know.")
    keep(memory, 2, "The ferry is blue.")
    assert found(memory, "did I ask when the ferry leaves")[0] == "t1"


def test_any_day_of_the_week_that_is_asked_about_is_in_it(memory):
    keep(memory, 1, "Paid the plumber.", days=1)
    keep(memory, 2, "Paid the electrician.", days=8)
    keep(memory, 3, "Paid the gardener.", days=15)
    at = START + timedelta(days=16)
    assert found(memory, "whom did I pay this week", at)[0] == "t3"
    assert found(memory, "whom did I pay last week", at)[0] == "t2"
    assert found(memory, "whom did I pay between June 1 and June 5", at)[0] == "t1"


def standing(**changed):
    plain = {
        "scores": np.array([9.0, 6.5, 6.0], np.float32),
        "plain": np.array([9.0, 6.5, 6.0], np.float32),
        "moments": [1, 2, 3],
        "changed": frozenset({1}),
        "sharing": frozenset({1}),
        "correction": -1,
        "asked": False,
    }
    return Standing(**(plain | changed))


ALIKE = np.array([[1.0, 0.0], [0.42, 0.9], [0.42, -0.9]], np.float32)


def test_a_change_goes_before_what_it_changes_though_the_newest_is_not_asked_for():
    assert newest_first([0, 1, 2], standing(), ALIKE) == ([1, 0, 2], frozenset({0}))


def test_a_newer_turn_that_changes_nothing_or_something_else_stays_behind():
    assert newest_first([0, 1, 2], standing(changed=frozenset()), ALIKE)[0] == [0, 1, 2]
    assert newest_first([0, 1, 2], standing(sharing=frozenset()), ALIKE)[0] == [0, 1, 2]
    unlike = np.array([[1.0, 0.0], [0.2, 0.9], [0.2, -0.9]], np.float32)
    assert newest_first([0, 1, 2], standing(), unlike)[0] == [0, 1, 2]


def test_a_change_is_weighed_without_what_a_known_fact_adds_to_the_older():
    scores, plain = np.array([13.0, 6.5, 6.0], np.float32), np.array([8.0, 6.5, 6.0], np.float32)
    assert newest_first([0, 1, 2], standing(scores=scores, plain=plain, asked=True), ALIKE)[0] == [1, 0, 2]


def test_a_correction_right_after_is_of_the_same_thing_however_it_is_worded():
    unlike = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], np.float32)
    assert newest_first([0, 1, 2], standing(correction=2), unlike) == ([2, 1, 0], frozenset({0}))


@pytest.mark.parametrize(
    "words",
    [
        "说错了，体检是周五上午", "又搬家了", "业主群的会议推迟到下周一了", "现在住城西的白桦苑", "不吃素了，改吃肉",
        "They moved the dentist to Thursday", "I renamed the guest network", "Grandma has a new number: 555-0178",
        "Actually no, the puppy is Waffle", "Lena is coming after all",
    ],
)  # fmt: skip
def test_a_change_is_told_by_its_words(words):
    assert tells_of_change(text(words))


@pytest.mark.parametrize(
    "words",
    ["改天再说", "车洗好了", "还好及时改了", "The lake has swans.", "My gym is on Foundry Street.", "体重秤坏了"],
)
def test_what_tells_of_no_change(words):
    assert not tells_of_change(text(words))


def test_a_correction_takes_back_what_was_just_said():
    assert corrects(text("打错了，是 4417"))
    assert corrects(text("That is wrong, the ferry leaves at 7:40."))
    assert not corrects(text("快递到了"))


@pytest.mark.parametrize("words", ["what is the guest wifi called", "when is the dentist", "我在哪家公司上班"])
def test_questions_about_how_things_stand(words):
    assert asks_how_it_stands(QueryText(words))


@pytest.mark.parametrize("words", ["who fixed the tap", "what did I buy", "我去过哪里", "谁学会了骑车"])
def test_questions_about_what_is_over(words):
    assert not asks_how_it_stands(QueryText(words))
