"""The strategies against tool output, and what is counted."""

from __future__ import annotations

import hashlib

import pytest

from bench.data import Sets
from bench.noise_baseline import lines_of
from bench.noise_counts import Counts, Seen, count_line, pooled
from bench.noise_sets import read_noise_set
from bench.toolnoise import POLICIES, STRATEGIES, spoken, words_of
from homeagent.memory import Memory, Place, Segment, Turn
from homeagent.memory.embed import NoEmbedder


@pytest.fixture
def noise(smoke):
    return read_noise_set(Sets(smoke), "toolnoise_smoke")


def by_id(noise, strategy):
    return {turn.external_id: turn for turn in noise.turns(strategy)}


def test_every_turn_is_kept_as_what_it_is_with_its_output_byte_for_byte(noise) -> None:
    turns = by_id(noise, "ours")
    turn = turns["e1"]
    assert [segment.role for segment in turn.segments] == ["user", "tool", "user"]
    assert (turn.sender, turn.segments[2].text[:10]) == ("Sam", "Like a log")
    assert [segment.role for segment in turns["e3"].segments] == ["user", "tool", "assistant"]
    for event in noise.lines[0].events:
        outputs = [segment.text for segment in turns[event.id].segments if segment.role == "tool"]
        digests = [hashlib.sha256(text.encode("utf-8")).hexdigest() for text in outputs]
        assert digests == [tool.sha256 for tool in event.tools]


def test_the_ceiling_has_no_tools_and_says_what_they_held(noise) -> None:
    turns = by_id(noise, "none")
    assert "n0" not in turns
    assert turns["e4"].segments == (Segment("user", "The loan from my uncle is 2,650 euros."),)
    assert turns["e4"].sender == "Sam"


def test_raw_is_one_text_a_turn_with_the_outputs_inside(noise) -> None:
    (segment,) = by_id(noise, "raw")["e4"].segments
    assert "2,650 euros" in segment.text
    assert segment.text.startswith("Please look at the logs.\n")


def test_skipping_leaves_out_the_turns_of_hidden_tools_and_dropping_leaves_out_outputs(noise) -> None:
    skipped, dropped = by_id(noise, "skip_turn"), by_id(noise, "drop_tools")
    assert {"e1", "e4"}.isdisjoint(skipped)
    assert "e3" in skipped
    assert set(dropped) == {event.id for event in noise.lines[0].events}
    roles = {segment.role for turn in (*skipped.values(), *dropped.values()) for segment in turn.segments}
    assert roles == {"user", "assistant"}


def test_who_speaks_is_told_from_the_line() -> None:
    assert spoken("Caroline: I see: yes") == ("Caroline", "I see: yes")
    assert spoken("Done, everything looks normal.") == ("", "Done, everything looks normal.")
    assert words_of("用户: 我去的 那个\n景区") == "我去的 那个 景区"


def test_pairs_are_counted_by_group_and_leaks_in_the_first_ten(noise) -> None:
    counts = Counts()
    line = noise.lines[0]
    missed = Seen(("x",) * 5 + ("e1",), ("",) * 6)
    answers = [Seen(("e2",), ("",)), missed, Seen(("e3",), ("",)), Seen(("e0",), ("owes 2,650 euros",)), missed]
    count_line(counts, line, answers, "nothing")
    figures = counts.figures()
    assert (figures["all@5"], figures["plain@5"], figures["attached@5"], figures["tool_only@5"]) == (50, 100, 0, 50)
    assert figures["leak@10"] == 0  # those words are not the whole fact
    leaked = Seen(("e4",), ("He said: The loan from my\nuncle is 2,650 euros.",))
    count_line(counts, line, [leaked] * 5, "The loan from my uncle is 2,650 euros.")
    assert (counts.figures()["leak@10"], counts.figures()["facts_computed"]) == (50, 50)


def test_outputs_are_cut_at_line_ends_into_at_most_three_hundred_characters(tmp_path) -> None:
    text = "\n".join(["short line"] * 60) + "\n" + "x" * 700
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as memory:
        turn = memory.keep(Turn(Place("bench", "c"), "a", (Segment("user", text),)))
        pieces = lines_of(memory.computed(turn)[0].text)
    assert "".join(piece.text for piece in pieces) == text
    assert max(map(len, pieces)) <= 300
    assert pieces[0].text.endswith("\n")


def test_nothing_of_a_hidden_output_leaks_with_policies_and_raw_leaks_it(bench, smoke) -> None:
    answer = bench("noise", "--data", smoke, "--embedder", "hashed", "--json")
    strategies = answer.report["sets"]["toolnoise_smoke"]
    assert set(strategies) == {*STRATEGIES, "baseline"}
    for figures in strategies.values():
        assert {"all@5", "attached@5", "tool_only@5", "leak@10", "characters"} <= set(figures)
    for strategy in ("ours", "baseline", "skip_turn", "drop_tools"):
        assert (strategies[strategy]["leak@10"], strategies[strategy]["facts_computed"]) == (0, 0)
    assert strategies["raw"]["facts_computed"] == 100
    assert strategies["raw"]["characters"] > 3 * strategies["ours"]["characters"]


def test_an_unknown_strategy_is_refused_with_the_known_ones(bench, smoke) -> None:
    answer = bench("noise", "--data", smoke, "--strategy", "magic")
    assert answer.code == 2
    assert "drop_tools" in answer.err


def test_the_policies_are_those_of_the_data(noise) -> None:
    used = {tool.name for event in noise.lines[0].events for tool in event.tools}
    assert used <= set(POLICIES)
    assert [name for name, policy in POLICIES.items() if policy.no_memory] == [
        "cmd_run",
        "browser_screenshot",
        "edit_document",
    ]


def test_the_sets_are_pooled_pair_by_pair() -> None:
    line = {"ours": Counts(outcomes=[1, 1, 0, 1]), "none": Counts(outcomes=[1, 1, 1, 1]), "baseline": Counts()}
    found = pooled([line, {"ours": Counts(outcomes=[1]), "none": Counts(outcomes=[0]), "baseline": Counts()}])
    assert found["all@5"] == {"ours": 80, "none": 80}
    low, mean, high = found["ours - none"]
    assert (mean, low < 0 < high) == (0, True)
    assert "ours - baseline" not in found
    assert pooled([]) == {}
