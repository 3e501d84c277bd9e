"""Recall over the small set: the form of the report, and an independent reader of the dump."""

from __future__ import annotations

import json
import math
from collections import defaultdict

import pytest

from bench.data import Sets
from bench.turns import conversation_turns, pool_turns, viewer_in
from bench.vectors import HashedEmbedder
from homeagent.memory import Memory

TURN_KEYS = {"R@1", "R@3", "R@5", "R@10", "MRR", "nDCG@10"}


@pytest.fixture
def measured(bench, smoke, tmp_path):
    dump = tmp_path / "dump.jsonl"
    answer = bench("recall", "--data", smoke, "--embedder", "hashed", "--dump", dump, "--json")
    assert answer.code == 0
    return answer.report, [json.loads(line) for line in dump.read_text("utf-8").splitlines()]


def test_the_report_has_the_agreed_form(measured) -> None:
    report, _ = measured
    found = report["sets"]["smoke"]
    assert found["n"] == 7
    assert set(found["turn"]) == set(found["session"]) == TURN_KEYS
    assert set(found["query_ms"]) == {"p50", "p95"}
    assert set(found["baseline"]) == set(found["gain"]) == {"R@5", "R@10"}
    assert len(found["gain"]["R@5"]) == 3
    assert set(found["by_category"]) == {
        f"{lang}/{category}" for lang in ("en", "zh") for category in ("single-hop", "temporal", "multi-hop")
    }


def test_stdout_holds_one_json_object_and_the_rest_goes_to_stderr(bench, smoke) -> None:
    answer = bench("recall", "--data", smoke, "--embedder", "none", "--json")
    assert len(answer.out.splitlines()) == 1
    assert "questions" in answer.err
    assert "baseline" not in answer.report["sets"]["smoke"]


def test_without_json_a_table_is_shown(bench, smoke) -> None:
    answer = bench("recall", "--data", smoke, "--embedder", "hashed")
    assert answer.out.splitlines()[0].split()[:3] == ["set", "n", "R@1"]
    assert answer.out.splitlines()[1].split()[:2] == ["smoke", "7"]


def test_an_independent_reader_of_the_dump_gets_the_same_figures(measured, smoke) -> None:
    report, lines = measured
    sessions = {}
    for line in (smoke / "smoke.jsonl").read_text("utf-8").splitlines():
        conversation = json.loads(line)
        for unit in conversation["units"]:
            sessions[conversation["id"], unit["id"]] = unit["session"]
    sums = defaultdict(float)
    for line in lines:
        gold, ranked = set(line["gold"]), line["ranked"]
        assert len(ranked) == len(set(ranked))
        for k in (1, 3, 5, 10):
            sums[f"turn R@{k}"] += len(gold & set(ranked[:k])) / len(gold)
        first = next((place for place, name in enumerate(ranked) if name in gold), None)
        sums["turn MRR"] += 0 if first is None else 1 / (first + 1)
        discounts = [1 / math.log2(place + 2) for place in range(10)]
        gained = sum(discount for discount, name in zip(discounts, ranked, strict=False) if name in gold)
        sums["turn nDCG@10"] += gained / sum(discounts[: len(gold)])
        order = []
        for name in ranked:
            session = sessions.get((line["conversation"], name), name)
            if session not in order:
                order.append(session)
        wanted = {sessions[line["conversation"], name] for name in gold}
        sums["session R@1"] += len(wanted & set(order[:1])) / len(wanted)
    found = report["sets"]["smoke"]
    for name, total in sums.items():
        level, figure = name.split()
        assert found[level][figure] == pytest.approx(100 * total / len(lines), abs=0.006), name


def test_adversarial_questions_are_not_counted(measured) -> None:
    _, lines = measured
    assert len(lines) == 7
    assert "adversarial" not in {line["category"] for line in lines}


def test_a_question_sees_its_own_conversation_and_its_pool_and_nothing_else(smoke, tmp_path) -> None:
    sets = Sets(smoke)
    english, chinese = sets.read("smoke")
    with Memory.open(tmp_path / "home", embedder=HashedEmbedder()) as memory:
        memory.keep_all(pool_turns("smokepool", sets.read_pool("smokepool"), [chinese]))
        memory.keep_all([*conversation_turns(english), *conversation_turns(chinese)])
        memory.settle()
        for_english = memory.recall("Pebble", viewer=viewer_in("smoke:en", english.speakers), limit=100)
        for_chinese = memory.recall("散步", viewer=viewer_in("smoke:zh", chinese.speakers), limit=100)
    assert {hit.source for hit in for_english.hits} == {"smoke:en"}
    assert {hit.source for hit in for_chinese.hits} == {"smoke:zh", "smokepool"}


def test_homes_and_vectors_that_were_kept_give_the_same_report_again(bench, smoke, tmp_path) -> None:
    kept = ["--homes", tmp_path / "homes", "--cache", tmp_path / "cache"]
    first = bench("recall", "--data", smoke, "--embedder", "hashed", "--json", *kept).report["sets"]["smoke"]
    second = bench("recall", "--data", smoke, "--embedder", "hashed", "--json", *kept).report["sets"]["smoke"]
    del first["query_ms"], second["query_ms"]
    assert first == second
    assert list((tmp_path / "cache").iterdir())
