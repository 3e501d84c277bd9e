"""The texts of the page: every one that is asked for is there, in both languages, with the same holes."""

from __future__ import annotations

import ast
import re
from string import Formatter

from dev.ratchet import modules
from homeagent.builtin import built_ins
from homeagent.config.fields import SECTIONS
from homeagent.server.page.words import WORDS
from homeagent.server.page.words.built_in import IN_CHINESE
from homeagent_sdk.settings import settings_schema

PAGE = modules("src/homeagent/server/page")


def test_every_text_has_both_languages_with_the_same_holes() -> None:
    for key, (english, chinese) in WORDS.items():
        assert english.strip(), key
        assert chinese.strip(), key
        holes = [{hole for _, hole, _, _ in Formatter().parse(each) if hole} for each in (english, chinese)]
        assert holes[0] >= holes[1], key
        assert not re.search(r"[\u4e00-\u9fff]", english), key


def test_every_text_that_is_asked_for_is_there() -> None:
    missing = {each for each in asked() if each not in WORDS}
    assert missing == set()


def asked() -> set[str]:
    found: set[str] = set()
    for module in PAGE:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and node.args:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name == "say":
                    found |= constants(node.args[0])
                if name == "empty":
                    key = node.args[1]
                    assert isinstance(key, ast.Constant)
                    found |= {str(key.value), f"{key.value}_next"}
    return found


def constants(node: ast.expr) -> set[str]:
    if isinstance(node, ast.Constant):
        return {str(node.value)}
    if isinstance(node, ast.IfExp):
        return constants(node.body) | constants(node.orelse)
    return set()


def test_every_setting_and_every_tool_of_the_home_is_explained_in_both_languages() -> None:
    labels = {f"setting_{section}.{name}" for section, names in SECTIONS.items() for name in names}
    said: set[str] = set()
    for plugin in built_ins():
        labels.add(f"about_plugin_{plugin.name}")
        said |= {tool.description.partition("\n")[0] for tool in plugin.tools}
        known = settings_schema(plugin.settings)["properties"] if plugin.settings else {}
        assert isinstance(known, dict)
        for name, schema in known.items():
            key = f"plugins.{plugin.name}.{name}"
            labels |= {f"setting_{key}", *(f"option_{key}.{each}" for each in schema.get("enum", ()))}
            said.add(schema["description"])
    assert labels - set(WORDS) == set()
    assert said ^ set(IN_CHINESE) == set()
    assert all(re.search(r"[\u4e00-\u9fff]", each) for each in IN_CHINESE.values())
