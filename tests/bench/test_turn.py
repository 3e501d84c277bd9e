"""The measurement of the agent's turns: what it counts as found, within the window, and its own time."""

from __future__ import annotations

from itertools import islice

from bench.turn import TurnPlan, turn_report
from bench.turn_talk import FACTS, small_talk


def test_no_answer_stands_in_its_question_in_another_fact_or_in_the_small_talk() -> None:
    talk = " ".join(word for pair in islice(small_talk(), 3000) for word in pair)
    for fact in FACTS:
        others = " ".join(each.said + each.question for each in FACTS if each is not fact)
        assert fact.answer in fact.said
        assert fact.answer not in fact.question + others + talk


def test_a_talk_of_several_windows_is_measured_whole() -> None:
    report = turn_report(TurnPlan(turns=4, window=2048, windows=2, vectors=False))
    long = report["long"]
    assert isinstance(long, dict)
    assert long["conversation_tokens"] >= 2 * 2048
    assert 0 < long["largest_prompt"] <= 2048
    assert (long["facts"], long["above_window"], long["failed"]) == (len(FACTS), 0, 0)
    assert long["facts_found"] + len(long["missing"]) == len(FACTS)
    assert report["passed"] == (long["facts_found"] >= 0.9 * len(FACTS))
    assert report["overhead_ms"]["p50"] > 0
