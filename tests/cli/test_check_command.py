"""``homeagent check``: cases by file, folder and kind; the exit code says whether all passed."""

from __future__ import annotations

import json

CASE = {
    "name": "rain",
    "kind": "noise",
    "lang": "en",
    "policies": {},
    "turns": [
        {
            "id": "t1",
            "at": "2026-05-05T10:00:00+02:00",
            "channel": "cli",
            "chat": "main",
            "person": "owner",
            "segments": [{"role": "user", "text": "The gutter leaks when it rains."}],
        }
    ],
    "checks": [{"computed": "gutter leaks"}],
}


def test_good_cases_leave_with_0_and_a_wrong_one_with_1(homeagent, tmp_path):
    (tmp_path / "001-rain.json").write_text(json.dumps(CASE))
    ran = homeagent("check", tmp_path / "001-rain.json", "--json")
    assert ran.code == 0
    assert (ran.json["passed"], ran.json["failed"]) == (1, 0)
    wrong = CASE | {"kind": "quote", "checks": [{"computed": "never said"}]}
    (tmp_path / "002-wrong.json").write_text(json.dumps(wrong))
    ran = homeagent("check", tmp_path / "001-rain.json", tmp_path / "002-wrong.json", "--json")
    assert ran.code == 1
    assert (ran.json["passed"], ran.json["failed"]) == (1, 1)
    assert homeagent("check", tmp_path / "002-wrong.json", "--kind", "quote").code == 1
    ran = homeagent("check", tmp_path / "001-rain.json", tmp_path / "002-wrong.json", "--kind", "noise")
    assert (ran.code, ran.out) == (0, "")
    assert "Cases: 1 passed, 0 failed." in ran.err


def test_a_malformed_case_fails_and_the_others_are_run(homeagent, tmp_path):
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "000-broken.json").write_text("{")
    (cases / "001-rain.json").write_text(json.dumps(CASE))
    ran = homeagent("check", cases)
    assert ran.code == 1
    assert "- 000-broken" in ran.err
    assert "+ 001-rain [noise]" in ran.err
    assert homeagent("check", tmp_path / "nowhere", "--json").json["error"]["where"] == str(tmp_path / "nowhere")
