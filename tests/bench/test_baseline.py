"""The baseline: BM25 and z-scores against values worked out by hand, and its recipes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.baseline import Baseline, Document, Documents, Recipe, recipe_for, standardised
from bench.lexical import Bm25, bigrams, words


def test_bm25_is_the_formula() -> None:
    index = Bm25([["cat", "sat"], ["dog", "dog", "ran", "far"], ["cat", "cat", "cat", "cat"]])
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    average = (2 + 4 + 4) / 3
    first = idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / average))
    third = idf * 4 * 2.2 / (4 + 1.2 * (0.25 + 0.75 * 4 / average))
    assert index.scores(["cat"]).tolist() == pytest.approx([first, 0, third])
    assert index.scores(["bird"]).tolist() == [0, 0, 0]


def test_an_index_behind_another_scores_as_one_over_both() -> None:
    documents = [["a", "b"], ["b", "c"], ["a", "a", "c"], ["d"]]
    whole = Bm25(documents)
    parts = Bm25(documents[2:], Bm25(documents[:2]))
    assert parts.count == 4
    assert parts.scores(["a", "c"]).tolist() == pytest.approx(whole.scores(["a", "c"]).tolist())


def test_words_are_stems_without_function_words_and_chinese_is_cut() -> None:
    assert words("Where did the cats run?") == ["cat", "run"]
    assert words("我喜欢北京大学") == ["喜欢", "北京", "大学", "北京大学"]
    assert bigrams("红烧肉 ok") == ["红烧", "烧肉"]


def test_z_scores_have_mean_zero_and_deviation_one_and_a_silent_leg_adds_nothing() -> None:
    values = standardised(np.array([1.0, 2.0, 6.0]))
    assert float(values.mean()) == pytest.approx(0)
    assert float(values.std()) == pytest.approx(1)
    assert standardised(np.array([3.0, 3.0])).tolist() == [0, 0]


def test_a_turn_ranks_by_its_best_document_and_equals_keep_their_order() -> None:
    documents = [Document("a", "cat"), Document("b", "dog"), Document("a", "dog dog"), Document("c", "dog")]
    vectors = np.eye(4, dtype=np.float32)
    recipe = Recipe(meaning=0.0)
    ranked = Baseline(Documents(documents, vectors, recipe), recipe).ranked("dog", vectors[0], 10)
    assert ranked == ["a", "b", "c"]


def test_the_date_is_found_by_words_unless_the_recipe_leaves_it_out() -> None:
    documents = [Document("a", "we met", "8 May"), Document("b", "we met", "9 June")]
    vectors = np.eye(2, dtype=np.float32)
    with_dates, without = Recipe(meaning=0.0), Recipe(meaning=0.0, dates=False)
    assert Baseline(Documents(documents, vectors, with_dates), with_dates).ranked("in June", vectors[0], 1) == ["b"]
    assert Baseline(Documents(documents, vectors, without), without).ranked("in June", vectors[0], 1) == ["a"]


def test_the_strongest_signals_leave_out_the_gold_turns() -> None:
    documents = [Document("a", "cat"), Document("b", "dog")]
    vectors = np.eye(2, dtype=np.float32)
    baseline = Baseline(Documents(documents, vectors, Recipe()), Recipe())
    lexical, cosine = baseline.strongest("cat", vectors[0], frozenset())
    assert lexical > 0
    assert cosine == 1
    assert baseline.strongest("cat", vectors[0], frozenset({"a"})) == (0, 0)


def test_each_kind_of_set_has_its_recipe() -> None:
    assert recipe_for("locomo", pool=False, assistant=False) == Recipe()
    assert recipe_for("memdaily", pool=True, assistant=False).bigrams > 0
    assert recipe_for("beam100K", pool=False, assistant=True).user > 0
    assert recipe_for("paraphrase", pool=False, assistant=False).words == 0
