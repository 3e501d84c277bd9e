"""How a plugin is shown: its tools with their policies, its permissions, its packages."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from homeagent.plugins import enforced_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from homeagent.cli.terminal import Terminal
    from homeagent.plugins import Description, Growth, PluginSource, ToolOutline
    from homeagent_sdk.checking import CheckReport

__all__ = ["growth_lines", "plain_plugin", "plugin_lines", "report_lines", "tool_lines"]


def plugin_lines(
    source: PluginSource, told: Description, tools: Sequence[ToolOutline], terminal: Terminal
) -> Iterator[str]:
    """Yield what a person should know of a plugin before it is turned on."""
    say = terminal.message
    none = say("plugin_nothing")
    yield f"{told.name} {told.version}"
    yield say("plugin_where", path=source.path)
    yield from tool_lines(tools, terminal)
    yield say("plugin_permissions", permissions=", ".join(map(str, told.permissions)) or none)
    for kind, how in enforced_of(told.permissions).items():
        yield say(f"plugin_limit_{kind}_{how}")
    yield say("plugin_dependencies", packages=", ".join(told.dependencies) or none)
    if told.settings:
        settings = ", ".join(f"{key} ({about})" for key, about in told.settings.items())
        yield say("plugin_settings", name=told.name, settings=settings)


def report_lines(path: str, report: CheckReport, terminal: Terminal) -> Iterator[str]:
    """Yield what is wrong with a plugin, what could be better, and what of its outputs is remembered."""
    say, told = terminal.message, terminal.told
    yield say("plugin_checked", path=path, name=report.name, version=report.version) if report.name else path
    for name, treatment in report.tools:
        kind = treatment if treatment in ("plain", "no_memory") else "cleaner"
        yield say("plugin_checked_tool", tool=name, treatment=say(f"plugin_treatment_{kind}", cleaner=treatment))
    for key, found in (("plugin_problem", report.problems), ("plugin_hint", report.hints)):
        for field, reason, hint in found:
            yield say(key, field=told(field), reason=told(reason))
            if hint:
                yield say("plugin_problem_step", hint=told(hint))
    if report.trace:
        yield report.trace.rstrip()
    if report.ok:
        yield say("plugin_good", name=report.name, count=len(report.tools))


def tool_lines(tools: Sequence[ToolOutline], terminal: Terminal) -> Iterator[str]:
    """Yield a line for each tool: what it does, and what of its output is remembered."""
    say = terminal.message
    for tool in tools:
        treatment = say(f"plugin_treatment_{tool.treatment}", cleaner=tool.cleaner)
        yield say("plugin_tool", tool=tool.name, treatment=treatment, summary=tool.summary)
    if not tools:
        yield say("plugin_no_tools")


def growth_lines(growth: Growth, terminal: Terminal) -> Iterator[str]:
    """Yield what a plugin wants beyond what was agreed to."""
    for kind, names in asdict(growth).items():
        if names:
            yield terminal.message(f"plugin_new_{kind}", names=", ".join(names))


def plain_plugin(source: PluginSource, told: Description, tools: Sequence[ToolOutline]) -> dict[str, object]:
    """Return the same as plain values."""
    return {
        "name": told.name,
        "version": told.version,
        "path": str(source.path),
        "sdk": told.sdk,
        "permissions": [str(each) for each in told.permissions],
        "limits": enforced_of(told.permissions),
        "dependencies": list(told.dependencies),
        "settings": dict(told.settings),
        "tools": [asdict(tool) for tool in tools],
    }
