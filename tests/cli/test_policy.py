"""``homeagent policy``: what is in force, a change and what it does, a trial that changes nothing."""

from __future__ import annotations

import pytest

from homeagent import config
from homeagent.cli import run
from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder
from homeagent_sdk import MemoryPolicy

NOTE = '{"content": "The gate code is zq81kk77vv."}'


@pytest.fixture
def told(homeagent, lines):
    """A home where a tool has spoken, and a reply repeats it."""
    segments = [
        {"role": "user", "text": "what is in the note?"},
        {"role": "tool", "tool": "files_read", "text": NOTE},
        {"role": "assistant", "text": "The code: zq81kk77vv."},
    ]
    at = "2026-05-05T10:00:00+02:00"
    turn = {"id": "a", "at": at, "channel": "cli", "chat": "main", "person": "owner", "segments": segments}
    assert homeagent("memory", "import", lines(turn)).code == 0
    return homeagent


def in_force(homeagent, name):
    (found,) = [row for row in homeagent("policy", "list", "--json").json["policies"] if row["name"] == name]
    return found


def hits(homeagent, text):
    return [hit["text"] for hit in homeagent("memory", "search", text, "--json").json["hits"]]


def test_a_new_home_has_no_policies(homeagent):
    assert homeagent("policy", "list", "--json").json == {"policies": []}
    assert homeagent("policy", "list").out == "No tool or channel has spoken yet.\n"


def test_each_tool_and_channel_is_listed_with_what_it_left_behind(told):
    row = in_force(told, "files_read")
    assert (row["kind"], row["treatment"], row["origin"], row["segments"]) == ("tool", "default", "default", 1)
    assert (row["raw"], row["computed"]) == (len(NOTE), len(f"files_read\n{NOTE}"))
    row = in_force(told, "cli")
    assert (row["kind"], row["treatment"], row["segments"], row["raw"]) == ("channel", "plain", 1, 20)
    assert told("policy", "list", "--lang", "zh").out.startswith("工具 files_read：默认清洗（未声明策略）；1 段")


@pytest.mark.parametrize("name", ["files_read", "files_*"])
def test_a_policy_is_set_shown_and_taken_back(told, home, name):
    digest = told("memory", "stats", "--json").json["raw_digest"]
    changed = told("policy", "set", name, "--no-memory", "--json")
    assert changed.json["policy"] == "no_memory = true"
    assert [each["after"]["treatment"] for each in changed.json["changed"]] == ["hidden"]
    assert (changed.json["queued"], changed.json["pending"]) == (2, 0)
    assert "tool files_read: default cleaner -> hidden" in changed.err
    row = in_force(told, "files_read")
    assert (row["treatment"], row["origin"], row["pattern"], row["computed"]) == ("hidden", "config", name, 0)
    assert config.load(home / "config.toml").tools == {name: MemoryPolicy(no_memory=True)}
    assert not [text for text in hits(told, "gate code") if "zq81kk77vv" in text]
    assert told("policy", "set", name, "--unset", "--json").json["queued"] == 2
    assert in_force(told, "files_read")["treatment"] == "default"
    assert config.load(home / "config.toml").tools == {}
    assert [text for text in hits(told, "gate code") if "zq81kk77vv" in text]
    assert told("memory", "stats", "--json").json["raw_digest"] == digest


def test_a_channels_policy_is_set_in_the_same_way(told, home):
    changed = told("policy", "set", "cli", "--channel", "--no-memory", "--json").json
    assert (changed["kind"], changed["queued"]) == ("channel", 1)
    assert in_force(told, "cli")["computed"] == 0
    assert config.load(home / "config.toml").channels == {"cli": MemoryPolicy(no_memory=True)}
    assert told("policy", "set", "cli", "--channel", "--unset").code == 0
    assert in_force(told, "cli")["computed"] == 20


def test_a_trial_says_what_setting_does_and_changes_nothing(told, home):
    before = told("memory", "stats", "--json").json
    trial = told("policy", "test", "files_read", "--cleaner", "json(content)", "--json").json
    assert told("memory", "stats", "--json").json["raw_digest"] == before["raw_digest"]
    assert config.load(home / "config.toml").tools == {}
    assert in_force(told, "files_read")["treatment"] == "default"
    assert (trial["segments"], trial["replies"]) == (1, 0)
    assert trial["examples"][0]["after"] == "files_read\nThe gate code is zq81kk77vv."
    told("policy", "set", "files_read", "--cleaner", "json(content)")
    assert in_force(told, "files_read")["computed"] == trial["characters_after"]
    said = told("policy", "test", "files_read", "--no-memory").out
    assert "1 segments: 39 computed characters now, 0 then" in said
    assert "1 replies that quote them" in said
    assert said.endswith("Nothing was changed.\n")


def test_what_can_not_be_is_refused_before_anything_is_written(told, home):
    before = (home / "config.toml").read_text()
    assert told("policy", "set", "files_read", "--cleaner", "jsn(a)").code == 1
    assert told("policy", "set", "files_read", "--no-memory", "--plain").code == 2
    assert told("policy", "set", "nobody", "--unset").code == 1
    assert (home / "config.toml").read_text() == before


def test_a_policy_that_only_the_memory_knows_can_be_taken_back(told, home):
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        memory.set_policies({"files_read": MemoryPolicy(no_memory=True)})
    assert in_force(told, "files_read")["origin"] == "override"
    assert told("policy", "set", "files_read", "--unset").code == 0
    assert in_force(told, "files_read")["treatment"] == "default"


def test_the_settings_win_over_what_the_memory_has(told, home):
    told("policy", "set", "files_read", "--no-memory")
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        memory.set_policies({"files_read": MemoryPolicy()})
    assert in_force(told, "files_read")["treatment"] == "hidden"


@pytest.mark.parametrize("spec", ["json(a.b) | head(10)", 'regex("it\'s","x")', 'regex("a\\"b","c")'])
def test_every_cleaner_is_written_so_that_it_reads_back(told, home, spec):
    assert run(["policy", "set", "files_read", "--cleaner", spec]) == 0
    (found,) = config.load(home / "config.toml").tools.values()
    assert found.cleaner.spec == spec
