"""Figures of a probability, against values worked out by hand."""

from __future__ import annotations

import json

import pytest

from bench.calibration import auroc, coverage_at_precision, reliability


def test_auroc_counts_the_pairs_in_the_right_order_and_equals_by_half() -> None:
    assert auroc([0.9, 0.8], [0.1, 0.2]) == 1
    assert auroc([0.1], [0.9]) == 0
    assert auroc([0.5, 0.9], [0.5, 0.1]) == pytest.approx((0.5 + 1 + 1 + 1) / 4)
    assert auroc([], [0.5]) is None


def test_coverage_is_the_largest_share_accepted_at_the_precision() -> None:
    assert coverage_at_precision([0.9, 0.8, 0.3], [0.5], 0.95) == pytest.approx(2 / 3)
    assert coverage_at_precision([0.9] * 19, [0.5], 0.95) == 1
    assert coverage_at_precision([0.1] * 19, [0.5], 0.95) == pytest.approx(1)  # 19 of 20 accepted are right
    assert coverage_at_precision([0.1], [0.5], 0.95) == 0


def test_the_reliability_diagram_has_a_row_for_each_tenth_that_is_not_empty() -> None:
    rows = reliability([0.95, 1.0, 0.05], [0.97])
    assert [row["n"] for row in rows] == [1, 3]
    assert rows[1]["true"] == pytest.approx(2 / 3, abs=0.001)


def test_the_abstain_report_has_the_agreed_form(bench, smoke, tmp_path) -> None:
    dump = tmp_path / "judged.jsonl"
    answer = bench("abstain", "--data", smoke, "--embedder", "hashed", "--dump", dump, "--json")
    assert answer.code == 0
    assert set(answer.report) == {"en", "zh"}
    for language in answer.report.values():
        assert {"auroc", "coverage_at_p95", "auroc_adversarial"} <= set(language)
        assert 0 <= language["auroc"] <= 1
    assert len(dump.read_text("utf-8").splitlines()) == 2 * 7 + 2


def test_some_questions_of_each_set_can_be_asked(bench, smoke, tmp_path) -> None:
    dump = tmp_path / "judged.jsonl"
    arguments = ("abstain", "--data", smoke, "--embedder", "hashed", "--questions", 2)
    assert bench(*arguments, "--dump", dump, "--json").code == 0
    rows = [json.loads(line) for line in dump.read_text("utf-8").splitlines()]
    for name in {row["set"] for row in rows}:
        assert len({row["question"] for row in rows if row["set"] == name}) == 2
