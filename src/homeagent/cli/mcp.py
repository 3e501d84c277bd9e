"""``homeagent mcp list`` and ``info``: which MCP servers there are, and what was agreed to of them. Starts none."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from homeagent import config
from homeagent.errors import NotFoundError
from homeagent.mcp_client import consents_of, policy_name, runs_what_was_agreed, what_runs
from homeagent.plugins import treatment_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.cli.session import Session
    from homeagent.config import McpSettings
    from homeagent.plugins import Consent

__all__ = ["about", "info", "listed", "named", "treatment"]


def listed(session: Session) -> int:
    """Print every server with its state."""
    say = session.terminal.message
    consents = consents_of(session.home.root).all()
    plain: list[dict[str, object]] = []
    lines: list[str] = []
    for name, settings in session.config.mcp.items():
        state, count = _state(settings, consents.get(name))
        runs = _running(session, settings)
        plain.append({"name": name, "state": state, "tools": count, "runs": what_runs(settings)})
        told = say(f"mcp_state_{state}", name=name, count=count)
        lines.append(say("mcp_line", name=name, state=told, runs=runs))
    session.terminal.result({"servers": plain}, lines or [say("mcp_none")])
    return 0


def info(session: Session) -> int:
    """Print what was agreed to of one server, and the policies in force for its tools."""
    name: str = session.arguments.name
    settings = named(session, name)
    agreed = consents_of(session.home.root).all().get(name)
    state, count = _state(settings, agreed)
    lines = [session.terminal.message(f"mcp_state_{state}", name=name, count=count), *about(session, settings)]
    tools = dict(agreed.tools) if agreed is not None else {}
    for tool, said in tools.items():
        lines.append(
            session.terminal.message("mcp_agreed_tool", tool=tool, treatment=treatment(session, name, tool, said))
        )
    shown = config.shown(session.config)["mcp"]
    plain = {
        "name": name,
        "state": state,
        "version": agreed.version if agreed else "",
        "runs": what_runs(settings),
        "settings": shown[name] if isinstance(shown, dict) else {},
        "tools": {tool: _in_force(session, name, tool)[0] or said for tool, said in tools.items()},
    }
    session.terminal.result(plain, lines)
    return 0


def named(session: Session, name: str) -> McpSettings:
    """Return the settings of a server. Raises `NotFoundError`."""
    servers = session.config.mcp
    if name not in servers:
        say = session.terminal.message
        step = say("mcp_known", names=", ".join(servers)) if servers else say("mcp_none")
        raise NotFoundError(name, say("mcp_unknown"), step)
    return servers[name]


def about(session: Session, settings: McpSettings) -> Iterator[str]:
    """Yield what a person should know of a server besides its tools."""
    say = session.terminal.message
    yield _running(session, settings)
    if settings.command:
        yield say("mcp_rights")
    if settings.secret_variables:
        yield say("mcp_passed", names=", ".join(settings.secret_variables))
    yield say(f"mcp_confirm_{settings.confirm}")


def treatment(session: Session, server: str, tool: str, said: str) -> str:
    """Return in words what of a tool's output is remembered: by the owner's policy, else by what is ``said`` of it."""
    owned, pattern = _in_force(session, server, tool)
    told = _in_words(session, owned or said)
    return session.terminal.message("mcp_by_owner", treatment=told, pattern=pattern) if owned else told


def _in_words(session: Session, treatment: str) -> str:
    say = session.terminal.message
    match treatment:
        case "default":
            return say("mcp_treatment_default")
        case "plain" | "no_memory":
            return say(f"plugin_treatment_{treatment}")
        case cleaner:
            return say("plugin_treatment_cleaner", cleaner=cleaner)


def _in_force(session: Session, server: str, tool: str) -> tuple[str, str]:
    """Return the owner's policy for a tool in one word, and its name or glob; empty where there is none."""
    name = policy_name(server, tool)
    fitting = [each for each in session.config.tools if each == name or fnmatchcase(name, each)]
    if not fitting:
        return "", ""
    best = max(fitting, key=lambda each: (each == name, sum(letter not in "*?[]!" for letter in each), len(each)))
    return treatment_of(session.config.tools[best]), best


def _running(session: Session, settings: McpSettings) -> str:
    verb, _, what = what_runs(settings).partition(" ")
    return session.terminal.message(f"mcp_{verb}", what=what)


def _state(settings: McpSettings, agreed: Consent | None) -> tuple[str, int]:
    if not settings.enabled:
        return "off", 0
    if agreed is None or not runs_what_was_agreed(settings, agreed):
        return "asks", 0
    return "on", len(agreed.tools)
