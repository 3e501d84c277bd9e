"""The crash test itself: it passes on a few rounds, and it sees what it has to see."""

from __future__ import annotations

import json
from dataclasses import replace

from bench.crash_ledger import Findings, Ledger
from bench.crash_turns import SOURCE, group_of, kind_of, made, marker, secret
from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder

NAMES = [f"w0r0n{number}" for number in range(40)]


def test_nothing_is_lost_or_doubled_when_writers_are_killed(bench, tmp_path) -> None:
    answer = bench("crash", "--rounds", 3, "--home", tmp_path / "crash", "--json")
    report = json.loads(answer.out)
    assert (answer.code, report["passed"]) == (0, True), report
    assert (report["lost"], report["doubled"], report["rebuild_equal"]) == (0, 0, True)
    assert report["acknowledged"] > 0
    assert report["kills"] == 12


def test_a_turn_is_the_same_whenever_it_is_made() -> None:
    assert made("w1r2n3") == made("w1r2n3")
    assert made("w1r2n3") != made("w1r2n4")
    assert marker("w1r2n3") in made("w1r2n3").segments[0].text
    assert {kind_of(name) for name in NAMES} == {"keep", "together", "steps"}
    assert any(secret(name) in segment.text for name in NAMES for segment in made(name).segments)
    assert (group_of("w1r2n3p0"), group_of("w1r2n3")) == ("w1r2n3", "w1r2n3")


def promised(tmp_path, *lines) -> Ledger:
    path = tmp_path / "promises"
    path.write_text("".join(line + "\n" for line in lines) + "kept w9r9", "ascii")  # the last line was cut off
    ledger = Ledger([path])
    ledger.update()
    return ledger


def test_what_was_promised_and_is_not_there_is_lost(tmp_path) -> None:
    ledger, findings = promised(tmp_path, "ready 0", "kept a", "try b", "begun c"), Findings()
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as memory:
        ledger.check(memory, ledger.promises, findings)
    assert findings.lost == {"a", "c"}
    assert ledger.under_way(["a", "b", "c"]) == ("b",)
    assert ledger.starts == 1


def test_what_is_there_with_other_bytes_is_lost(tmp_path) -> None:
    ledger, findings = promised(tmp_path, "kept a", "kept b"), Findings()
    changed = replace(made("a"), segments=(*made("a").segments[:-1], replace(made("a").segments[-1], text="other")))
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as memory:
        memory.keep_all([changed, made("b")])
        ledger.check(memory, ledger.promises, findings)
    assert findings.lost == {"a"}


def test_turns_kept_together_are_torn_when_one_is_missing(tmp_path) -> None:
    ledger, findings = promised(tmp_path, "try ap0", "try ap1", "try bp0", "try bp1"), Findings()
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as memory:
        memory.keep(made("ap0"))
        ledger.check(memory, ledger.promises, findings)
    assert findings.torn == {"a"}


def test_an_interrupted_turn_must_hold_the_segments_that_were_promised(tmp_path) -> None:
    ledger, findings = promised(tmp_path, "begun a", "appended a", "begun b"), Findings()
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as memory:
        for name in ("a", "b"):
            turn = memory.begin(replace(made(name), segments=made(name).segments[:1]))
            memory.close(turn, "interrupted")
        ledger.check(memory, ledger.promises, findings)
    assert findings.interrupted == {"a", "b"}
    assert findings.lost == {"a"}


def test_a_word_that_is_not_found_and_a_secret_that_is_computed_are_seen(tmp_path) -> None:
    ledger, findings = promised(tmp_path), Findings()
    leaky = next(name for name in NAMES if any(secret(name) in segment.text for segment in made(name).segments))
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as memory:
        memory.keep(made(leaky))  # its tool was not declared, so its output is computed
        memory.keep(replace(made("lonely"), external_id="renamed", source=SOURCE))
        ledger.check_everything(memory, findings)
        ledger.check_words(memory, findings)
    assert findings.hidden_computed == {leaky}
    assert findings.not_found == {"renamed"}


def test_a_home_that_is_not_empty_is_refused(bench, tmp_path) -> None:
    (tmp_path / "something").write_text("x", "utf-8")
    answer = bench("crash", "--rounds", 1, "--home", tmp_path)
    assert answer.code == 2
    assert "is not empty" in answer.err
