"""``homeagent mcp add``, ``consent`` and ``remove``: no tool of a server is called that was not agreed to."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from homeagent import config
from homeagent.cli.mcp import about, named, treatment
from homeagent.errors import InputError
from homeagent.mcp_client import asked_for, consents_of, effect_of, looked_at, what_runs
from homeagent.plugins import treatment_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.cli.session import Session
    from homeagent.config import McpSettings
    from homeagent.mcp_client import Listing
    from homeagent.plugins import Growth

__all__ = ["add", "consent", "remove"]


def add(session: Session) -> int:
    """Write a server into the settings, show what it offers, ask, and turn it on."""
    given, say = session.arguments, session.terminal.message
    if bool(given.command_line) == bool(given.url):
        raise InputError("homeagent mcp add", say("mcp_one_of"), say("mcp_one_of_next"))
    if given.name in session.config.mcp:
        raise InputError(given.name, say("mcp_there"), say("mcp_there_next", name=given.name))
    session.home.prepare()
    session.config = config.change(session.home.config, f"mcp.{given.name}", _written(session))
    try:
        return _agree(session, given.name, session.config.mcp[given.name])
    finally:
        if given.name not in consents_of(session.home.root).all():
            session.terminal.say("mcp_added_off", name=given.name)


def consent(session: Session) -> int:
    """Show what a server offers, ask, and turn it on."""
    name: str = session.arguments.name
    settings = named(session, name)
    session.home.prepare()
    return _agree(session, name, settings)


def remove(session: Session) -> int:
    """Take a server out of the settings, and back what was agreed to; what its tools said stays, with its policies."""
    name: str = session.arguments.name
    named(session, name)
    with session.memory():  # which takes note of the policies that stand at the server, so that they stay
        pass
    config.change(session.home.config, f"mcp.{name}", None)
    consents_of(session.home.root).take_back(name)
    (session.home.root / "logs" / f"mcp-{name}.txt").unlink(missing_ok=True)
    line = session.terminal.message("mcp_is_removed", name=name)
    session.terminal.result({"name": name, "state": "removed"}, [line])
    return 0


def _written(session: Session) -> str:
    """Return what was given on the command line as the settings have it."""
    given = session.arguments
    values: dict[str, object] = {"url": given.url} if given.url else {"command": given.command_line[0]}
    if given.command_line[1:]:
        values["args"] = given.command_line[1:]
    values |= {"pass_env": given.pass_env} if given.pass_env else {}
    values |= {key: value for key in ("key_env", "cwd") if (value := getattr(given, key))}
    return ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items())


def _agree(session: Session, name: str, settings: McpSettings) -> int:
    terminal = session.terminal
    terminal.say("mcp_looking", name=name)
    listing = asyncio.run(looked_at(name, settings, session.home.root))
    consents = consents_of(session.home.root)
    wanted, before = asked_for(settings, listing), consents.all().get(name)
    growth = before.growth(wanted) if before is not None else None
    for line in (*_lines(session, name, settings, listing), *(_growth_lines(session, growth) if growth else ())):
        terminal.note(line)
    if (growth is None or growth) and not _asked(session, name):
        return 1
    consents.give(name, wanted)
    plain = {
        "name": name,
        "state": "on" if settings.enabled else "off",
        "version": listing.version,
        "runs": what_runs(settings),
        "tools": [
            {"name": each.name, "effect": effect_of(each), "policy": treatment_of(each.policy)}
            for each in listing.offers
        ],
        "problems": list(listing.problems),
    }
    terminal.result(plain, [terminal.message("mcp_is_on", name=name, count=len(listing.offers))])
    return 0


def _lines(session: Session, name: str, settings: McpSettings, listing: Listing) -> Iterator[str]:
    say = session.terminal.message
    yield f"{name} {listing.version}".rstrip()
    yield from about(session, settings)
    for offer in listing.offers:
        summary = offer.description.strip().partition("\n")[0]
        told = treatment(session, name, offer.name, treatment_of(offer.policy))
        yield say(
            "mcp_tool", tool=offer.name, effect=say(f"mcp_effect_{effect_of(offer)}"), treatment=told, summary=summary
        )
    for problem in listing.problems:
        yield say("mcp_problem", problem=session.terminal.told(problem))


def _growth_lines(session: Session, growth: Growth) -> Iterator[str]:
    for kind, names in asdict(growth).items():
        if names:
            yield session.terminal.message(f"mcp_new_{kind}", names=", ".join(names))


def _asked(session: Session, name: str) -> bool:
    terminal = session.terminal
    if session.arguments.yes:
        return True
    if terminal.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            f"mcp server {name}", terminal.message("plugin_needs_yes"), terminal.message("plugin_needs_yes_next")
        )
    sys.stderr.write(terminal.message("plugin_ask"))
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes", "是", "确定", "好"):
        return True
    terminal.say("plugin_not_agreed")
    return False
