"""Starting: help is quick and light, options stand anywhere, a wrong command line is told from an error."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from homeagent.cli import language
from homeagent.cli.parser import build
from homeagent.paths import Home, default_home

HEAVY = {"numpy", "rjieba", "onnxruntime", "onnx", "tokenizers", "sqlite3", "rich", "tomlkit", "platformdirs", "openai"}


def commands(parser, path=()):
    """Yield every command's words, from the parser itself."""
    yield path
    for action in parser._actions:
        if hasattr(action, "_name_parser_map"):
            for name, inner in action._name_parser_map.items():
                yield from commands(inner, (*path, name))


@pytest.mark.parametrize("argv", [["--help"], ["memory", "search", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(home, argv):
    code = f"import sys, homeagent.cli as c; c.run({argv!r}); print(*(m.partition('.')[0] for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.splitlines()[-1].split())
    assert len(done.stdout.splitlines()) > 1


@pytest.mark.parametrize("path", [*commands(build("en"))], ids=" ".join)
@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_every_command_has_help_in_both_languages(homeagent, path, tongue):
    ran = homeagent(*path, "--help", "--lang", tongue)
    assert ran.code == 0
    assert ran.out.startswith("usage: " if tongue == "en" else "用法：")


def test_the_common_options_stand_before_or_after_the_command(homeagent, tmp_path):
    for words in (
        ["--home", tmp_path / "a", "--json", "--lang", "zh", "memory", "stats"],
        ["memory", "--json", "--home", tmp_path / "a", "stats", "--lang", "zh"],
        ["memory", "stats", "--lang=zh", f"--home={tmp_path / 'a'}", "--json"],
    ):
        ran = homeagent(*words)
        assert ran.code == 0
        assert ran.json["home"] == str(tmp_path / "a")
        assert "这里还没有任何记忆" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ["memory"],
        ["dance"],
        ["ask"],
        ["memory", "search"],
        ["memory", "search", "x", "--limit", "many"],
        ["memory", "stats", "--colour"],
        ["check"],
        ["--lang", "fr", "doctor"],
        ["config", "set", "ui.language"],
        ["memory", "stats", "--verb"],
    ],
)
def test_a_wrong_command_line_leaves_with_2_and_says_where_to_look(homeagent, words):
    ran = homeagent(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "--help" in ran.err
    ran = homeagent(*words, "--json")
    assert ran.code == 2
    assert set(ran.json["error"]) == {"where", "problem", "next_step"}
    chinese = homeagent(*words, "--lang", "zh")
    assert "怎么办" in chinese.err


@pytest.mark.parametrize(
    ("variables", "settings", "words", "expected"),
    [
        ({"LANG": "de_DE.UTF-8"}, "", [], "en"),
        ({"LANG": "zh_CN.UTF-8"}, "", [], "zh"),
        ({"LANG": "en_US", "LC_ALL": "zh_TW.UTF-8"}, "", [], "zh"),
        ({"LANG": "zh_CN.UTF-8"}, '[ui]\nlanguage = "en"', [], "en"),
        ({"LANG": "zh_CN.UTF-8"}, '[ui]\nlanguage = "auto"', [], "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "[ui", [], "zh"),
        ({"LANG": "en"}, "ui = 3", [], "en"),
        ({"LANG": "en"}, '[ui]\nlanguage = "en"', ["memory", "--lang", "zh", "stats"], "zh"),
        ({"LANG": "en"}, "", ["ask", "--", "--lang", "zh"], "en"),
    ],
)
def test_the_language_is_the_options_the_settings_or_the_environments(
    home, monkeypatch, variables, settings, words, expected
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    (home / "config.toml").write_text(settings)
    assert language.chosen_language(words) == expected


def test_the_settings_are_looked_for_where_the_home_is(home, tmp_path, monkeypatch):
    assert language.settings_file("") == str(Home(default_home()).config)
    monkeypatch.delenv("HOMEAGENT_HOME")
    for data in (None, "", str(tmp_path), "relative"):
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        if data is not None:
            monkeypatch.setenv("XDG_DATA_HOME", data)
        assert language.settings_file("") == str(Home(default_home()).config), data


def test_the_program_runs_as_a_module_and_writes_what_has_no_bytes_as_escapes(home):
    env_words = [sys.executable, "-W", "error", "-m", "homeagent"]
    code = "import sys; sys.argv = ['homeagent', 'ask', 'half \\ud83d 猫'];"
    code += "import runpy; runpy.run_module('homeagent', run_name='__main__')"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    done = subprocess.run([*env_words, "memory", "search", "half", "--json"], capture_output=True, check=True)
    assert "half" in json.loads(done.stdout)["hits"][0]["text"]
    turn = json.loads(done.stdout)["hits"][0]["turn"]
    shown = subprocess.run([*env_words, "memory", "show", turn], capture_output=True, check=True)
    assert "half \\ud83d 猫" in shown.stdout.decode()
