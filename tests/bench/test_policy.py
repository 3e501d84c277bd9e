"""The measurement of a change of policy: what it counts, on a life that is short enough for a test."""

from __future__ import annotations

from bench.policy import Asked, in_effect, policy_report, policy_table
from bench.policy_turns import EVERY, TOOL, marker, policy_turns


def test_the_effect_is_counted_to_the_end_of_the_last_answer_that_leaked():
    asked = [Asked(0.0, 0.9, True), Asked(0.9, 1.4, True), Asked(1.4, 1.5, False), Asked(1.5, 2.1, True)]
    assert in_effect(asked, 1.0) == 2.1 - 1.0
    assert in_effect(asked[:3], 1.0) == 1.4 - 1.0
    assert in_effect(asked[:1], 1.0) == 0.0
    assert in_effect(asked[2:3], 1.0) == 0.0


def test_the_turns_are_the_same_each_time_and_one_in_a_hundred_holds_an_output():
    turns = list(policy_turns(300))
    assert turns == list(policy_turns(300))
    spoken = [number for number, turn in enumerate(turns) if any(each.tool == TOOL for each in turn.segments)]
    assert spoken == list(range(0, 300, EVERY))
    for number in spoken:
        holding = [n for n, turn in enumerate(turns) if any(marker(number) in each.text for each in turn.segments)]
        assert holding == [number]


def test_a_short_life_is_measured_and_passes(tmp_path):
    report = policy_report(400, tmp_path)
    assert report["passed"], report
    assert report["hidden_turns"] == 4
    assert report["trial"]["segments"] == report["hide"]["changed"] == 4
    assert report["hide"]["trial_agrees"]
    assert report["hide"]["leaked_after_return"] == 0
    assert report["show"]["queued"] >= 4
    assert "hide.in_effect_seconds" in policy_table(report)
