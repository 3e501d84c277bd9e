"""Keeping a set in a home."""

from __future__ import annotations

from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder


def test_a_set_is_kept_once_however_often_it_is_imported(bench, smoke, tmp_path) -> None:
    home = tmp_path / "home"
    first = bench("import", "--data", smoke, "--set", "smoke", "--home", home, "--embedder", "hashed", "--json").report
    again = bench("import", "--data", smoke, "--set", "smoke", "--home", home, "--embedder", "hashed", "--json").report
    assert (first["turns"], first["pending"]) == (28, 0)
    assert first["raw_digest"] == again["raw_digest"]
    assert first["disk_bytes"] > 0
    assert {"seconds", "turns_per_second"} <= set(first)


def test_a_noise_set_comes_with_its_tools_and_policies(bench, smoke, tmp_path) -> None:
    home = tmp_path / "home"
    answer = bench(
        "import", "--data", smoke, "--set", "toolnoise_smoke", "--home", home, "--embedder", "none", "--json"
    )
    assert answer.report["turns"] == 8
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        decisions = {each.tool: each.decision for each in memory.explain("e4", source="smoke:en").segments}
        mail = memory.computed("e6", source="smoke:en")[1].text.text
    assert decisions == {None: "whole", "cmd_run": "hidden"}
    assert mail == "mail_read\nNora: The choir meets on Wednesdays at eight."


def test_the_whole_folder_is_imported_when_no_set_is_named(bench, smoke, tmp_path) -> None:
    answer = bench("import", "--data", smoke, "--home", tmp_path / "home", "--embedder", "none")
    assert answer.code == 0
    assert "smoke" in answer.out
