"""``homeagent plugin``: which plugins there are, what one may do, what is wrong with one, and a new one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.app import built_in_tools, plugin_state
from homeagent.builtin import built_ins
from homeagent.cli.plugin_lines import plain_plugin, plugin_lines, report_lines
from homeagent.paths import cache_folder
from homeagent.plugins import (
    Consents,
    PluginError,
    checked,
    describe,
    find_source,
    found_plugins,
    named_plugin,
    outline,
    write_new,
)

if TYPE_CHECKING:
    from homeagent.cli.session import Session

__all__ = ["check", "info", "listed", "new"]


def listed(session: Session) -> int:
    """Print every plugin with its state; leave with 1 when one can't be used."""
    say = session.terminal.message
    plain: list[dict[str, object]] = []
    lines: list[str] = []
    for plugin in built_ins():
        state = say("plugin_state_built_in", count=len(tuple(plugin.tools)))
        plain.append({"name": plugin.name, "version": plugin.version, "state": "built_in"})
        lines.append(say("plugin_line", name=plugin.name, version=plugin.version, state=state))
    found = found_plugins(session.home.root)
    consents = Consents(session.home.root).all()
    for each in found:
        state, problem = plugin_state(each, consents.get(each.name))
        values = {"problem": problem} if problem else {}
        version = each.description.version if each.description else ""
        plain.append({"name": each.name, "version": version, "state": state, **values})
        values = {key: session.terminal.told(value) for key, value in values.items()}
        told = say(f"plugin_state_{state}", name=each.name, **values)
        lines.append(say("plugin_line", name=each.name, version=version, state=told))
    session.terminal.result({"plugins": plain}, lines)
    return 1 if any(each.problem for each in found) else 0


def info(session: Session) -> int:
    """Print what one plugin brings and may do."""
    name: str = session.arguments.name
    if any(plugin.name == name for plugin in built_ins()):
        return _built_in(session, name)
    if _is_path(name):
        source = find_source(Path(name))
        told = describe(source)
    else:
        found = named_plugin(session.home.root, name)
        if found.source is None or found.description is None:
            raise PluginError(name, "it has no source", "Put it in again: homeagent plugin install PATH")
        source, told = found.source, found.description
    tools = outline(source)
    session.terminal.result(plain_plugin(source, told, tools), plugin_lines(source, told, tools, session.terminal))
    return 0


def check(session: Session) -> int:
    """Print every problem of each plugin with its key; leave with 1 when there is one."""
    named: list[str] = session.arguments.paths
    paths = [path for path in named if len(named) == 1 or not _is_beside(Path(path))]
    cache, taken = cache_folder() / "plugin-checks", built_in_tools()
    reports = {path: checked(Path(path), cache, taken) for path in paths}
    ok = all(report.ok for report in reports.values())
    plain = {"ok": ok, "plugins": [{"path": path, **report.as_plain()} for path, report in reports.items()]}
    lines = (line for path, report in reports.items() for line in report_lines(path, report, session.terminal))
    session.terminal.result(plain, lines)
    return 0 if ok else 1


def new(session: Session) -> int:
    """Write a new plugin into a folder of its name below the present one."""
    say = session.terminal.message
    name: str = session.arguments.name
    files = write_new(name, Path(name))
    lines = [*(say("plugin_written", file=file) for file in files), say("plugin_new_next", folder=name)]
    session.terminal.result({"files": [str(file) for file in files]}, lines)
    return 0


def _is_beside(path: Path) -> bool:
    """Whether a path is of those that a pattern such as ``plugins/*`` names besides: the tests' and Python's own."""
    return path.name in ("conftest.py", "__pycache__") or path.name.startswith(("test_", ".")) or path.suffix == ".md"


def _is_path(name: str) -> bool:
    return "/" in name or "\\" in name or name.endswith(".py") or name in (".", "..")


def _built_in(session: Session, name: str) -> int:
    say = session.terminal.message
    plugin = next(plugin for plugin in built_ins() if plugin.name == name)
    tools = [
        {"name": tool.name, "no_memory": tool.policy.no_memory, "summary": tool.description.partition("\n")[0]}
        for tool in plugin.tools
    ]
    lines = [say("plugin_state_built_in", count=len(tools))]
    for tool in plugin.tools:
        treatment, cleaner = "plain", ""
        if tool.policy.no_memory:
            treatment = "no_memory"
        elif tool.policy.cleaner is not None:
            treatment, cleaner = "cleaner", tool.policy.cleaner.spec
        told = say(f"plugin_treatment_{treatment}", cleaner=cleaner)
        lines.append(say("plugin_tool", tool=tool.name, treatment=told, summary=tool.description.partition("\n")[0]))
    session.terminal.result({"name": name, "version": plugin.version, "built_in": True, "tools": tools}, lines)
    return 0
