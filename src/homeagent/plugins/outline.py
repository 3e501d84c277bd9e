"""The tools a plugin's source declares, read from its text: what a person can be shown before any of it runs.

Only what stands there plainly is seen: ``@tool`` and ``@tool(...)`` above a function. What a plugin makes in other ways
shows when it runs for the first time, and is asked about then.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from homeagent.plugins.boundary import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from homeagent_sdk.manifest_source import PluginSource

__all__ = ["ToolOutline", "outline"]

_SKIPPED = frozenset({"test", "tests", "build", "dist", "node_modules", "site-packages"})


@dataclass(frozen=True, slots=True)
class ToolOutline:
    """One tool: its name, the first line of its description, and what of its output is computed.

    ``cleaner`` is how it is written; for a function it is the function's name.
    """

    name: str
    summary: str
    treatment: Literal["plain", "no_memory", "cleaner"]
    cleaner: str = ""
    returns_memory: bool = False


def outline(source: PluginSource) -> tuple[ToolOutline, ...]:
    """Return the tools that a plugin's files declare, by name. Raises `PluginError` for a file that is no Python."""
    found = {tool.name: tool for path in _files(source) for tool in _tools(path)}
    return tuple(found[name] for name in sorted(found))


def _files(source: PluginSource) -> Iterator[Path]:
    if source.path.is_file():
        yield source.path
        return
    for path in sorted(source.path.rglob("*.py")):
        parts = path.relative_to(source.path).parts
        if not any(part in _SKIPPED or part.startswith(".") for part in parts) and not path.name.startswith("test_"):
            yield path


def _tools(path: Path) -> Iterator[ToolOutline]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        told = error.msg if isinstance(error, SyntaxError) else str(error)
        raise PluginError(f"{path}{line}", f"it can't be read as Python ({told})", "Mend the file") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (_tool(node, each) for each in node.decorator_list if _is_tool(each))


def _is_tool(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (isinstance(target, ast.Name) and target.id == "tool") or (
        isinstance(target, ast.Attribute) and target.attr == "tool"
    )


def _tool(function: ast.FunctionDef | ast.AsyncFunctionDef, decorator: ast.expr) -> ToolOutline:
    given = decorator.keywords if isinstance(decorator, ast.Call) else []
    options = {each.arg: each.value for each in given if each.arg}
    name = _constant(options.get("name"))
    summary = (ast.get_docstring(function) or "").partition("\n")[0]
    treatment: Literal["plain", "no_memory", "cleaner"] = "plain"
    cleaner = ""
    if _constant(options.get("no_memory")) is True:
        treatment = "no_memory"
    elif "cleaner" in options and _constant(options["cleaner"], absent=...) is not None:
        treatment, cleaner = "cleaner", str(_constant(options["cleaner"], absent=ast.unparse(options["cleaner"])))
    returns_memory = _constant(options.get("returns_memory")) is True
    return ToolOutline(str(name or function.name), summary, treatment, cleaner, returns_memory)


def _constant(value: ast.expr | None, absent: object = None) -> object:
    return value.value if isinstance(value, ast.Constant) else absent
