"""The measurement of what a long life costs, on one short enough for a test."""

from __future__ import annotations

import numpy as np
import pytest

from bench.cost import cost_report, cost_table
from bench.cost_turns import cost_turns, questions
from bench.cost_vectors import SyntheticEmbedder
from bench.errors import BenchError
from bench.vectors import HashedEmbedder
from homeagent.memory import Memory
from homeagent.memory.compute import QueryText
from homeagent.memory.door.door import label


def test_the_turns_hold_exactly_as_many_segments_as_asked_for_and_are_the_same_each_time():
    turns = list(cost_turns(301))
    assert sum(len(turn.segments) for turn in turns) == 301
    assert turns == list(cost_turns(301))
    assert [turn.external_id for turn in cost_turns(4, first=9)] == ["9", "10", "11"]


def test_a_few_words_stand_in_many_turns_and_questions_use_words_that_are_there():
    texts = [segment.text.lower() for turn in cost_turns(3_000) for segment in turn.segments]
    words = {word for text in texts if text.isascii() for word in text.rstrip(".").split()}
    asked = questions(20)
    english = [question.lower().rstrip("?").split()[6:] for question in asked if question.isascii()]
    assert len(english) == 10
    assert sum(word in words for four in english for word in four) > 20


def test_synthetic_vectors_are_unit_depend_on_the_text_alone_and_questions_are_the_other_ones():
    inner = HashedEmbedder()
    embedder = SyntheticEmbedder(inner)
    one, two = label("the spare key"), label("the blue pot")
    made = embedder.passages([one, two])
    assert np.allclose(np.linalg.norm(made, axis=1), 1, atol=1e-5)
    assert np.array_equal(embedder.passages([two])[0], made[1])
    assert 0.6 < float(made[0] @ made[1]) < 0.95
    assert np.array_equal(embedder.query(QueryText("where")), inner.query(QueryText("where")))
    assert (embedder.model_id, embedder.dimensions) == (inner.model_id, inner.dimensions)


def test_a_short_life_is_measured_from_every_side(tmp_path):
    report = cost_report(400, tmp_path, offline=False)
    assert report["segments"] == 400
    for name in ("recall_ms", "keep_ms"):
        assert 0 < report[name]["p50"] <= report[name]["p95"]
    assert report["embedded_per_second"] > 0
    assert report["memory_mb"] > 10
    assert report["disk_mb"] > 0
    assert report["filled_per_second"] > 0
    assert "growth" not in report
    assert "recall_ms" in cost_table(report)
    again = cost_report(400, tmp_path, offline=False)
    assert again["filled_per_second"] is None


def test_a_life_that_was_cut_off_while_it_was_filled_goes_on_where_it_was(tmp_path):
    with Memory.open(tmp_path / "cost-300-hashed", embedder=HashedEmbedder()) as memory:
        memory.keep_all(list(cost_turns(101)))
        there = memory.counts()["segment"]
    report = cost_report(300, tmp_path, offline=False)
    assert report["filled_per_second"] > 0
    with Memory.open(tmp_path / "cost-300-hashed", embedder=HashedEmbedder()) as memory:
        names = [row.external_id for row in memory.turns()]
        assert len(set(names)) == len(names)
        assert there < 300 <= memory.counts()["segment"]
        assert names[: len(list(cost_turns(300)))] == [turn.external_id for turn in cost_turns(300)]


def test_an_empty_life_is_refused(tmp_path):
    with pytest.raises(BenchError, match="--segments"):
        cost_report(0, tmp_path, offline=False)
