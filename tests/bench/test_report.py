"""Tables and plots of the page on recall: every figure comes from a file, a page without files says so."""

from __future__ import annotations

import json
import shutil
from xml.etree import ElementTree as ET

import pytest

from bench.errors import BenchError
from bench.plots import Bar, bars, reliability_diagram
from bench.report import filled
from dev.ratchet import ROOT

PAGE = "intro\n\n<!-- {0}: generated -->\nold 99.9\n<!-- {0}: end -->\n\nlimits\n"
COST = {
    "segments": 100000, "recall_ms": {"p50": 11.5, "p95": 22.5}, "keep_ms": {"p50": 1.5, "p95": 2.5},
    "embedded_per_second": 123.4, "memory_mb": 456.7, "disk_mb": 78.9, "growth": {"recall": 1.5, "keep": 1.25},
}  # fmt: skip
ABSTAIN = {
    "en": {
        "n": 10, "auroc": 0.751, "coverage_at_p95": 0.1, "auroc_adversarial": None, "n_adversarial": 0,
        "auroc_bm25": 0.6, "auroc_e5": 0.5, "reliability": [{"value": 0.3, "true": 0.4, "n": 5}],
    },
}  # fmt: skip
PEERS = {"sets": {"locomo": {"mem0": {"error": "ValueError: no | here"}, "chroma": {"version": "1", "R@5": 12.3}}}}


def parsed(svg):
    return ET.fromstring(svg)  # noqa: S314 - our own text


@pytest.mark.parametrize(
    ("name", "report", "held"),
    [
        ("cost", COST, "| 100,000 | 11.5 / 22.5 | 1.5 / 2.5 | 123 | 457 | 79 | recall x 1.50, keep x 1.25 |"),
        ("abstain", ABSTAIN, "| en | 10 | 0.751 | 0.600 | 0.500 | 0.100 | - |"),
        ("peers", PEERS, "can't be measured: ValueError: no \\| here"),
    ],
)
def test_a_block_holds_what_the_file_says(tmp_path, name, report, held):
    (tmp_path / f"{name}.json").write_text(json.dumps(report))
    text, _, read = filled(PAGE.format(name), tmp_path)
    assert held in text
    assert "99.9" not in text
    assert text.startswith("intro\n")
    assert text.endswith("limits\n")
    assert read == [f"{name}.json"]
    assert filled(text, tmp_path)[0] == text


@pytest.mark.parametrize(
    ("name", "report", "held"),
    [
        ("recall", {"sets": {"locomo": {"turn": {"R@5": 72.0, "R@10": 73.0}}}}, "| locomo, turn R@5 | 65 | 72 | 72 | aim reached |"),
        ("recall", {"sets": {"locomo": {"turn": {"R@5": 72.0, "R@10": 73.0}}}}, "| locomo, turn R@10 | 73 | 80 | 73 | met |"),
        ("recall", {"macro": {"R@5": {"gain": [2.99, 5, 7]}}}, "lower bound | 3 | 10 | 2.99 | **missed** |"),
        ("recall", {"sets": {}}, "| locomo, session R@10 | 96 | 98 | - | not measured |"),
        ("noise", {"pooled": {"ours - none": [-3, -1.0, 1]}}, "`none`, all sets | -2 | -0.5 | -1 | met |"),
        ("noise", {"sets": {"toolnoise_locomo": {"ours": {"leak@10": 0.1}}}}, "toolnoise_locomo | 0 | 0 | 0.1 | **missed** |"),
        ("abstain", {"en": {"auroc": 0.75, "auroc_bm25": 0.5, "auroc_e5": 0.66}}, "signal, en | 0.1 | 0.1 | 0.09 | **missed** |"),
        ("cost", COST, "| recall p95 at 100,000 segments, ms | 60 | 20 | 22.5 | met |"),
        ("cost", COST, "| growth of recall, 10,000 to 1,000,000 | 5 | 3 | - | not measured |"),
        ("cost", {**COST, "segments": 1000000}, "| growth of recall, 10,000 to 1,000,000 | 5 | 3 | 1.5 | aim reached |"),
    ],
)  # fmt: skip
def test_what_was_required_is_judged_by_the_reports(tmp_path, name, report, held):
    (tmp_path / f"{name}.json").write_text(json.dumps(report))
    assert held in filled(PAGE.format("required"), tmp_path)[0]


def test_noise_says_what_is_lost_on_all_sets_together_and_leaves_unknown_figures_open(tmp_path):
    ours = {"all@5": 40.0, "attached@5": None, "tool_only@5": 20.0, "leak@10": 0.0, "characters": 12345}
    report = {"sets": {"a": {"ours": ours}}, "pooled": {"all@5": {"ours": 40.0}, "ours - none": [-2, -1.5, 0.5]}}
    (tmp_path / "noise.json").write_text(json.dumps(report))
    text = filled(PAGE.format("noise"), tmp_path)[0]
    assert "| a | ours | 40.0 | - | 20.0 | 0.0 | 12,345 |" in text
    assert "all@5 `ours` 40.0; `ours - none` -1.5 [-2.0, +0.5]" in text


def test_a_block_without_a_file_names_the_command(tmp_path):
    text, plots, read = filled(PAGE.format("noise"), tmp_path)
    assert "python -m bench noise --data DIR --json" in text
    assert "99.9" not in text
    assert (plots, read) == ({}, [])


def test_a_real_run_fills_tables_and_a_plot(bench, smoke, tmp_path):
    out = bench("recall", "--data", smoke, "--embedder", "hashed", "--json").out
    (tmp_path / "recall.json").write_text(out)
    (tmp_path / "noise.json").write_text(bench("noise", "--data", smoke, "--embedder", "hashed", "--json").out)
    shutil.copy(ROOT / "docs" / "recall.md", tmp_path / "recall.md")
    answer = bench("report", "--from", tmp_path, "--page", tmp_path / "recall.md", "--json")
    assert answer.code == 0, answer.err
    assert answer.report["read"] == ["recall.json", "noise.json"]
    text = (tmp_path / "recall.md").read_text()
    turn = json.loads(out)["sets"]["smoke"]["turn"]
    assert f"| smoke | 7 | {turn['R@1']:.1f} |" in text
    assert "| toolnoise_smoke | ours |" in text
    assert parsed((tmp_path / "plots" / "recall.svg").read_text()).tag.endswith("svg")


def test_a_file_of_another_kind_and_a_folder_that_is_not_there_are_sentences(bench, tmp_path):
    (tmp_path / "cost.json").write_text('{"segments": "many"}')
    with pytest.raises(BenchError, match="not what 'python -m bench' writes"):
        filled(PAGE.format("cost"), tmp_path)
    answer = bench("report", "--from", tmp_path / "nothing")
    assert answer.code == 2
    assert "--from" in answer.err


def test_plots_are_well_formed_and_hold_names_and_figures():
    drawn = parsed(bars("R@5 & more", [Bar("a<b", 65.0, 61.3, 1.0, 5.5), Bar("zh", 60, 55, -1, 3)]))
    words = [each.text for each in drawn.iter() if each.tag.endswith("text")]
    assert {"R@5 & more", "a<b", "65.0", "61.3"} <= set(words)
    heights = [float(each.get("height")) for each in drawn.iter() if each.tag.endswith("rect")]
    assert max(heights[1:]) < heights[0]
    drawn = parsed(reliability_diagram("said", {"en": [(0.1, 0.2, 5), (0.9, 0.8, 50)], "zh": []}))
    circles = [each for each in drawn.iter() if each.tag.endswith("circle")]
    assert len(circles) == 2
    assert float(circles[0].get("cy")) > float(circles[1].get("cy"))
    assert float(circles[0].get("r")) < float(circles[1].get("r"))
