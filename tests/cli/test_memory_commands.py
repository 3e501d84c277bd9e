"""``homeagent memory ...``: what goes in comes out, in JSON and to read."""

from __future__ import annotations

import io
import json
import sqlite3
import sys

import pytest

TOOL_TURN = {
    "id": "d9",
    "at": "2026-05-06T10:00:00+02:00",
    "channel": "cli",
    "chat": "main",
    "person": "owner",
    "segments": [
        {"role": "user", "text": "Look at the pump, please."},
        {
            "role": "tool",
            "tool": "cmd_run",
            "call_id": "c1",
            "arguments": {"a": 1},
            "text": "zqout \x1b[31m",
            "error": False,
        },
        {"role": "assistant", "text": "The pump hums."},
    ],
}


@pytest.fixture
def filled(homeagent, lines):
    """A home with three turns in it."""
    ran = homeagent("memory", "import", lines(("d1", "The cellar key hangs on the nail."), ("d2", "Rain."), TOOL_TURN))
    assert ran.code == 0
    return homeagent


def test_import_says_what_was_new_and_what_was_known(filled, lines):
    ran = filled("memory", "import", lines(("d2", "Rain."), ("d3", "Sun."), name="more.jsonl"), "--json")
    assert {key: ran.json[key] for key in ("kept", "known", "pending")} == {"kept": 1, "known": 1, "pending": 0}
    assert "New turns: 1; there already: 1." in ran.err


def test_import_refuses_a_bad_line_and_keeps_nothing(homeagent, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": "a"}\n')
    ran = homeagent("memory", "import", path, "--json")
    assert ran.code == 1
    assert ran.json["error"]["where"] == f"{path} line 1, key channel"
    assert homeagent("memory", "stats", "--json").json["counts"].get("turn", 0) == 0
    assert f"{path} line 1" in homeagent("memory", "import", path).err


def test_import_takes_its_source_from_the_option(homeagent, lines):
    homeagent("memory", "import", lines(("d1", "Rain.")), "--source", "diary")
    assert homeagent("memory", "search", "rain", "--json").json["hits"][0]["source"] == "diary"


def test_search_gives_every_field_of_a_hit(filled):
    ran = filled("memory", "search", "cellar", "key", "--json")
    assert set(ran.json) == {"hits", "answerable", "nothing", "pending"}
    assert set(ran.json["hits"][0]) == {
        "turn", "external_id", "source", "text", "score", "why", "segment", "span", "place", "sender", "at",
        "neighbours", "superseded",
    }  # fmt: skip
    hit = ran.json["hits"][0]
    assert (hit["external_id"], hit["source"], hit["sender"]) == ("d1", "import", "owner")
    assert hit["place"] == {"channel": "cli", "chat": "main"}
    assert hit["at"] == "2026-05-05T10:00:00+02:00"
    assert "cellar key" in hit["text"]


def test_search_reads_well_and_obeys_its_limit(filled):
    ran = filled("memory", "search", "pump rain key", "--limit", "2")
    assert ran.code == 0
    assert "1. 2026-05-0" in ran.out
    assert "3. " not in ran.out
    assert filled("memory", "search", "pump", "--limit", "0").code == 1


def test_search_as_somebody_sees_what_he_may_see(filled):
    assert filled("memory", "search", "cellar key", "--as", "owner", "--chat", "main", "--json").json["hits"]
    stranger = filled("memory", "search", "cellar key", "--as", "bo", "--chat", "dm", "--channel", "qq", "--json")
    assert stranger.json["hits"] == []


def test_search_at_a_moment_reads_relative_days(filled):
    ran = filled("memory", "search", "what happened yesterday", "--at", "2026-05-07T09:00:00+02:00", "--json")
    assert ran.json["hits"][0]["external_id"] == "d9"
    wrong = filled("memory", "search", "x", "--at", "soon")
    assert wrong.code == 1
    assert "--at" in wrong.err


def test_show_prints_raw_and_nothing_that_moves_the_cursor(filled):
    ran = filled("memory", "show", "d9")
    assert "zqout \\x1b[31m" in ran.out
    assert "\x1b" not in ran.out
    assert '-- tool cmd_run {"a": 1}' in ran.out
    assert filled("memory", "show", "d9", "--json").json["segments"] == TOOL_TURN["segments"]
    turn = filled("memory", "show", "d9", "--json").json["turn"]
    assert filled("memory", "show", turn, "--source", "import", "--json").json["external_id"] == "d9"


def test_a_turn_that_is_not_there_is_an_error(filled):
    for command in ("show", "explain"):
        ran = filled("memory", command, "d77", "--json")
        assert ran.code == 1
        assert "d77" in ran.json["error"]["where"]


def test_explain_says_for_each_segment_what_is_computed_and_why(filled):
    filled("config", "set", "policies.tools.cmd_*", "no_memory")
    ran = filled("memory", "explain", "d9", "--json")
    assert [segment["decision"] for segment in ran.json["segments"]] == ["whole", "hidden", "whole"]
    assert set(ran.json["segments"][1]) >= {
        "position", "role", "tool", "decision", "reason", "raw_length", "computed_length", "cuts",
    }  # fmt: skip
    assert ran.json["segments"][1]["computed_length"] == 0
    assert "cmd_run: hidden, 0 of 11 characters" in filled("memory", "explain", "d9").out


def test_stats_counts_and_gives_the_raw_digest(filled):
    ran = filled("memory", "stats", "--json")
    assert ran.json["counts"]["turn"] == 3
    assert len(ran.json["raw_digest"]) == 64
    assert ran.json["embedder"] == "none"
    assert ran.json["files"]["log.db"] > 0
    assert set(ran.json) >= {"pending", "home"}
    assert "counts.turn: 3" in filled("memory", "stats").out


def test_no_policy_moves_the_raw_digest(filled):
    def computed():
        return filled("memory", "explain", "d9", "--json").json["segments"][1]["computed_length"]

    before = filled("memory", "stats", "--json").json["raw_digest"], computed()
    filled("config", "set", "policies.tools.cmd_run", "cleaner='head(3)'")
    assert computed() == before[1] - len("ut ")
    filled("config", "unset", "policies.tools.cmd_run")
    assert (filled("memory", "stats", "--json").json["raw_digest"], computed()) == before


def test_archive_makes_a_document_a_chat_once(filled):
    ran = filled("memory", "archive", "--json")
    assert [document["turns"] for document in ran.json["documents"]] == [3]
    assert filled("memory", "archive", "--json").json == {"documents": []}


def test_rebuild_verify_tells_equal_from_not(filled, home):
    ran = filled("memory", "rebuild", "--verify", "--json")
    assert (ran.code, ran.json["equal"]) == (0, True)
    assert ran.json["rows"]["computed"] == 5
    with sqlite3.connect(home / "derived.db") as connection:
        connection.execute("UPDATE computed SET text = CAST('changed' AS BLOB) WHERE position = 0")
    connection.close()
    ran = filled("memory", "rebuild", "--verify", "--json")
    assert (ran.code, ran.json["equal"]) == (1, False)
    assert "computed" in str(ran.json["differences"])
    assert filled("memory", "rebuild", "--json").code == 0
    assert filled("memory", "rebuild", "--verify", "--json").json["equal"] is True


def test_backup_copies_the_log_once(filled, tmp_path):
    ran = filled("memory", "backup", tmp_path / "copy.db", "--json")
    assert ran.json["bytes"] == (tmp_path / "copy.db").stat().st_size
    assert filled("memory", "backup", tmp_path / "copy.db").code == 1
    (tmp_path / "other").mkdir(mode=0o700)
    (tmp_path / "copy.db").rename(tmp_path / "other" / "log.db")
    digest = filled("memory", "stats", "--json").json["raw_digest"]
    restored = filled("memory", "stats", "--home", tmp_path / "other", "--json")
    assert restored.json["raw_digest"] == digest


def test_export_to_a_file_or_to_standard_output(filled, tmp_path, monkeypatch):
    ran = filled("memory", "export", tmp_path / "out.jsonl", "--json")
    assert ran.json["turns"] == 3
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, write_through=True)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        assert filled("memory", "export", "-").code == 0
    assert buffer.getvalue() == (tmp_path / "out.jsonl").read_bytes()
    assert [json.loads(line)["id"] for line in buffer.getvalue().splitlines()] == ["d1", "d2", "d9"]
    assert filled("memory", "export", "-", "--json").json["error"]["where"] == "-"


def test_ctrl_c_ends_with_a_sentence_and_leaves_whole_turns(homeagent, lines, monkeypatch):
    path = lines(*((f"d{n}", f"Lantern number {n}.") for n in range(600)))

    def stop(self, turns):
        if any(turn.external_id == "d300" for turn in turns):
            raise KeyboardInterrupt
        return keep_all(self, turns)

    from homeagent.memory import Memory

    keep_all = Memory.keep_all
    with monkeypatch.context() as patched:
        patched.setattr(Memory, "keep_all", stop)
        ran = homeagent("memory", "import", path)
        assert ran.code == 130
        assert "Stopped." in ran.err
        assert "Traceback" not in ran.err
        assert homeagent("memory", "import", path, "--json").json["error"]["where"] == "Ctrl+C"
    ran = homeagent("memory", "import", path, "--json")
    assert (ran.json["kept"], ran.json["known"]) == (344, 256)


def test_two_commands_work_on_one_home_at_a_time(filled, home):
    from homeagent.memory import Memory
    from homeagent.memory.embed import NoEmbedder

    with Memory.open(home, embedder=NoEmbedder()):
        assert filled("ask", "The second process speaks.").code == 0
        assert filled("memory", "search", "second process", "--json").json["hits"]
