"""Paired bootstrap intervals: the same for the same figures, and as wide as they have to be."""

from __future__ import annotations

import random

import pytest

from bench.bootstrap import macro_gain, paired_gain


def test_the_same_figures_give_the_same_interval() -> None:
    ours, theirs = [0.1, 0.9, 0.5, 1.0], [0.2, 0.4, 0.5, 0.0]
    assert paired_gain(ours, theirs) == paired_gain(ours, theirs)


def test_a_constant_gain_has_no_width() -> None:
    low, mean, high = paired_gain([0.5, 0.75, 1.0], [0.25, 0.5, 0.75])
    assert (low, mean, high) == pytest.approx((0.25, 0.25, 0.25))


def test_the_interval_is_the_one_of_the_normal_approximation_for_many_questions() -> None:
    chance = random.Random(5)  # noqa: S311 - test data
    ours = [chance.random() for _ in range(2000)]
    theirs = [chance.random() for _ in range(2000)]
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    mean = sum(differences) / 2000
    error = (sum((each - mean) ** 2 for each in differences) / 2000) ** 0.5 / 2000**0.5
    low, middle, high = paired_gain(ours, theirs)
    assert middle == pytest.approx(mean)
    assert low == pytest.approx(mean - 1.96 * error, abs=0.1 * error)
    assert high == pytest.approx(mean + 1.96 * error, abs=0.1 * error)


def test_the_macro_gain_gives_every_set_the_same_vote() -> None:
    _low, mean, _high = macro_gain([([1.0] * 3, [0.0] * 3), ([0.0] * 300, [0.0] * 300)])
    assert mean == pytest.approx(0.5)
