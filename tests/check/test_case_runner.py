"""Running cases: what holds passes, what does not fails with a reason, and what is malformed never crashes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from homeagent.check import run
from homeagent.errors import InputError
from homeagent.memory.embed import NoEmbedder

CASE = {
    "name": "key-on-the-nail",
    "kind": "noise",
    "lang": "en",
    "source": ["seed:test"],
    "why": "A key that hangs on a nail must be found there.",
    "policies": {"cmd_run": {"no_memory": True}, "files_read": {"cleaner": "json(content)"}},
    "turns": [
        {
            "id": "t1",
            "at": "2026-05-05T10:00:00+02:00",
            "channel": "cli",
            "chat": "main",
            "person": "owner",
            "segments": [
                {"role": "user", "text": "The cellar key hangs on the nail."},
                {
                    "role": "tool",
                    "tool": "cmd_run",
                    "call_id": "c1",
                    "arguments": {"command": "zqcommand"},
                    "text": "zqhidden4411 \ud83d \u0000",
                    "error": False,
                },
                {"role": "assistant", "text": "Noted."},
            ],
        },
        {
            "id": "t2",
            "at": "2026-05-06T10:00:00+02:00",
            "channel": "cli",
            "chat": "main",
            "person": "owner",
            "segments": [
                {"role": "user", "text": "Read the file about the boiler."},
                {
                    "role": "tool",
                    "tool": "files_read",
                    "call_id": "c2",
                    "arguments": {"path": "b"},
                    "text": '{"content": "The boiler wants water.", "etag": "zqetag77"}',
                    "error": False,
                },
                {"role": "assistant", "text": "It is read."},
            ],
        },
    ],
    "checks": [
        {"recall": "cellar key", "chat": "main", "person": "owner", "top": 1, "must_include_turn": "t1"},
        {"computed": "Boiler WANTS water"},
        {"never_computed": "zqhidden4411"},
        {"never_computed": "zqcommand"},
        {"never_computed": "zqetag77"},
        {"raw_equal": True},
    ],
}


def case(tmp_path, name="001-a-case.json", **changes):
    path = tmp_path / name
    path.write_text(json.dumps(CASE | changes))
    return path


def checked(path, **options):
    report = run([path], embedder=NoEmbedder(), **options)
    return report, {check.check: check for each in report.cases for check in each.checks}


def test_a_case_that_holds_passes_with_every_check(tmp_path):
    report, checks = checked(case(tmp_path, haystack=7))
    assert report.passed, checks
    assert len(checks) == 6
    plain = report.plain()
    assert (plain["passed"], plain["failed"]) == (1, 0)
    assert set(plain["cases"][0]) == {"name", "file", "kind", "passed", "checks"}
    assert set(plain["cases"][0]["checks"][0]) == {"check", "passed", "why"}


@pytest.mark.parametrize(
    ("check", "why"),
    [
        (
            {"recall": "cellar key", "chat": "main", "person": "owner", "top": 1, "must_include_turn": "t2"},
            "wanted within 1, got t1",
        ),
        (
            {"recall": "cellar key", "chat": "main", "person": "owner", "top": 1, "must_not_include_turn": "t1"},
            "not wanted within 1, got t1",
        ),
        (
            {"recall": "cellar key", "chat": "main", "person": "owner", "top": 2, "first_of": ["t2", "t1"]},
            "before the others",
        ),
        ({"recall": "cellar key", "chat": "main", "person": "owner", "top": 1, "abstain": True}, "has something"),
        ({"never_computed": "THE CELLAR KEY"}, "computed texts hold it"),
        ({"never_computed": "ｂｏｉｌｅｒ"}, "computed texts hold it"),
        ({"computed": "zqhidden4411"}, "in no computed text"),
        ({"computed": "zqetag77"}, "in no computed text"),
    ],
)
def test_a_check_made_wrong_on_purpose_fails_with_what_was_found(tmp_path, check, why):
    report, checks = checked(case(tmp_path, checks=[check]))
    assert not report.passed
    (only,) = checks.values()
    assert not only.passed
    assert why in only.why


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"checks": []}, "checks"),
        ({"turns": []}, "turns"),
        ({"turns": [{"id": "t1"}]}, "turns[0], key channel"),
        ({"policies": {"a": {"cleaner": "jso(n)"}}}, "policies.a"),
        ({"policies": {"a": {"no_memory": True, "cleaner": "head(3)"}}}, "policies.a"),
        ({"policies": []}, "policies"),
        ({"haystack": -1}, "haystack"),
        ({"haystack": True}, "haystack"),
        ({"colour": "red"}, "colour"),
        ({"then": [{"dance": True}]}, "dance"),
        ({"then": [{"erase": "t9"}]}, "t9"),
        ({"then": [{"rebuild": False}]}, "rebuild"),
        ({"then": [{"rename_tool": {"from": "a"}}]}, "to"),
        ({"checks": [{"sing": "la"}]}, "sing"),
        ({"checks": [{"raw_equal": False}]}, "raw_equal"),
        ({"checks": [{"recall": "x", "chat": "main", "person": "owner", "top": 1}]}, "must_include_turn"),
        ({"checks": [{"recall": "x", "chat": "attic", "person": "owner", "top": 1, "abstain": True}]}, "attic"),
        ({"checks": [{"recall": "x", "chat": "main", "person": "owner", "top": 0, "abstain": True}]}, "top"),
        ({"checks": [{"recall": "x", "chat": "main", "person": "owner", "top": 1, "first_of": ["t1"]}]}, "first_of"),
    ],
)
def test_a_malformed_case_is_a_failed_case_that_says_where(tmp_path, changes, why):
    report, checks = checked(case(tmp_path, **changes))
    assert not report.passed
    assert list(checks) == ["form"]
    assert why in checks["form"].why


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"7", b"[" * 100_000])
def test_a_file_that_holds_no_case_is_a_failed_case(tmp_path, data):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    report, checks = checked(path)
    assert not report.passed
    assert list(checks) == ["form"]


def test_a_path_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(InputError):
        run([tmp_path / "nowhere"], embedder=NoEmbedder())


def test_no_case_at_all_is_not_a_pass(tmp_path):
    assert not run([tmp_path], embedder=NoEmbedder()).passed


def test_kinds_choose_among_the_cases_of_a_folder(tmp_path):
    case(tmp_path, "001-one.json")
    case(tmp_path, "002-two.json", kind="quote", checks=[{"computed": "zq"}])
    told = []
    report = run([tmp_path], embedder=NoEmbedder(), kinds=["noise"], progress=lambda *step: told.append(step))
    assert report.passed
    assert [each.kind for each in report.cases] == ["noise"]
    assert told == [("001-one", 1, 1), ("002-two", 2, 0)]
    assert not run([tmp_path], embedder=NoEmbedder(), kinds=["quote", "noise"]).passed


def test_the_steps_are_done_in_order(tmp_path):
    steps = [
        {"archive": True},
        {"set_policy": {"files_read": {"no_memory": True}}},
        {"rename_tool": {"from": "files_read", "to": "read_file"}},
        {"remove_tool": "cmd_run"},
        {"rebuild": True},
    ]
    checks = [{"never_computed": "boiler wants water"}, {"never_computed": "zqhidden4411"}, {"raw_equal": True}]
    report, found = checked(case(tmp_path, then=steps, checks=checks))
    assert report.passed, found


def test_forget_hides_and_keeps_raw_and_erase_takes_raw_too(tmp_path):
    question = {"recall": "cellar key", "chat": "main", "person": "owner", "top": 5, "must_not_include_turn": "t1"}
    for step in ("forget", "erase"):
        checks = [question, {"never_computed": "cellar key"}, {"raw_equal": True}]
        report, found = checked(case(tmp_path, then=[{step: "t1"}], checks=checks))
        assert report.passed, (step, found)


def test_a_step_this_version_does_not_have_fails_by_name(tmp_path):
    report, checks = checked(case(tmp_path, then=[{"distil": True}]))
    if "distil" in checks:
        assert not report.passed
        assert "needs distil" in checks["distil"].why


def test_one_person_in_two_channels_is_one_person(tmp_path):
    turns = json.loads(json.dumps(CASE["turns"]))
    turns[0] |= {"channel": "qq", "chat": "dm", "person": "ana"}
    turns[1] |= {"person": "ana"}
    ask = {"recall": "cellar key", "chat": "main", "person": "ana", "top": 1, "must_include_turn": "t1"}
    report, found = checked(case(tmp_path, turns=turns, checks=[ask]))
    assert report.passed, found
    turns[1] |= {"person": "bo"}
    ask |= {"person": "bo"}
    report, found = checked(case(tmp_path, turns=turns, checks=[ask]))
    assert not report.passed


def test_a_case_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    Path(tmp_path / "tmp").mkdir()
    checked(case(tmp_path))
    assert list((tmp_path / "tmp").iterdir()) == []
