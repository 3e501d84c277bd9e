from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeagent import builtin
from homeagent.agent.context import Limits, Parts, fit
from homeagent.builtin import built_ins
from homeagent.models import Message, ToolSpec
from homeagent.models.tokens import TokenEstimator

if TYPE_CHECKING:
    from homeagent_sdk.tools import AnyTool

PLAIN, HIDDEN, MEMORY = "plain", "no_memory", "returns_memory"
POLICIES = {
    "memory_recall": MEMORY,
    "memory_note": PLAIN,
    "memory_explain": MEMORY,
    "memory_read": MEMORY,
    "doc_query": MEMORY,
    "doc_commit": PLAIN,
    "memory_commit": PLAIN,
    "memory_edit": PLAIN,
    "memory_merge": PLAIN,
    "memory_forget": PLAIN,
    "memory_purge": PLAIN,
    "person_query": MEMORY,
    "person_set_trait": PLAIN,
    "person_relate": PLAIN,
    "files_read": "json(content) | head(32000)",
    "files_ls": PLAIN,
    "files_write": PLAIN,
    "files_edit": PLAIN,
    "cmd_run": HIDDEN,
    "terminal_create": HIDDEN,
    "terminal_write": HIDDEN,
    "terminal_read": HIDDEN,
    "terminal_resize": HIDDEN,
    "terminal_close": HIDDEN,
    "terminal_list": HIDDEN,
    "clock_now": PLAIN,
    "clock_set_timer": PLAIN,
    "clock_remind": PLAIN,
    "clock_list": PLAIN,
    "clock_cancel": PLAIN,
}
TOOLS: dict[str, AnyTool] = {tool.name: tool for plugin in built_ins() for tool in plugin.tools}


def policy_of(tool: AnyTool) -> str:
    if tool.returns_memory:
        assert tool.policy.cleaner is None
        return MEMORY
    if tool.policy.no_memory:
        return HIDDEN
    return tool.policy.cleaner.spec if tool.policy.cleaner is not None else PLAIN


def test_every_tool_has_the_policy_that_the_memory_counts_on() -> None:
    assert {name: policy_of(tool) for name, tool in TOOLS.items()} == POLICIES


def test_the_plugins_have_their_names() -> None:
    assert [plugin.name for plugin in built_ins()] == ["memory", "files", "shell", "terminal", "clock", "people"]


@pytest.mark.parametrize("name", TOOLS)
def test_the_model_is_told_what_each_argument_means(name: str) -> None:
    properties = TOOLS[name].parameters["properties"]
    assert isinstance(properties, dict)
    assert [key for key, schema in properties.items() if not schema.get("description")] == []


@pytest.mark.parametrize("name", TOOLS)
def test_a_description_is_short(name: str) -> None:
    assert 20 < len(TOOLS[name].description) < 450
    assert "Args" not in TOOLS[name].description


def test_they_import_the_sdk_and_the_standard_library_only() -> None:
    allowed = {*sys.stdlib_module_names, "homeagent_sdk"}
    found: list[str] = []
    for path in Path(builtin.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [f"{path.name}: {name}" for name in names if name.split(".")[0] not in allowed]
    assert [each for each in found if " homeagent.builtin" not in each] == []


def test_importing_the_package_imports_no_plugin() -> None:
    program = "import sys, homeagent.builtin; print([n for n in sys.modules if n.startswith('homeagent.builtin.')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_small_window_has_room_for_the_first_tools_of_each_kind() -> None:
    specs = tuple(ToolSpec(tool.name, tool.description, tool.parameters) for tool in TOOLS.values())
    fitted = fit(Parts("", specs, (Message("user", "hello"),)), (), Limits(8_192, 2_048, TokenEstimator().text))
    names = [tool.name for tool in fitted.tools]
    assert {"memory_recall", "memory_note", "doc_query", "files_read", "files_write", "files_edit", "cmd_run"} <= set(
        names
    )
    assert names == [name for name in TOOLS if name in names]
