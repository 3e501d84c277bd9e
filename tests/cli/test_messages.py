"""The table of messages: complete in both languages, nothing missing, nothing left over."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import homeagent.cli
from homeagent.cli.messages import MESSAGES, message, usage_problem

SOURCES = "".join(path.read_text() for path in Path(homeagent.cli.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("key", MESSAGES)
def test_both_languages_have_the_same_gaps(key):
    english, chinese = ({name for _, name, _, _ in Formatter().parse(text) if name} for text in MESSAGES[key])
    assert english == chinese


@pytest.mark.parametrize("key", MESSAGES)
def test_the_chinese_is_chinese(key):
    if key not in ("doctor_python", "fact_line", "fact_said"):
        assert re.search("[\u4e00-\u9fff]", MESSAGES[key][1])


GRAPH = ("relation_", "state_", "why_")
MCP = ("mcp_state_", "mcp_confirm_", "mcp_effect_", "mcp_new_", "mcp_runs", "mcp_asks")
PLUGINS = ("plugin_limit_", "plugin_new_", "plugin_state_", "plugin_treatment_")
POLICIES = ("policy_kind_", "policy_treatment_", "policy_origin_")


@pytest.mark.parametrize("key", MESSAGES)
def test_every_message_is_used(key):
    stems = (
        "help_",
        "step_",
        "doctor_",
        "option_",
        "argument_",
        "chat_help_",
        "status_",
        "model_",
        "decision_",
        "role_",
    )
    stems += (*POLICIES, *GRAPH, *PLUGINS, *MCP)
    assert len(re.findall(f"[\"']{key}[\"']", SOURCES)) > 1 or key.startswith(stems)


def test_every_message_that_is_asked_for_is_there():
    asked = re.findall(r'(?:message|say|words)\(\s*"(\w+)"', SOURCES)
    assert asked
    assert set(asked) <= set(MESSAGES)


def test_a_message_fills_its_gaps():
    assert message("en", "exported", count=3, file="a") == "Turns written to a: 3."
    assert message("zh", "exported", count=3, file="a") == "已把 3 次对话写入 a。"
    assert message("fr", "kept") == "Noted."


def test_what_argparse_says_is_said_in_chinese_where_it_is_known():
    assert usage_problem("zh", "the following arguments are required: TEXT") == "缺少 TEXT"
    assert usage_problem("zh", "something new") == "something new"
    assert usage_problem("en", "unrecognized arguments: --x") == "unrecognized arguments: --x"
