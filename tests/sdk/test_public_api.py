from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import homeagent_sdk
from homeagent_sdk import CleanerError, DeclarationError, SdkError

MODULES = [module.name for module in pkgutil.iter_modules(homeagent_sdk.__path__)]
README = Path(__file__).parents[2] / "sdk" / "README.md"


def test_the_public_names_are_these() -> None:
    assert homeagent_sdk.__all__ == [
        "ArgumentsError",
        "Arrival",
        "Attachment",
        "Capabilities",
        "Channel",
        "ChannelContext",
        "Cleaner",
        "CleanerError",
        "Connection",
        "DeclarationError",
        "DocumentAccess",
        "Evidence",
        "ExplainedSegment",
        "FactAccess",
        "InjectOptions",
        "Injection",
        "KnownDocument",
        "KnownFact",
        "MemoryAccess",
        "MemoryPolicy",
        "Message",
        "No",
        "NotTextError",
        "OpenedDocument",
        "Outgoing",
        "Output",
        "Plugin",
        "PluginContext",
        "Problem",
        "Prompt",
        "Recollected",
        "Recollection",
        "RefusedError",
        "Reply",
        "SdkError",
        "Secret",
        "SettingsError",
        "Stage",
        "StageHandler",
        "Tool",
        "ToolCall",
        "ToolContext",
        "ToolError",
        "ToolOutcome",
        "ToolResult",
        "TurnInfo",
        "drop_ansi",
        "function_cleaner",
        "head",
        "html_text",
        "import_function_cleaner",
        "json_field",
        "lines",
        "parse_cleaner",
        "read_json",
        "regex",
        "stage",
        "tool",
    ]


@pytest.mark.parametrize("name", homeagent_sdk.__all__)
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    assert getattr(homeagent_sdk, name).__doc__
    assert name in dir(homeagent_sdk)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'tols'"):
        _ = homeagent_sdk.tols  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", MODULES)
def test_every_module_lists_its_public_names_and_documents_itself(name: str) -> None:
    module = importlib.import_module(f"homeagent_sdk.{name}")
    assert module.__doc__
    assert list(module.__all__) == sorted(
        module.__all__, key=lambda item: (item[0].islower(), not item.isupper(), item)
    )


def test_the_sdk_imports_the_standard_library_only() -> None:
    for name in MODULES:
        source = Path(next(iter(homeagent_sdk.__path__)), f"{name}.py").read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for imported in names:
                assert imported.partition(".")[0] in {*sys.stdlib_module_names, "homeagent_sdk"}


def test_an_error_says_where_what_and_what_next() -> None:
    error = CleanerError("json(a)", "no such field", "Name another")
    assert str(error) == "json(a): no such field. Name another"
    assert (error.where, error.problem, error.next_step) == ("json(a)", "no such field", "Name another")
    assert issubclass(CleanerError, SdkError)
    assert issubclass(DeclarationError, SdkError)


def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(code.splitlines()) <= 12
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("夜间备份 03:40", encoding="utf-8")
    sdk = str(Path(homeagent_sdk.__path__[0]).resolve().parent)
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", "example.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": sdk},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout == "夜间备份 03:40\n"
