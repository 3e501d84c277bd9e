"""The fit: it climbs, it judges on what it has not seen, and what it writes can be read by the product."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from bench.data import Sets
from bench.fit import _examples, climbed, logistic, quality, without_rows
from bench.options import Options
from homeagent.memory.recall.score import Scoring, rank_turns, scoring


@pytest.fixture(scope="module")
def examples():
    from tests.bench.conftest import SMOKE

    options = Options(Sets(SMOKE), ("smoke",), "hashed")
    return list(_examples(options, "smoke", options.new_embedder(), None))


def test_it_climbs_back_from_weights_that_hide_the_answers(examples) -> None:
    bad = replace(scoring().ranking, words=0.01, bigrams=0.01, meaning=0.01, question=-20.0, neighbour=5.0)
    start, end = quality(examples, bad)["smoke"], quality(examples, climbed(examples, bad, 6))["smoke"]
    assert end > start


def test_it_never_goes_down(examples) -> None:
    shipped = scoring().ranking
    assert quality(examples, climbed(examples, shipped, 1))["smoke"] >= quality(examples, shipped)["smoke"]


def test_without_its_gold_turns_the_evidence_is_that_of_a_memory_without_them(examples) -> None:
    each = next(one for one in examples if one.gold)
    without = without_rows(each.evidence, each.gold)
    gone = {each.evidence.outlines[row].seq for row in each.gold}
    assert {outline.seq for outline in without.outlines} == {o.seq for o in each.evidence.outlines} - gone
    ranking = rank_turns(without.passages, without.turns, without.question, scoring().ranking)
    assert len(ranking.order) == len(without.outlines)
    assert without.passages.turn.max() == len(without.outlines) - 1
    assert without.passages.asked is not None
    assert without.passages.asked.held.shape[1] == len(without.passages.turn)


def test_a_logistic_regression_finds_the_line_the_truth_was_drawn_from() -> None:
    random = np.random.default_rng(7)
    features = random.normal(size=(20_000, 2))
    chance = 1 / (1 + np.exp(-(0.5 + features @ np.array([2.0, -1.0]))))
    assert np.allclose(logistic(features, (random.random(20_000) < chance).astype(float)), [0.5, 2.0, -1.0], atol=0.1)


def test_a_row_that_counts_twice_is_a_row_that_is_there_twice() -> None:
    random = np.random.default_rng(3)
    features, true = random.normal(size=(300, 2)), (random.random(300) < 0.5).astype(float)
    twice = np.vstack([features, features[:100]]), np.concatenate([true, true[:100]])
    counts = np.where(np.arange(300) < 100, 2.0, 1.0)
    assert np.allclose(logistic(features, true, counts), logistic(*twice), atol=1e-6)


def test_the_command_writes_weights_that_the_product_reads(bench, smoke, tmp_path) -> None:
    out = tmp_path / "weights.json"
    arguments = ("fit", "--data", smoke, "--set", "smoke", "--embedder", "hashed", "--rounds", 1, "--folds", 2)
    answer = bench(*arguments, "--out", out, "--json")
    assert answer.code == 0
    report = answer.report
    assert report["fitted"]["mean"] >= report["shipped"]["mean"]
    assert set(report["unseen"]) == {"smoke", "mean"}
    written = msgspec.json.decode(out.read_bytes(), type=Scoring)
    assert written.neutral == scoring().neutral
    assert report["weights"] == json.loads(out.read_bytes())["ranking"]
