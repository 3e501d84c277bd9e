"""Plugins of a home at work: their tools are called by name, their cleaners clean, a broken one is named and left out."""

from __future__ import annotations

HEAD = """\
# /// script
# dependencies = []
# [tool.homeagent]
# name = "%s"
# version = "1.0"
# sdk = ">=0.1"
# settings = { city = "where" }
# ///
import os
from dataclasses import dataclass
from homeagent_sdk import Plugin, ToolContext, tool
"""
WEATHER = """
def only_answer(text: str) -> str:
    return text.rpartition("answer: ")[2]


@dataclass(frozen=True)
class Settings:
    city: str = "Berlin"


@tool(cleaner=only_answer)
def forecast(context: ToolContext) -> str:
    "Tell the weather."
    return f"pressurefields answer: sunshine in {context.settings(Settings).city}"


plugin = Plugin("weather", "1.0", tools=[forecast], settings=Settings)
"""


def put(folder, name, code):
    path = folder / f"{name}.py"
    path.write_text(HEAD % name + code)
    return path


def test_a_tool_of_a_plugin_is_called_and_its_cleaner_decides_what_is_remembered(homeagent, tmp_path):
    done = homeagent("plugin", "install", put(tmp_path, "weather", WEATHER), "--yes")
    assert done.code == 0, done.err
    assert homeagent("config", "set", "plugins.weather.city", "Wien").code == 0
    wrong = homeagent("config", "set", "plugins.weather.ctiy", "Wien")
    assert "no such setting" in wrong.err
    refused = homeagent("config", "set", "plugins.weather.city", "[3]")
    assert refused.code == 1
    assert "config.toml [plugins.weather]: city:" in refused.err
    assert homeagent("--json", "config", "show").json["plugins"]["weather"]["city"]
    said = homeagent("ask", "/tool forecast")
    assert "pressurefields answer: sunshine in Wien" in said.out
    found = homeagent("--json", "memory", "search", "sunshine")
    assert [hit for hit in found.json["hits"] if "sunshine" in hit["text"]]
    assert "pressurefields" not in homeagent("--json", "memory", "search", "pressurefields", "sunshine").out
    assert homeagent("plugin", "disable", "weather").code == 0
    assert "sunshine" not in homeagent("ask", "/tool forecast").out


def test_a_plugin_that_can_not_start_is_named_and_the_answer_comes_all_the_same(homeagent, home, tmp_path, caplog):
    homeagent("plugin", "install", put(tmp_path, "weather", WEATHER), "--yes")
    code = home / "installed" / "weather" / "code" / "weather.py"
    code.write_text(HEAD % "weather" + "raise ValueError('no luck')\n")
    said = homeagent("ask", "My cat is called Bean.")
    assert said.code == 0
    assert said.out
    assert "no luck" in caplog.text
    assert homeagent("config", "set", "plugins.weather.city", "Wien").code == 0  # it can't be asked
    assert "ValueError: no luck" in (home / "logs" / "plugin-weather.txt").read_text()


def test_a_plugin_that_shows_more_tools_than_were_agreed_to_does_not_run(homeagent, home, tmp_path, caplog):
    homeagent("plugin", "install", put(tmp_path, "weather", WEATHER), "--yes")
    code = home / "installed" / "weather" / "code" / "weather.py"
    hidden = "made = tool(no_memory=False)\n@made\ndef sneak() -> str:\n    'Sneak.'\n    return ''\n"
    code.write_text(
        code.read_text().replace("plugin =", hidden + "plugin =").replace("[forecast]", "[forecast, sneak]")
    )
    said = homeagent("ask", "/tool sneak")
    assert "it wants more than was agreed to: sneak" in caplog.text
    assert "homeagent plugin enable weather" in caplog.text
    assert "There is no tool sneak" in said.out
    assert homeagent("plugin", "enable", "weather", "--yes").code == 0
    assert homeagent("ask", "/tool sneak").code == 0


def test_a_plugin_that_can_not_be_loaded_is_not_turned_on(homeagent, home, tmp_path):
    done = homeagent("plugin", "install", put(tmp_path, "weather", "raise ValueError('no luck')"), "--yes")
    assert done.code == 1
    assert "no luck" in done.err
    assert not (home / "consents.json").exists()
    assert list((home / "installed").iterdir()) == []


def test_a_new_version_that_can_not_be_loaded_leaves_the_one_that_is_there(homeagent, home, tmp_path):
    homeagent("plugin", "install", put(tmp_path, "weather", WEATHER), "--yes")
    done = homeagent("plugin", "install", put(tmp_path, "weather", "raise ValueError('no luck')"), "--yes")
    assert done.code == 1
    assert "sunshine" in homeagent("ask", "/tool forecast").out
    kept = {path.name for path in (home / "installed" / "weather").iterdir()}
    assert kept == {"code", "environment"}


def test_of_two_plugins_with_one_tool_the_second_is_not_turned_on(homeagent, tmp_path):
    other = WEATHER.replace('Plugin("weather"', 'Plugin("clouds"')
    homeagent("plugin", "install", put(tmp_path, "clouds", other), "--yes")
    refused = homeagent("plugin", "install", put(tmp_path, "weather", WEATHER), "--yes")
    assert "its tool 'forecast' is also a tool of plugin 'clouds'" in refused.err
    assert "sunshine" in homeagent("ask", "/tool forecast").out
    homeagent("plugin", "disable", "clouds")
    assert homeagent("plugin", "install", put(tmp_path, "weather", WEATHER), "--yes").code == 0
    assert "is also a tool of plugin 'weather'" in homeagent("plugin", "enable", "clouds").err
    assert "sunshine" in homeagent("ask", "/tool forecast").out
