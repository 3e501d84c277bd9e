"""``homeagent plugin install``, ``enable``, ``consent``, ``disable``, ``remove``: nothing runs without a yes."""

from __future__ import annotations

import contextlib
import glob
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.app import tried_plugin
from homeagent.builtin import built_ins
from homeagent.cli.plugin_lines import growth_lines, plain_plugin, plugin_lines
from homeagent.errors import InputError
from homeagent.plugins import (
    Consents,
    PluginError,
    asked_of,
    describe,
    find_source,
    named_plugin,
    outline,
    put_back_unless_good,
    put_in,
    take_out,
    tools_of,
    wanted_of,
)

if TYPE_CHECKING:
    from homeagent.cli.session import Session
    from homeagent.plugins import Description, PluginSource

__all__ = ["consent", "disable", "enable", "install", "remove"]


def install(session: Session) -> int:
    """Show what a plugin wants, ask, copy it into the home and turn it on."""
    source = find_source(Path(session.arguments.name))
    told = describe(source)
    _refuse_built_in(told.name)
    if not _agreed(session, source, told):
        return 1
    session.home.prepare()
    with put_back_unless_good(session.home.root, told.name) as keep:
        code = put_in(session.home.root, source, told)
        refused = _turn_on(session, find_source(code), told)
        if not refused:
            keep()
    return refused


def enable(session: Session) -> int:
    """Turn a plugin on; what it wants beyond what was agreed to is asked first."""
    return _enabled(session, anew=False)


def consent(session: Session) -> int:
    """Show all that a plugin wants and ask, also when it was agreed to before; with a yes it is on."""
    return _enabled(session, anew=True)


def _enabled(session: Session, *, anew: bool) -> int:
    name: str = session.arguments.name
    _refuse_built_in(name)
    found = named_plugin(session.home.root, name)
    if found.source is None or found.description is None:
        raise PluginError(name, "it has no source", "Put it in again: homeagent plugin install PATH")
    if not _agreed(session, found.source, found.description, anew=anew):
        return 1
    return _turn_on(session, found.source, found.description)


def disable(session: Session) -> int:
    """Turn a plugin off; what was agreed to stays agreed to."""
    name: str = session.arguments.name
    _refuse_built_in(name)
    consents = Consents(session.home.root)
    if name not in consents.all():
        named_plugin(session.home.root, name)
    consents.switch(name, on=False)
    session.terminal.result({"plugin": name, "state": "off"}, [session.terminal.message("plugin_is_off", name=name)])
    return 0


def remove(session: Session) -> int:
    """Delete a plugin's files and what was agreed to; its data folder stays."""
    name: str = session.arguments.name
    _refuse_built_in(name)
    root = session.home.root
    consents = Consents(root)
    if name in consents.all():
        consents.take_back(name)
        take_out(root, name)
    elif not take_out(root, name):
        named_plugin(root, name)
    for log in (root / "logs").glob(f"plugin-{glob.escape(name)}.*"):
        log.unlink(missing_ok=True)
    data = root / "plugins" / name
    shutil.rmtree(data / ".tmp", ignore_errors=True)
    with contextlib.suppress(OSError):
        data.rmdir()  # where the plugin kept nothing
    lines = [session.terminal.message("plugin_removed", name=name)]
    if data.is_dir():
        lines.append(session.terminal.message("plugin_data_left", path=data))
    session.terminal.result({"plugin": name, "state": "removed", "data": str(data) if data.is_dir() else None}, lines)
    return 0


def _agreed(session: Session, source: PluginSource, told: Description, *, anew: bool = False) -> bool:
    """Whether the owner agrees to what a plugin wants; what was agreed to before is asked again only ``anew``."""
    tools = outline(source)
    wanted = asked_of(told, tools_of(tools))
    before = Consents(session.home.root).all().get(told.name)
    growth = before.growth(wanted) if before else None
    if growth is not None and not growth and not anew:
        return True
    lines = [*plugin_lines(source, told, tools, session.terminal)]
    return _asked(session, told.name, [*lines, *(growth_lines(growth, session.terminal) if growth else ())])


def _asked(session: Session, name: str, lines: list[str]) -> bool:
    terminal = session.terminal
    if session.arguments.yes:
        return True
    for line in lines:
        terminal.note(line)
    if terminal.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        problem, step = terminal.message("plugin_needs_yes"), terminal.message("plugin_needs_yes_next")
        raise InputError(f"plugin {name}", problem, step)
    sys.stderr.write(terminal.message("plugin_ask"))
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes", "是", "确定", "好"):
        return True
    terminal.say("plugin_not_agreed")
    return False


def _turn_on(session: Session, source: PluginSource, told: Description) -> int:
    """Load the plugin once, ask about what its text did not show, and turn it on."""
    terminal = session.terminal
    tools = outline(source)
    terminal.say("plugin_preparing", name=told.name)
    manifest = tried_plugin(session.home.root, source, told)
    consents = Consents(session.home.root)
    before = consents.all().get(told.name)
    seen = {**(before.tools if before else {}), **tools_of(tools)}
    declared = wanted_of(manifest)
    growth = asked_of(told, seen).growth(asked_of(told, declared))
    if growth and not _asked(session, told.name, list(growth_lines(growth, terminal))):
        return 1
    consents.give(told.name, asked_of(told, declared))
    plain = {**plain_plugin(source, told, tools), "tools": declared, "state": "on"}
    lines = [terminal.message("plugin_is_on", name=told.name, count=len(manifest.tools))]
    lines += [terminal.message("plugin_channel_next", name=each.name) for each in manifest.channels]
    terminal.result(plain, lines)
    return 0


def _refuse_built_in(name: str) -> None:
    if any(plugin.name == name for plugin in built_ins()):
        raise PluginError(f"plugin {name!r}", "it is built in", "A plugin of yours needs another name")
