"""The second reader: it agrees with the first on what the first did, and says what is wrong with a dump."""

from __future__ import annotations

import json

import pytest

from bench.errors import BenchError
from bench.metrics import figures
from bench.reread import reread_report

DATA = {
    "id": "c",
    "units": [{"id": name, "session": f"s{place // 2}"} for place, name in enumerate("abcdef")],
    "queries": [
        {"id": "q1", "text": "one", "gold": ["a", "f"], "cat": "x"},
        {"id": "q2", "text": "two", "gold": ["c"], "cat": "x"},
        {"id": "q3", "text": "three", "gold": ["d"], "cat": "adversarial"},
    ],
}


@pytest.fixture
def files(tmp_path):
    """Writes a set and a dump of rankings; returns their paths."""

    def write(*rankings):
        (tmp_path / "toy.jsonl").write_text(json.dumps(DATA) + "\n")
        rows = [{"set": "toy", "conversation": "c", "question": q, "ranked": list(ranked)} for q, ranked in rankings]
        dump = tmp_path / "dump"
        dump.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return dump, tmp_path

    return write


def test_the_figures_are_those_of_the_definitions(files):
    dump, data = files(("q1", ["b", "a", "pool:1", "c", "f"]), ("q2", ["d", "e"]))
    read = reread_report(dump, data, None)
    assert read["passed"]
    toy = read["sets"]["toy"]
    assert toy["n"] == 2
    assert toy["turn"]["R@1"] == 0
    assert toy["turn"]["R@3"] == pytest.approx(25)
    assert toy["turn"]["R@5"] == pytest.approx(50)
    assert toy["turn"]["MRR"] == pytest.approx(25)
    # q1: sessions s0 (b, a), the pool's turn, s1, s2; gold s0 and s2. q2: s1 on top by d, which is not the gold turn.
    assert toy["session"]["R@1"] == pytest.approx((50 + 100) / 2)
    assert toy["session"]["R@5"] == pytest.approx(100)


@pytest.mark.parametrize("ranked", ["", "a", "fa", "bcdefa", "abcdef", "fedcb"])
def test_both_readers_agree(files, ranked):
    dump, data = files(("q1", ranked), ("q2", ranked))
    ours = reread_report(dump, data, None)["sets"]["toy"]["turn"]
    both = [figures(ranked, gold) for gold in ({"a", "f"}, {"c"})]
    assert ours == pytest.approx({name: 50 * (both[0][name] + both[1][name]) for name in both[0]})


@pytest.mark.parametrize(
    ("rankings", "said"),
    [
        ([("q1", "ab")], "q2: not asked"),
        ([("q1", "ab"), ("q2", "cc")], "ranked twice"),
        ([("q1", "ab"), ("q2", "c"), ("q2", "c")], "there twice"),
        ([("q1", "ab"), ("q2", "c"), ("q3", "d")], "without an answer"),
        ([("q1", "ab"), ("q2", "c"), ("q9", "d")], "unknown"),
    ],
)
def test_a_dump_that_is_not_whole_is_refused(files, rankings, said):
    dump, data = files(*rankings)
    read = reread_report(dump, data, None)
    assert not read["passed"]
    assert any(said in each for each in read["sets"]["toy"]["wrong"])


def test_a_report_that_says_something_else_is_found_out(files, tmp_path):
    dump, data = files(("q1", "ab"), ("q2", "c"))
    honest = reread_report(dump, data, None)["sets"]["toy"]
    told = {part: {name: round(value, 2) for name, value in honest[part].items()} for part in ("turn", "session")}
    path = tmp_path / "recall.json"
    path.write_text(json.dumps({"sets": {"toy": {"n": 2, **told}}}))
    assert reread_report(dump, data, path)["passed"]
    told["turn"]["R@5"] += 0.1
    path.write_text(json.dumps({"sets": {"toy": {"n": 2, **told}}}))
    read = reread_report(dump, data, path)
    assert not read["passed"]
    assert read["sets"]["toy"]["difference"]["turn R@5"] == pytest.approx(-0.1)
    path.write_text(json.dumps({"sets": {"toy": {"n": 2, **honest}, "other": {"n": 1}}}))
    assert reread_report(dump, data, path)["not_in_dump"] == ["other"]


def test_what_is_not_there_is_a_sentence(files, tmp_path):
    dump, _ = files(("q1", "ab"))
    with pytest.raises(BenchError, match=r"no toy\.jsonl\.gz"):
        reread_report(dump, tmp_path / "dump-less", None)
    with pytest.raises(BenchError, match="can't be read"):
        reread_report(tmp_path / "nothing", tmp_path, None)
    dump.write_text("")
    with pytest.raises(BenchError, match="no rankings"):
        reread_report(dump, tmp_path, None)


def test_the_command_reads_what_recall_wrote_and_finds_no_difference(bench, smoke, tmp_path):
    dump, report = tmp_path / "dump", tmp_path / "recall.json"
    found = bench("recall", "--data", smoke, "--embedder", "hashed", "--dump", dump, "--json")
    report.write_text(found.out)
    answer = bench("reread", "--dump", dump, "--data", smoke, "--report", report, "--json")
    assert answer.code == 0, answer.out
    assert answer.report["sets"]["smoke"]["n"] == found.report["sets"]["smoke"]["n"]
    changed = found.report
    changed["sets"]["smoke"]["session"]["R@10"] -= 1
    report.write_text(json.dumps(changed))
    assert bench("reread", "--dump", dump, "--data", smoke, "--report", report).code == 1
