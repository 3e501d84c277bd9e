"""What ``homeagent plugin dev`` shows: the tools with their policies, a call raw and computed, why a load failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent_sdk import MemoryPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.app import App
    from homeagent.cli.plugin_dev_calls import DevCall
    from homeagent.cli.terminal import Terminal
    from homeagent.errors import HomeAgentError
    from homeagent.plugins import Manifest

__all__ = ["call_lines", "completed_by", "failure_lines", "tool_lines"]

_MOST_LINES: Final = 40
_LONGEST_LINE: Final = 400
_OWN: Final = "conversation"


def tool_lines(app: App, terminal: Terminal, loaded: Manifest | None = None) -> Iterator[str]:
    """Yield the tools of the plugin with what of their output is computed; first its name when it was just loaded."""
    if loaded is not None:
        yield terminal.message("dev_loaded", name=loaded.name, version=loaded.version)
    for name, tool in app.registry.tools.items():
        if tool.plugin == _OWN:
            continue
        policy = tool.policy or MemoryPolicy()  # every plugin declares one
        kind = "no_memory" if policy.no_memory else "cleaner" if policy.cleaner else "plain"
        treatment = terminal.message(f"plugin_treatment_{kind}", cleaner=policy.cleaner.spec if policy.cleaner else "")
        properties = tool.parameters.get("properties")
        required = tool.parameters.get("required")
        needed = required if isinstance(required, list) else []
        names = properties if isinstance(properties, dict) else {}
        shown = " ".join(each if each in needed else f"[{each}]" for each in names)
        yield terminal.message("plugin_tool", tool=f"{name} {shown}".strip(), treatment=treatment, summary="").rstrip()


def call_lines(called: DevCall, terminal: Terminal) -> Iterator[str]:
    """Yield a call: raw, then computed with what was left out, and why."""
    if not called.tool:
        yield called.raw
        return
    for line in called.progress:
        yield terminal.message("dev_progress", text=line)
    state = terminal.message("dev_failed" if called.error else "dev_done")
    yield terminal.message(
        "dev_raw", tool=called.tool, state=state, length=len(called.raw), seconds=f"{called.seconds:.2f}"
    )
    yield from _quoted(called.raw, terminal)
    decision = terminal.message(f"decision_{called.decision}" if called.decision else "waiting")
    yield terminal.message(
        "dev_computed", length=len(called.computed), decision=decision, reason=terminal.reason(called.reason)
    )
    marked = ""
    for part in called.parts:
        gap = "" if not marked or marked[-1].isspace() else " "
        left = f"{gap}{terminal.message('dev_left_out', count=part.left_out)} "
        marked += left if part.left_out else part.text
    yield from _quoted(marked.rstrip(" "), terminal)


def failure_lines(error: HomeAgentError, terminal: Terminal, *, there: bool) -> Iterator[str]:
    """Yield why the plugin could not be loaded, with its traceback, and whether the one before goes on."""
    told = terminal.told
    yield terminal.message("error", where=told(error.where), problem=told(error.problem).rstrip(".。"))
    yield from "".join(getattr(error.__cause__, "__notes__", ())).splitlines()
    yield terminal.message("next_step", next_step=told(error.next_step).rstrip(".。"))
    if there:
        yield terminal.message("dev_before")


def completed_by(app: App) -> None:
    """Let the Tab key complete the names of tools and of their arguments."""
    import readline

    words = [f"{name} " for name, tool in app.registry.tools.items() if tool.plugin != _OWN]
    words += [":tools", ":raw", ":computed", ":sample", ":quit"]
    for tool in app.registry.tools.values():
        properties = tool.parameters.get("properties")
        words += [f"{name}=" for name in properties] if isinstance(properties, dict) else []

    def completed(text: str, number: int) -> str | None:
        found = [word for word in dict.fromkeys(words) if word.startswith(text)]
        return found[number] if number < len(found) else None

    readline.set_completer_delims(" ")
    readline.set_completer(completed)
    readline.parse_and_bind("tab: complete")


def _quoted(text: str, terminal: Terminal) -> Iterator[str]:
    lines = text.splitlines()
    for line in lines[:_MOST_LINES]:
        yield f"  | {line if len(line) <= _LONGEST_LINE else f'{line[:_LONGEST_LINE]}…'}"
    if len(lines) > _MOST_LINES:
        yield terminal.message("dev_more_lines", count=len(lines) - _MOST_LINES)
