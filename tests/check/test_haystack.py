"""The haystack: everyday sentences around a case that have nothing to do with it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from homeagent.check.case import read_case
from homeagent.check.haystack import haystack, sentences

TURN = {
    "id": "t1",
    "at": "2026-05-05T10:00:00+02:00",
    "channel": "cli",
    "chat": "main",
    "person": "owner",
    "segments": [{"role": "user", "text": "The ferry was late."}],
}


def made(tmp_path, query, lang, count):
    check = {"recall": query, "chat": "main", "person": "owner", "top": 1, "must_include_turn": "t1"}
    value = {"name": "x", "kind": "noise", "lang": lang, "policies": {}, "haystack": count}
    path = tmp_path / "001-x.json"
    path.write_text(json.dumps(value | {"turns": [TURN], "checks": [check]}))
    return read_case(path)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_there_are_two_hundred_different_sentences_a_language(lang):
    found = sentences(lang)
    assert len(found) == len(set(found)) == 200
    assert all(sentence.strip() == sentence and sentence for sentence in found)


def test_half_stand_before_and_half_after_in_the_order_of_time(tmp_path):
    before, after = haystack(made(tmp_path, "attic", "en", 31))
    assert (len(before), len(after)) == (15, 16)
    times = [turn.at for turn in (*before, *made(tmp_path, "attic", "en", 0).turns, *after)]
    assert times == sorted(times)
    assert len(set(times)) == len(times)


def test_no_haystack_is_none(tmp_path):
    assert haystack(made(tmp_path, "attic", "en", 0)) == ([], [])


@pytest.mark.parametrize(
    ("lang", "query", "word"), [("en", "which ferry leaves", "ferry"), ("zh", "猫在哪里", "猫"), ("zh", "阳台", "阳台")]
)
def test_a_sentence_that_shares_a_content_word_with_a_question_is_left_out(tmp_path, lang, query, word):
    assert any(word in sentence for sentence in sentences(lang))
    before, after = haystack(made(tmp_path, query, lang, 190))
    assert not [turn for turn in (*before, *after) if word in turn.segments[0].text]


def test_more_than_there_are_come_again_at_other_times(tmp_path):
    before, after = haystack(made(tmp_path, "attic", "en", 450))
    turns = [*before, *after]
    assert len(turns) == 450
    assert len({turn.external_id for turn in turns}) == 450
    assert len({turn.at for turn in turns}) == 450


def test_it_is_said_where_the_case_is_said(tmp_path):
    case = made(tmp_path, "attic", "en", 4)
    before, after = haystack(replace(case, turns=(replace(case.turns[0], sender="ana"),)))
    assert {turn.sender for turn in (*before, *after)} == {"ana"}
