"""A plugin of the home loaded only to see what it declares or whether it takes its settings; it is not started."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from homeagent.app.configured import check
from homeagent.app.home_plugins import described_plugins
from homeagent.builtin import built_ins
from homeagent.plugins import Consents, Host, OutOfProcess, PluginError, named_plugin, prepare_runtime, shared_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from homeagent.config import Config
    from homeagent.plugins import Description, Manifest, PluginSource, Runtime
    from homeagent_sdk import Injection

__all__ = ["built_in_tools", "check_change", "check_settings", "tried_plugin"]


class _Nobody:
    """An injector for a plugin that only says what it declares."""

    async def add(self, injection: Injection, plugin: str) -> None:
        """Refuse."""
        raise PluginError(f"plugin {plugin!r}", f"{injection.id} comes before it is on", "Put it in when it is started")

    async def waiting(self, plugin: str) -> Sequence[Injection]:  # noqa: ARG002 - the protocol's
        """Return nothing."""
        return ()

    async def withdraw(self, injection: str, plugin: str) -> bool:  # noqa: ARG002 - the protocol's
        """Find nothing."""
        return False


def tried_plugin(root: Path, source: PluginSource, told: Description) -> Manifest:
    """Fetch a plugin's packages, load it in its own process and return what it declares; it is not started.

    Only for a plugin that was agreed to. Raises `PluginError`, also when another plugin has a tool of the same name.
    """
    manifest = asyncio.run(_declared(root, told.name, prepare_runtime(root, source, told, fetch=True)))
    taken = {tool: name for name, each in Consents(root).all().items() if each.on for tool in each.tools}
    for problem in shared_names((tool.name for tool in manifest.tools), told.name, taken | built_in_tools()):
        raise PluginError(*problem)
    return manifest


def built_in_tools() -> dict[str, str]:
    """Return the names that no other plugin's tool can have, each with the plugin whose tool it is."""
    return {tool.name: plugin.name for plugin in built_ins() for tool in plugin.tools}


def check_change(root: Path, key: str, read: Config) -> None:
    """Raise `ConfigError` or `PluginError` when the settings can't be used as they are with ``key`` changed.

    The plugin that the setting is of is asked, where it is on; so not from within an event loop.
    """
    installed = described_plugins(root)
    check(read, installed=installed)
    section, _, rest = key.partition(".")
    name = rest.partition(".")[0]
    if section == "plugins" and name in installed:
        check_settings(root, name, read.plugins.get(name, {}))


def check_settings(root: Path, name: str, values: Mapping[str, object]) -> None:
    """Raise `PluginError` when a plugin that is on can't be started with these settings; it is loaded for that.

    One that is off, or can't be loaded at present, is not asked: it says so when it starts.
    """
    consent = Consents(root).all().get(name)
    if consent is None or not consent.on:
        return
    found = named_plugin(root, name)
    if found.source is None or found.description is None:
        return
    try:
        runtime = prepare_runtime(root, found.source, found.description, fetch=False)
    except PluginError:
        return
    asyncio.run(_asked(root, name, runtime, values))


async def _declared(root: Path, name: str, runtime: Runtime) -> Manifest:
    runner = await OutOfProcess.open(name, runtime, Host(root / "plugins", _Nobody()), {})
    await runner.stop()
    return runner.manifest


async def _asked(root: Path, name: str, runtime: Runtime, settings: Mapping[str, object]) -> None:
    try:
        runner = await OutOfProcess.open(name, runtime, Host(root / "plugins", _Nobody()), {})
    except PluginError:
        return
    try:
        await runner.accept(settings)
    finally:
        await runner.stop()
