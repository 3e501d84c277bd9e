"""Plugins of this process, started anew because their settings have changed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from homeagent.plugins import START_SECONDS, Failure, InProcess, PluginError, guarded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping, Sequence

    from homeagent.plugins import Registry

__all__ = ["changed_settings", "restart"]

_log = logging.getLogger("homeagent.plugins")


def changed_settings(
    before: Mapping[str, Mapping[str, object]], now: Mapping[str, Mapping[str, object]]
) -> dict[str, Mapping[str, object]]:
    """Return the settings that are others now, by the names of their plugins."""
    return {
        name: now.get(name, {}) for name in {*before, *now} if dict(before.get(name, {})) != dict(now.get(name, {}))
    }


async def restart(registry: Registry, changed: Mapping[str, Mapping[str, object]]) -> None:
    """Start each plugin of this process with its new settings, then put them in the place of those before.

    Raises `PluginError` when one can't use them or does not start; then those before go on.
    """
    new: dict[str, InProcess] = {}
    for name, values in changed.items():
        runner = registry.runner(name) if name in registry.plugins else None
        if isinstance(runner, InProcess):
            new[name] = runner.with_settings(values)
    await _start(list(new.values()))
    for name, runner in new.items():
        old = registry.swap(name, runner)
        if old is not None:
            await _stop(name, old.stop())


async def _start(runners: Sequence[InProcess]) -> None:
    for number, runner in enumerate(runners, start=1):
        outcome = await guarded(runner.start(), START_SECONDS)
        if isinstance(outcome, Failure):
            for each in runners[:number]:
                await _stop(each.manifest.name, each.stop())
            where = f"plugin {runner.manifest.name!r}"
            step = "See the log; take the plugin out or mend its settings"
            raise PluginError(where, f"it did not start ({outcome.message})", step) from outcome.error


async def _stop(name: str, stopping: Awaitable[None]) -> None:
    outcome = await guarded(stopping, START_SECONDS)
    if isinstance(outcome, Failure):
        _log.warning("plugin %r did not stop properly: %s\n%s", name, outcome.message, outcome.trace)
