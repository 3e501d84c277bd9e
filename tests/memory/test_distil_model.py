"""Facts by a model: checked word for word, asked once, and gone with what they rest on."""

from __future__ import annotations

import json
import sys

import pytest

from homeagent.memory.distil.merging import Merges, suggestions
from homeagent.memory.distil.model import MODEL_FACTS, ModelFact
from homeagent.memory.store.graph_records import EntityRef
from tests.memory.worlds import HIDDEN, compute_text, opened, reply, tables_holding, tool, turn, user


class ListedModel:
    """A model that answers from a list and counts how often it is asked."""

    model_id = "listed-1"

    def __init__(self, *facts):
        self.facts = facts
        self.asked = []

    def extract(self, text, relations):
        assert "likes" in relations
        self.asked.append(text.text)
        return [fact for fact in self.facts if fact.evidence in text.text]


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "home") as opened_memory:
        yield opened_memory


CAT = ModelFact("", "has", "a grey cat", "a grey cat sleeps on my bed")


def values(memory):
    return [fact.value for fact in memory.graph.facts()]


def test_a_models_fact_is_kept_with_its_words_and_it_is_not_asked_again(memory):
    memory.keep(turn(user("Well, a grey cat sleeps on my bed."), reply("Nice.")))
    model = ListedModel(CAT)
    assert memory.graph.extract(model) == 1
    assert memory.graph.extract(model) == 0
    assert values(memory) == ["a grey cat"]
    (fact,) = memory.graph.facts(subject="me")
    assert (fact.relation, fact.said[0].span) == ("has", (6, 33))
    assert fact.confidence < 0.9
    memory.rebuild()
    assert values(memory) == ["a grey cat"]
    assert memory.rebuild(verify=True).equal
    assert model.asked == ["Well, a grey cat sleeps on my bed.", "Nice."]


@pytest.mark.parametrize(
    "made_up",
    [
        ModelFact("", "has", "two cats", "a grey cat sleeps on my bed"),
        ModelFact("", "has", "a grey cat", "a grey cat sleeps on his bed"),
        ModelFact("", "adores", "a grey cat", "a grey cat sleeps on my bed"),
        ModelFact("Marek", "has", "a grey cat", "a grey cat sleeps on my bed"),
        ModelFact("", "has", "", "a grey cat sleeps on my bed"),
        ModelFact("", "has", "a grey cat", ""),
    ],
)
def test_what_does_not_stand_in_the_text_word_for_word_is_dropped(memory, made_up):
    memory.keep(turn(user("Well, a grey cat sleeps on my bed.")))
    memory.graph.extract(ListedModel(made_up))
    assert values(memory) == []


def test_the_logged_outcome_holds_places_and_no_words(memory):
    memory.keep(turn(user("a grey cat sleeps on my bed")))
    memory.graph.extract(ListedModel(CAT))
    (outcome,) = [row for row in memory._log.outcomes() if row.kind == MODEL_FACTS]
    assert "cat" not in outcome.payload
    assert json.loads(outcome.payload)["model"] == "listed-1"


def test_a_models_facts_follow_forget_policy_and_erasure(memory):
    kept = memory.keep(turn(user("a grey cat sleeps on my bed"), tool("a look")))
    memory.graph.extract(ListedModel(CAT))
    memory.forget(kept)
    memory.distil()
    assert values(memory) == []
    memory.undo(kept)
    memory.set_policies({"cli": HIDDEN}, kind="channel")
    memory.distil()
    assert values(memory) == []
    memory.set_policies({"cli": None}, kind="channel")
    memory.distil()
    assert values(memory) == ["a grey cat"]
    memory.erase(kept)
    memory.distil()
    assert values(memory) == []
    assert tables_holding(memory.home.derived, "a grey cat") == []
    assert memory.rebuild(verify=True).equal


def named(text):
    return EntityRef("named", "", text.lower(), compute_text(text))


def calls_for(count):
    every = [(named(f"Ada{at} Berg{at % (count // 2)}"), 1) for at in range(count)]
    calls = 0

    def counted(_frame, event, _arg):
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        suggestions(every, Merges([]))
    finally:
        sys.setprofile(before)
    return calls


def test_ten_times_as_many_names_are_ten_times_the_work_and_no_square():
    assert calls_for(3_000) < 15 * calls_for(300)


def test_names_that_differ_by_title_order_or_family_name_are_suggested_and_common_ones_are_not():
    every = [
        (named(text), 2) for text in ("Mrs Adler", "Adler", "Brandt Odalys", "Odalys Brandt", "林小满", "小满", "门")
    ]
    pairs = {frozenset((each.into_name, each.other_name)) for each in suggestions(every, Merges([]))}
    assert pairs == {
        frozenset(("Mrs Adler", "Adler")),
        frozenset(("Brandt Odalys", "Odalys Brandt")),
        frozenset(("林小满", "小满")),
    }
    crowd = [(named(f"Ada Berg{at}"), 1) for at in range(100)]
    assert suggestions(crowd, Merges([])) == []


def test_merges_in_a_long_chain_and_into_one_stand_for_what_was_said_last():
    chain = Merges((f"e{number}", f"e{number - 1}") for number in range(1, 3000))
    assert chain.root("e0") == "e2999"
    assert len(chain.members("e1500")) == 3000
    star = Merges([*(("hub", f"e{number}") for number in range(3000)), ("top", "hub")])
    assert star.root("e7") == "top"
    assert len(star.members("top")) == 3002
