"""``config.toml``: typed, unknown keys refused, comments kept, policies applied once and taken back."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from homeagent import config
from homeagent.agent import AgentSettings
from homeagent.app import agent_settings, hidden_secrets, sources_of
from homeagent.errors import ConfigError
from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder
from homeagent.models import Price, Source, Timeouts
from homeagent_sdk import MemoryPolicy, Plugin, Secret, parse_cleaner


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


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("[agent]\nrounds = 0", "config.toml [agent] rounds", "from 1"),
        ("[agent]\ntool_seconds = 0", "config.toml [agent] tool_seconds", "a number above 0"),
        ("[agent]\nname = 'x'", "config.toml [agent] name", "no such setting"),
        ("[models]\nhome = 3", "config.toml [models.home]", "table"),
        ("[models.home]\nmodel = 'm'", "config.toml [models.home] base_url", "missing"),
        ("[models.'a b']", "config.toml [models.a b]", "letters"),
        (
            "[models.h]\nbase_url='http://h/v1'\nmodel='m'\nwindow='big'",
            "config.toml [models.h] window",
            "whole number",
        ),
        ("[models.h]\nbase_url='http://h/v1'\nmodel='m'\nprompt_price=1", "config.toml [models.h]", "one price"),
        ("[models.h]\nbase_url='http://h/v1'\nmodel='m'\ntakes='image/*'", "config.toml [models.h] takes", "a list"),
        ("[models.h]\nbase_url='u'\nmodel='m'\nkey_env='A'\nkey_file='b'", "config.toml [models.h]", "both"),
        ("[plugins]\nshell = 3", "config.toml [plugins.shell]", "table"),
    ],
)
def test_what_is_wrong_with_agents_models_and_plugins_is_named_too(text, where, problem):
    error = refused(text)
    assert error.where == where
    assert problem in error.problem


@pytest.mark.parametrize(
    "text",
    [
        "[models.h]\nbase_url='http://h/v1'\nmodel='m'\napi_key='zqkey123'",
        "[models.h]\nbase_url='http://h/v1'\nmodel='m'\nkey_env='zqkey-123'",
        "[models.h]\nbase_url=['zqkey123']\nmodel='m'",
        "[models]\nh='zqkey123'",
        "[memory]\nkey_env='zqkey-123'",
    ],
)
def test_a_key_in_the_wrong_place_is_not_repeated(text):
    error = refused(text)
    assert "zqkey" not in f"{error.where} {error.problem} {error.next_step}"


def test_sources_stand_in_order_of_priority_and_are_mapped_whole(monkeypatch):
    found = config.parse(
        "[models.last]\nbase_url='http://127.0.0.1:1/v1'\nmodel='a'\n"
        "[models.cloud]\nbase_url='https://api.example.com/v1'\nmodel='b'\nkey_file='~/k'\nwindow=1000\n"
        "takes=['image/*']\nprompt_price=1\ncompletion_price=2.5\ncurrency='EUR'\nconnect_seconds=1\n"
        "first_token_seconds=2\nnext_token_seconds=3\nretries=0\npriority=1\nmax_tokens=77\n",
        "config.toml",
    )
    monkeypatch.setenv("HOME", "/users/ana")
    first, second = sources_of(found)
    assert (first.name, second.name) == ("cloud", "last")
    assert first == Source(
        "cloud",
        "https://api.example.com/v1",
        "b",
        key_file=Path("/users/ana/k"),
        window_tokens=1000,
        price=Price(1, 2.5, currency="EUR"),
        takes=frozenset({"image/*"}),
        timeouts=Timeouts(1, 2, 3),
        retries=0,
        max_tokens=77,
    )
    assert agent_settings(config.parse("[agent]\nrounds=3\nwindow=900\npersona='Pip'", "c")) == AgentSettings(
        persona="Pip", rounds=3, window_tokens=900
    )


def test_a_whole_source_is_set_in_one_line_and_taken_out_again(homeagent, home):
    value = "base_url='http://127.0.0.1:11434/v1', model='qwen3:8b'"
    assert homeagent("config", "set", "models.home", value).code == 0
    assert homeagent("config", "set", "models.home.window", "9000").code == 0
    assert homeagent("config", "set", "models.home.model", "other:7b").code == 0
    found = homeagent("config", "show", "--json").json["models"]["home"]
    assert (found["base_url"], found["model"], found["window"]) == ("http://127.0.0.1:11434/v1", "other:7b", 9000)
    before = (home / "config.toml").read_text()
    for key, wrong in [
        ("models.home.model", ""),
        ("models.home", "base_url = ftp"),
        ("models.home.base_url", "ftp://h"),
        ("models.home.base_url", "http://me:zqkey@h/v1"),
        ("models.home.api_key", "zqkey"),
        ("models.home", "base_url='http://h/v1', model='m', key='zqkey"),
        ("models", "x"),
    ]:
        ran = homeagent("config", "set", key, wrong)
        assert ran.code == 1, (key, wrong)
        assert "zqkey" not in ran.err
        assert "What to do: " in ran.err
    assert (home / "config.toml").read_text() == before
    assert homeagent("config", "unset", "models.home").code == 0
    assert homeagent("config", "show", "--json").json["models"] == {}


def test_the_settings_of_a_plugin_are_checked_by_the_plugin(homeagent):
    assert homeagent("config", "set", "plugins.shell.allow", "['git status']").code == 0
    assert homeagent("config", "show", "--json").json["plugins"] == {"shell": {"allow": ["git status"]}}
    for key, value, problem in [
        ("plugins.shell.alow", "['x']", "Did you mean allow?"),
        ("plugins.shel.allow", "['x']", "there is no such plugin"),
        ("plugins.terminal.sessions", "many", "sessions"),
        ("plugins.terminal.sessions", "0", "less than 1"),
    ]:
        ran = homeagent("config", "set", key, value)
        assert ran.code == 1
        assert problem in ran.err


def test_a_secret_of_a_plugin_is_not_shown():
    @dataclass(frozen=True)
    class Mine:
        password: Secret = field(default_factory=Secret)
        host: str = ""

    plugin = Plugin("mail", "1.0.0", settings=Mine)
    shown = config.shown(config.parse("[plugins.mail]\npassword='zq1'\nhost='h'\n[plugins.gone]\nkey='zq2'", "c"))
    hidden = hidden_secrets(shown, [plugin])
    assert hidden["plugins"] == {"mail": {"password": "***", "host": "h"}, "gone": {"key": "***"}}


def test_what_is_no_setting_of_a_plugin_or_is_called_a_secret_is_not_shown():
    @dataclass(frozen=True)
    class Mine:
        host: str = ""
        access_token: str = ""
        max_token: int = 5

    shown = config.shown(
        config.parse(
            "[plugins.mail]\napi_key='zq1'\nhosst='zq2'\naccess_token='zq3'\nmax_token=7\nhost={password='zq4'}\n", "c"
        )
    )
    hidden = hidden_secrets(shown, [Plugin("mail", "1.0.0", settings=Mine)])
    assert "zq" not in repr(hidden)
    assert hidden["plugins"] == {
        "mail": {"api_key": "***", "hosst": "***", "access_token": "***", "max_token": 7, "host": "***"}
    }


def test_a_key_written_into_a_plugins_settings_is_neither_shown_nor_called_fine(homeagent, home):
    (home / "config.toml").write_text("[memory]\nembedder = 'none'\n[plugins.shell]\napi_key = 'sk-zq9'\nseconds = 9\n")
    shown = homeagent("config", "show")
    assert "plugins.shell.api_key = '***'" in shown.out
    assert "plugins.shell.seconds = 9" in shown.out
    looked = homeagent("doctor", "--json")
    (found,) = [check for check in looked.json["checks"] if check["name"] == "config"]
    assert (looked.code, found["level"]) == (1, "fail")
    assert "[plugins.shell]: api_key: there is no such setting" in found["found"]
    assert found["next_step"]
    assert "sk-zq9" not in shown.out + looked.out + homeagent("doctor", "--lang", "zh").out


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
