"""The bench of facts: its labels are well formed, and its figures are counted as they are defined."""

from __future__ import annotations

from bench.facts import FOLDER, HALVES, Labelled, measured, read_labels, report, table
from homeagent.memory.distil.keys import value_key
from homeagent.memory.distil.relations import RELATIONS


def test_the_labelled_set_has_two_hundred_sentences_half_of_each_language_in_each_half():
    halves = {half: read_labels(FOLDER / f"{half}.jsonl") for half in HALVES}
    for sentences in halves.values():
        assert sorted(each.language for each in sentences) == ["en"] * 50 + ["zh"] * 50
    texts = [each.text for sentences in halves.values() for each in sentences]
    assert len(set(texts)) == 200


def test_every_label_has_a_known_relation_and_a_value_that_stands_in_its_sentence():
    for half in HALVES:
        for each in read_labels(FOLDER / f"{half}.jsonl"):
            for _, relation, value, _ in each.claims:
                assert relation in RELATIONS
                assert value in value_key(each.text), each


def test_precision_and_recall_are_counted_over_facts():
    right = Labelled("a", "en", "My name is Marek.", frozenset({("me", "name", "marek", "stated")}))
    missed = Labelled("b", "en", "Nothing here.", frozenset({("me", "likes", "tea", "stated")}))
    figures = measured([right, missed])["all"]
    assert (figures["precision"], figures["recall"], figures["right"], figures["wanted"]) == (1.0, 0.5, 1, 2)


def test_both_halves_are_reported_and_the_development_half_is_not_the_worse():
    figures = report()
    dev, held = (figures["sets"][half]["all"] for half in HALVES)
    assert held["precision"] >= 0.85
    assert held["recall"] >= 0.85
    assert dev["f1"] >= held["f1"]
    assert len(table(figures).splitlines()) > 20
