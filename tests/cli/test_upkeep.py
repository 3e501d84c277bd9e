"""``homeagent memory backup|restore|retention|stats``: rules, copies and what takes the room."""

from __future__ import annotations

import pytest

OLD = {
    "id": "old",
    "at": "2020-05-06T10:00:00+02:00",
    "channel": "cli",
    "chat": "main",
    "person": "owner",
    "segments": [
        {"role": "user", "text": "Look at the pump, please."},
        {"role": "tool", "tool": "cmd_run", "call_id": "c1", "arguments": {"a": 1}, "text": "zqoutput", "error": False},
        {"role": "assistant", "text": "The pump hums."},
    ],
}


@pytest.fixture
def filled(homeagent, lines):
    homeagent("config", "set", "policies.tools.cmd_run", "no_memory")
    assert homeagent("memory", "import", lines(("d1", "The cellar key hangs on the nail."), OLD)).code == 0
    return homeagent


def test_a_backup_rule_makes_a_copy_at_once_and_says_where(filled, home):
    ran = filled("memory", "backup", "--every", "24", "--keep", "2", "--json")
    assert ran.json["rule"] == {"hours": 24.0, "keep": 2}
    assert [path.parent.name for path in map(home.__class__, ran.json["backups"])] == ["backups"]
    assert "every 24 hours" in filled("memory", "backup", "--every", "24").out
    assert filled("memory", "backup", "--off", "--json").json["rule"] is None
    assert filled("memory", "backup", "--json").code == 1
    assert filled("memory", "backup", "--every", "0", "--json").code == 1


def test_a_command_makes_the_backup_that_is_due(filled, home):
    filled("memory", "backup", "--every", "24")
    for path in (home / "backups").iterdir():
        path.unlink()
    filled("memory", "stats")
    assert len(list((home / "backups").glob("log-*.db"))) == 1


def test_restore_asks_for_yes_and_keeps_what_was_here(filled, home, tmp_path):
    filled("memory", "backup", tmp_path / "copy.db")
    filled("memory", "erase", "old", "--yes")
    filled("memory", "import", _later(tmp_path))
    refused = filled("memory", "restore", tmp_path / "copy.db", "--json")
    assert refused.code == 1
    assert "--yes" in refused.json["error"]["next_step"]
    ran = filled("memory", "restore", tmp_path / "copy.db", "--yes", "--json")
    assert (ran.json["turns"], ran.json["erased_again"]) == (1, 1)
    assert home / ran.json["aside"].split("/")[-1] in set(home.iterdir())
    assert [hit["external_id"] for hit in filled("memory", "search", "key", "--json").json["hits"]] == ["d1"]
    assert filled("memory", "restore", tmp_path / "no.db", "--yes", "--json").code == 1


def _later(tmp_path):
    path = tmp_path / "later.jsonl"
    path.write_text(
        '{"id": "n", "at": null, "channel": "cli", "chat": "main", "person": "owner",'
        ' "segments": [{"role": "user", "text": "New."}]}\n'
    )
    return path


def test_retention_is_set_shown_and_run(filled):
    assert filled("memory", "retention", "show", "--json").json["after_days"] is None
    shown = filled("memory", "retention", "set", "erase", "--after-days", "30", "--json").json
    assert (shown["after_days"], [each["external_id"] for each in shown["due"]]) == (30, ["old"])
    done = filled("memory", "retention", "run", "--json").json
    assert done["bytes"] <= shown["bytes"]
    assert "zqoutput" not in filled("memory", "show", "old").out
    assert "The pump hums." in filled("memory", "show", "old").out
    assert filled("memory", "retention", "set", "keep", "--json").json["after_days"] is None
    assert filled("memory", "retention", "set", "erase", "--after-days", "0", "--json").code == 1
    assert filled("memory", "retention", "set", "erase").code == 2


def test_stats_say_what_takes_the_room(filled):
    room = filled("memory", "stats", "--json").json["room"]
    assert room["tools"]["cmd_run"] == len("zqoutput") + len('{"a": 1}')
    assert room["log"]["segments"] > 0
    assert "room.derived.index: " in filled("memory", "stats").out


@pytest.mark.parametrize(
    "words", [("backup", "--every", "2"), ("backup", "--off"), ("retention", "show"), ("retention", "run")]
)
def test_it_speaks_chinese(filled, words):
    ran = filled("memory", *words, "--lang", "zh")
    assert ran.code == 0
    assert any("\u4e00" <= character <= "\u9fff" for character in ran.out)
