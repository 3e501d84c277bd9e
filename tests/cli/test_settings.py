"""``config.toml``: typed, unknown keys refused, comments kept, policies applied once and taken back."""

from __future__ import annotations

import pytest

from homeagent import config
from homeagent.errors import ConfigError
from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder
from homeagent_sdk import MemoryPolicy, parse_cleaner


def refused(text):
    with pytest.raises(ConfigError) as caught:
        config.parse(text, "config.toml")
    assert caught.value.next_step
    return caught.value


def test_an_empty_file_is_the_defaults(tmp_path):
    found = config.load(tmp_path / "none.toml")
    assert found == config.Config()
    assert (found.memory.recall_limit, found.memory.embedder, found.ui.language) == (5, "offline", "auto")


def test_everything_can_be_set():
    found = config.parse(
        "[memory]\nrecall_limit = 8\nembedder = 'server'\nbase_url = 'http://h/v1'\nmodel = 'm'\nkey_env = 'K'\n"
        "[ui]\nlanguage = 'zh'\n[policies.tools]\ncmd_run = {no_memory = true}\n'web_*' = {cleaner = 'html()'}\n",
        "config.toml",
    )
    assert found.memory == config.MemorySettings(8, "server", "http://h/v1", "m", "K")
    assert found.ui.language == "zh"
    assert found.tools == {
        "cmd_run": MemoryPolicy(no_memory=True),
        "web_*": MemoryPolicy(cleaner=parse_cleaner("html()")),
    }


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("[memory]\nrecall_limit = 'abc'", "config.toml [memory] recall_limit", "expected a whole number, got 'abc'"),
        ("[memory]\nrecall_limit = true", "config.toml [memory] recall_limit", "whole number"),
        ("[memory]\nrecall_limit = 0", "config.toml [memory] recall_limit", "from 1"),
        ("[memory]\nlimit = 3", "config.toml [memory] limit", "no such setting"),
        ("[memory]\nembedder = 'magic'", "config.toml [memory] embedder", "offline"),
        ("[memory]\nmodel = 3", "config.toml [memory] model", "text"),
        ("[memory]\nembedder = 'server'", "config.toml [memory] base_url", "needs it"),
        ("[colours]", "config.toml colours", "no such section"),
        ("memory = 3", "config.toml [memory]", "table"),
        ("[ui]\nlanguage = 'fr'", "config.toml [ui] language", "zh"),
        ("[policies]\nthings = 3", "config.toml [policies] things", "no such section"),
        ("[policies.tools]\na = 3", "config.toml [policies.tools] a", "table"),
        ("[policies.tools]\na = {no_memory = 1}", "config.toml [policies.tools] a no_memory", "true or false"),
        ("[policies.tools]\na = {cleaner = 1}", "config.toml [policies.tools] a cleaner", "text"),
        ("[policies.tools]\na = {cleaner = 'x()'}", "config.toml [policies.tools] a", "no cleaner 'x'"),
        (
            "[policies.tools]\na = {no_memory = true, cleaner = 'head(3)'}",
            "config.toml [policies.tools] a",
            "contradict",
        ),
        ("[policies.tools]\na = {hidden = true}", "config.toml [policies.tools] a hidden", "no such setting"),
        ("[memory", "config.toml", "TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(text, where, problem):
    error = refused(text)
    assert error.where == where
    assert problem in error.problem


def test_a_change_keeps_comments_and_order(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("# mine\n[ui]\nlanguage = 'en' # for now\n")
    assert config.change(path, "ui.language", "zh").ui.language == "zh"
    assert path.read_text() == '# mine\n[ui]\nlanguage = "zh" # for now\n'
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_change_that_makes_no_sense_changes_nothing(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("[ui]\nlanguage = 'en'\n")
    for key, value in [("ui.language", "fr"), ("ui.colour", "x"), ("nothing", "1"), ("policies.tools.a", "x(")]:
        with pytest.raises(ConfigError):
            config.change(path, key, value)
    assert path.read_text() == "[ui]\nlanguage = 'en'\n"
    assert [each.name for each in tmp_path.iterdir()] == ["config.toml"]


def test_show_set_unset_and_path(homeagent, home):
    assert homeagent("config", "path").out == f"{home / 'config.toml'}\n"
    assert homeagent("config", "set", "memory.recall_limit", "9", "--json").json["memory"]["recall_limit"] == 9
    assert "memory.recall_limit = 9" in homeagent("config", "show").out
    homeagent("config", "set", "policies.tools.web.get", "cleaner='html() | head(9)'")
    assert homeagent("config", "show", "--json").json["policies"]["tools"] == {
        "web.get": {"cleaner": "html() | head(9)"}
    }
    homeagent("config", "unset", "policies.tools.web.get")
    assert homeagent("config", "show", "--json").json["policies"]["tools"] == {}
    ran = homeagent("config", "set", "memory.recall_limit", "abc", "--json")
    assert ran.code == 1
    assert ran.json["error"]["problem"] == "expected a whole number, got 'abc'"


def test_a_broken_file_is_an_error_everywhere_but_for_its_path(homeagent, home):
    (home / "config.toml").write_text("[memory")
    assert homeagent("config", "path").code == 0
    for words in (["config", "show"], ["ask", "hello"], ["config", "set", "ui.language", "zh"]):
        ran = homeagent(*words, "--json")
        assert ran.code == 1
        assert str(home / "config.toml") in ran.json["error"]["where"]


def test_policies_that_others_set_are_left_alone(homeagent, home, lines):
    output = {"role": "tool", "tool": "cmd_run", "text": "zqhidden"}
    turn = {"id": "d1", "channel": "c", "chat": "m", "person": "p", "segments": [output]}
    homeagent("memory", "import", lines(turn))
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        memory.set_policies({"cmd_*": MemoryPolicy(no_memory=True)})
    decision = homeagent("memory", "explain", "d1", "--json").json["segments"][0]["decision"]
    assert decision == "hidden"
    homeagent("config", "set", "policies.tools.web_*", "no_memory")
    homeagent("config", "unset", "policies.tools.web_*")
    assert homeagent("memory", "explain", "d1", "--json").json["segments"][0]["decision"] == "hidden"


def test_policies_are_said_once_not_at_every_start(homeagent):
    homeagent("config", "set", "policies.tools.cmd_*", "no_memory")
    for _ in range(3):
        counts = homeagent("memory", "stats", "--json").json["counts"]
    assert counts["policy"] == 1
