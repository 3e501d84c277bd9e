"""What lives as long as the plugin runs: the guard and the browser behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from browser.chromium import Chromium
from browser.guard import Guard
from browser.settings import BrowserSettings

if TYPE_CHECKING:
    from homeagent_sdk import PluginContext

__all__ = ["Parts", "start", "stop"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The guard and the browser."""

    guard: Guard
    chromium: Chromium


async def start(context: PluginContext) -> Parts:
    """Open the guard; Chromium is started when it is needed."""
    settings = context.settings(BrowserSettings)
    guard = Guard(settings.own_hosts)
    await guard.open()
    return Parts(guard, Chromium(settings, guard, context.data_folder))


async def stop(context: PluginContext) -> None:
    """Close both."""
    parts = context.state(Parts)
    await parts.chromium.close()
    await parts.guard.close()
