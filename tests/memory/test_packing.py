"""Packing: never over the budget, both shares, blocks of neighbours, long passages cut with a way to read on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent.memory import Fact, Hit, Neighbour, Place, Recall, TurnId
from homeagent.memory.packing import pack

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def words(text: str) -> int:
    return len(text.split())


def hit(name: str, text: str, *, beside=(), why=(), minute=0) -> Hit:
    return Hit(
        turn=TurnId(name), source="", external_id="", text=text, score=1.0, why=tuple(why), segment=0, span=None,
        place=Place("cli", "main"), sender="ada", at=NOON + timedelta(minutes=minute),
        neighbours=tuple(Neighbour(TurnId(other), "", step, said, None) for other, step, said in beside),
    )  # fmt: skip


def fact(value: str) -> Fact:
    return Fact(
        fact=f"f:{value}", subject="e", subject_name="Ada", relation="lives_in", value=value, object="", negative=False,
        mode="stated", confidence=0.9, since=NOON, until=None, current=True, state="holds", retracted=False, days=(),
        said=(),
    )  # fmt: skip


def found(*hits: Hit) -> Recall:
    return Recall(hits, 0.9, nothing=False, pending=0)


def test_what_fits_is_there_whole_with_its_date_place_and_speaker():
    made = pack(found(hit("t1", "The boiler was mended.")), [fact("Graz")], budget=100, count=words)
    assert made.text == (
        "[known since 2026-05-01] Ada - lives_in - Graz\n[2026-05-01 12:00, cli/main, ada] The boiler was mended."
    )
    assert made.tokens == words(made.text)
    assert (made.cut, made.left_out) == (frozenset(), ())


def test_turns_that_stood_together_are_one_block_in_the_order_they_were_said():
    later = hit("t2", "A tortoise.", beside=[("t1", -1, "What did you adopt?")], minute=2)
    other = hit("t9", "It snowed.", minute=30)
    earlier = hit("t1", "What did you adopt?", beside=[("t2", 1, "A tortoise.")], minute=1)
    made = pack(found(later, other, earlier), budget=100, count=words)
    assert [line.partition("] ")[2] for line in made.text.splitlines()] == [
        "What did you adopt?",
        "A tortoise.",
        "It snowed.",
    ]


def test_the_turn_beside_a_hit_fills_what_is_left_and_nothing_is_said_twice():
    beside = [("t0", -1, "What does she eat?"), ("t2", 1, "How sweet.")]
    one = hit("t1", "Dandelions mostly.", beside=beside)
    two = hit("t2", "How sweet.", beside=[("t1", -1, "Dandelions mostly.")], minute=1)
    made = pack(found(one, two), budget=100, count=words)
    assert "  (before) What does she eat?\n" in made.text
    assert made.text.count("How sweet.") == 1
    assert pack(found(one), budget=words(made.text) - 9, count=words).text.count("(before)") == 0
    assert "What does she eat?" not in pack(found(one), budget=100, count=words, in_view=["t0"]).text


def test_a_long_passage_is_cut_around_what_matched_and_says_how_to_read_on():
    text = "blah " * 300 + "the spare key is under the blue pot " + "blah " * 300
    made = pack(found(hit("t1", text, why=["words +3.0: spare key pot"])), budget=80, count=words)
    assert "the spare key is under the blue pot" in made.text
    assert made.text.endswith("characters; the rest: memory_read t1]")
    assert made.cut == {"t1"}
    assert made.tokens <= 80


def test_one_long_passage_leaves_room_for_the_next():
    long, short = hit("t1", "word " * 500), hit("t2", "The wifi password is on the fridge.", minute=1)
    made = pack(found(long, short), budget=120, count=words)
    assert [each.turn for each in made.hits] == ["t1", "t2"]
    assert made.cut == {"t1"}


def test_facts_keep_to_their_share_until_the_passages_have_theirs():
    facts = [fact(f"town{number}") for number in range(50)]
    passages = [hit(f"t{number}", "some words that were said " * 3, minute=number) for number in range(4)]
    made = pack(found(*passages), facts, budget=100, count=words)
    assert len(made.hits) == 4
    assert 2 <= len(made.facts) < 10
    assert len(pack(found(), facts, budget=100, count=words).facts) > len(made.facts)


def test_a_hit_in_view_is_left_out_with_its_reason():
    made = pack(found(hit("t1", "seen"), hit("t2", "new", minute=1)), budget=50, count=words, in_view=["t1"])
    assert [(each.turn, why) for each, why in made.left_out] == [("t1", "in view")]
    assert "seen" not in made.text


@pytest.mark.parametrize("budget", [0, -5])
def test_no_budget_is_an_empty_pack(budget: int):
    made = pack(found(hit("t1", "words")), [fact("Graz")], budget=budget, count=words)
    assert (made.text, made.tokens, made.facts) == ("", 0, ())
    assert [why for _, why in made.left_out] == ["no room"]


TEXTS = st.lists(st.text(alphabet="ab 中文\n", max_size=400), max_size=8)


@given(texts=TEXTS, budget=st.integers(0, 300), facts=st.integers(0, 8))
def test_the_budget_is_never_exceeded_and_every_hit_is_accounted_for(texts, budget, facts):
    hits = [
        hit(f"t{place}", text, beside=[(f"t{place + 1}", 1, "x" * 30)], minute=place)
        for place, text in enumerate(texts)
    ]
    made = pack(found(*hits), [fact(f"v{number}") for number in range(facts)], budget=budget, count=len)
    assert len(made.text) == made.tokens <= budget
    assert {each.turn for each in made.hits} | {each.turn for each, _ in made.left_out} == {each.turn for each in hits}
