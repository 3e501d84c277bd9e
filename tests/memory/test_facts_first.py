"""A question that asks for a fact: what says it comes first, the value that holds before the older one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from homeagent.memory import Memory, Place, Segment, Turn, Viewer
from homeagent.memory.compute import QueryText
from homeagent.memory.embed import NoEmbedder
from homeagent.memory.knowledge.asking import wanted

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
HERE = Place("cli", "main")


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "home", embedder=NoEmbedder(), clock=lambda: START + timedelta(days=100)) as memory:
        yield memory


def told(memory, *sentences, sender="owner", place=HERE):
    for number, text in enumerate(sentences):
        at = START + timedelta(days=number)
        memory.keep(Turn(place, sender, (Segment("user", text),), at=at))
    memory.settle()


def first(memory, question, **viewer):
    return memory.recall(question, **viewer).hits[0].text


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        (["我住在杭州", "今天住在酒店的感觉怎么样", "我搬到苏州了", "住在哪里不重要"], "我现在住在哪里？", "我搬到苏州了"),
        (
            ["I live in Graz", "Where do people live in winter?", "I moved to Linz", "Cats live in boxes, you live in fear"],
            "Where do I live?",
            "I moved to Linz",
        ),
        (["我妹妹的生日是五月三日", "生日快乐！", "生日蛋糕买好了"], "我妹妹的生日是哪天？", "我妹妹的生日是五月三日"),
        (["My dog is called Rex", "Dogs called Bello bark", "what a name"], "What is my dog's name?", "My dog is called Rex"),
        (["我的猫叫豆包", "猫叫了一夜", "叫什么都行"], "我的猫叫什么？", "我的猫叫豆包"),
        (["My sister's birthday is 3 May", "Happy birthday!"], "When is my sister's birthday?", "My sister's birthday is 3 May"),
    ],
)  # fmt: skip
def test_what_says_the_fact_comes_first(memory, said, question, answer):
    told(memory, *said)
    assert first(memory, question) == answer


def test_the_older_value_is_marked_and_comes_first_where_it_is_asked_for(memory):
    told(memory, "I live in Graz", "I moved to Linz", "The weather was fine")
    hits = memory.recall("Where do I live?").hits
    assert [(hit.text, hit.superseded) for hit in hits[:2]] == [("I moved to Linz", False), ("I live in Graz", True)]
    assert first(memory, "Where did I live before?") == "I live in Graz"


def test_why_names_the_fact(memory):
    told(memory, "I live in Graz", "The weather was fine")
    assert any(reason.startswith("fact +") for reason in memory.recall("Where do I live?").hits[0].why)


def test_a_fact_told_in_another_private_chat_is_not_used(memory):
    told(memory, "I live in Graz", place=Place("qq", "ada"), sender="ada")
    told(memory, "I live in Linz", place=Place("qq", "bob"), sender="bob")
    viewer = Viewer("bob", Place("qq", "bob"), ("bob",))
    assert [hit.text for hit in memory.recall("Where do I live?", viewer=viewer).hits] == ["I live in Linz"]


def test_a_name_leads_to_the_facts_of_its_bearer(memory):
    told(memory, "Ada works at the harbour office", "Who works at night?", "Working at home is fine")
    assert first(memory, "Where does Ada work?") == "Ada works at the harbour office"


@pytest.mark.parametrize(
    ("question", "pairs"),
    [
        ("What is my mother's name?", {("me", "mother"), ("mother", "name")}),
        ("我爸爸叫什么名字", {("me", "father"), ("爸爸", "name")}),
        ("我对什么过敏？", {("me", "allergic_to")}),
        ("How old am I?", {("me", "age")}),
        ("Did it rain yesterday?", set()),
        ("昨天下雨了吗", set()),
    ],
)
def test_what_a_question_asks_for(question, pairs):
    assert pairs <= set(wanted(QueryText(question)).pairs)
    assert bool(pairs) == bool(wanted(QueryText(question)).pairs)
