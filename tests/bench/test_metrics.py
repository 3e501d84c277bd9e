"""The figures of a ranking, held against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics import figures, in_per_cent, mean_figures, percentile, session_figures


def test_recall_is_the_share_of_the_gold_turns_among_the_first_k() -> None:
    found = figures(["a", "x", "b", "y", "z", "c"], ["a", "b", "c", "d"])
    assert (found["R@1"], found["R@3"], found["R@5"], found["R@10"]) == (0.25, 0.5, 0.5, 0.75)


def test_mrr_is_one_over_the_rank_of_the_first_gold_turn() -> None:
    assert figures(["x", "y", "a", "b"], ["a", "b"])["MRR"] == pytest.approx(1 / 3)
    assert figures(["x"], ["a"])["MRR"] == 0


def test_ndcg_compares_with_all_gold_turns_on_top() -> None:
    gain = 1 / math.log2(3) + 1 / math.log2(5)
    ideal = 1 + 1 / math.log2(3)
    assert figures(["x", "a", "y", "b"], ["a", "b"])["nDCG@10"] == pytest.approx(gain / ideal)


def test_ndcg_of_more_than_ten_gold_turns_can_still_be_perfect() -> None:
    gold = [f"g{n}" for n in range(14)]
    assert figures(gold, gold)["nDCG@10"] == pytest.approx(1)
    assert figures(gold, gold)["R@10"] == pytest.approx(10 / 14)


def test_a_gold_turn_beyond_rank_ten_gains_nothing_but_counts_for_mrr() -> None:
    ranked = [f"x{n}" for n in range(11)] + ["a"]
    found = figures(ranked, ["a"])
    assert (found["nDCG@10"], found["R@10"]) == (0, 0)
    assert found["MRR"] == pytest.approx(1 / 12)


def test_sessions_are_ranked_by_their_best_turn() -> None:
    sessions = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"}
    found = session_figures(["a1", "a2", "b1", "c1"], ["b1", "c1"], sessions)
    assert (found["R@1"], found["R@3"]) == (0, 1)
    assert found["MRR"] == pytest.approx(1 / 2)


def test_turns_of_a_pool_do_not_share_a_session() -> None:
    found = session_figures(["p1", "p2", "a1"], ["a1"], {"a1": "a"})
    assert found["MRR"] == pytest.approx(1 / 3)


def test_a_mean_is_over_questions_and_empty_without_any() -> None:
    rows = [figures(["a"], ["a"]), figures(["x"], ["a"])]
    assert in_per_cent(mean_figures(rows))["R@1"] == 50
    assert mean_figures([]) == {}


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(range(1, 101), 0.95) == 95
    assert percentile([], 0.5) == 0


@given(
    st.permutations([f"t{n}" for n in range(15)]), st.sets(st.sampled_from([f"t{n}" for n in range(15)]), min_size=1)
)
def test_every_figure_is_a_fraction_and_recall_grows_with_k(ranked, gold) -> None:
    found = figures(ranked, gold)
    assert all(0 <= value <= 1 + 1e-12 for value in found.values())
    assert found["R@1"] <= found["R@3"] <= found["R@5"] <= found["R@10"]
