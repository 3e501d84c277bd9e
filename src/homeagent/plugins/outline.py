"""The tools and channels a plugin's source declares, read from its text: what can be shown before any of it runs.

Only what stands there plainly is seen: ``@tool`` and ``@tool(...)`` above a function, ``Channel("name", ...)``. What a
plugin makes in other ways shows when it runs for the first time, and is asked about then.
"""

from __future__ import annotations

import ast
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import homeagent_sdk
from homeagent.plugins.boundary import PluginError
from homeagent_sdk import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from homeagent_sdk import Cleaner
    from homeagent_sdk.manifest_source import PluginSource

__all__ = ["ToolOutline", "outline"]

_CLEANERS = frozenset({"drop_ansi", "head", "html_text", "json_field", "lines", "parse_cleaner", "regex"})
_SKIPPED = frozenset({"test", "tests", "build", "dist", "node_modules", "site-packages"})


@dataclass(frozen=True, slots=True)
class ToolOutline:
    """One tool: its name, the first line of its description, and what of its output is computed.

    Also a channel, as ``channel:NAME``: then it is what of people's words is computed.

    ``cleaner`` is how it is written; for a function it is the function's name.
    """

    name: str
    summary: str
    treatment: Literal["plain", "no_memory", "cleaner"]
    cleaner: str = ""
    returns_memory: bool = False


def outline(source: PluginSource) -> tuple[ToolOutline, ...]:
    """Return the tools and channels that a plugin's files declare. Raises `PluginError` for what is no Python."""
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
        elif isinstance(node, ast.Call) and _called(node) == "Channel":
            yield from _channel(node)


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


def _channel(call: ast.Call) -> Iterator[ToolOutline]:
    given = {each.arg: each.value for each in call.keywords if each.arg}
    name = _constant(call.args[0] if call.args else given.get("name"))
    policy = given.get("input")
    options = {each.arg: each.value for each in policy.keywords} if isinstance(policy, ast.Call) else {}
    treatment: Literal["plain", "no_memory", "cleaner"] = "plain"
    cleaner = ""
    if _constant(options.get("no_memory")) is True:
        treatment = "no_memory"
    elif "cleaner" in options:
        treatment, cleaner = "cleaner", _spec(options["cleaner"])
    if isinstance(name, str):
        yield ToolOutline(f"channel:{name}", "频道 channel", treatment, cleaner)


def _spec(made: ast.expr) -> str:
    """Return a cleaner as it is declared: for one of the SDK with plain arguments its spec, for a function its name."""
    if not isinstance(made, ast.Call):
        return ast.unparse(made)
    if _called(made) == "function_cleaner" and made.args:
        return ast.unparse(made.args[0])
    arguments = [_constant(each, absent=...) for each in made.args]
    if _called(made) in _CLEANERS and ... not in arguments and not made.keywords:
        with contextlib.suppress(SdkError, TypeError, ValueError):
            maker: Callable[..., Cleaner] = getattr(homeagent_sdk, _called(made))
            return maker(*arguments).spec
    return ast.unparse(made)


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _constant(value: ast.expr | None, absent: object = None) -> object:
    return value.value if isinstance(value, ast.Constant) else absent
