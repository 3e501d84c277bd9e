"""How a plugin of a home stands: whether it can be used, was agreed to, wants more than that, and is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from homeagent.plugins import Growth, PluginError, asked_of, outline, tools_of

if TYPE_CHECKING:
    from homeagent.plugins import Consent, FoundPlugin

__all__ = ["PluginState", "plugin_growth", "plugin_state"]

PluginState = Literal["on", "off", "asks", "broken"]
"""``asks``: it is off, because it wants more than was agreed to."""


def plugin_state(found: FoundPlugin, agreed: Consent | None) -> tuple[PluginState, str]:
    """Return how a plugin stands, and what is wrong with it where it is broken."""
    if found.problem is not None:
        return "broken", str(found.problem)
    if agreed is None or not agreed.on:
        return "off", ""
    try:
        return ("asks" if plugin_growth(found, agreed) else "on"), ""
    except PluginError as error:
        return "broken", str(error)


def plugin_growth(found: FoundPlugin, agreed: Consent | None) -> Growth:
    """Return what a plugin wants beyond what was agreed to. Raises `PluginError` when it can't be read."""
    if found.source is None or found.description is None:
        return Growth()
    wanted = asked_of(found.description, tools_of(outline(found.source)))
    if agreed is None:
        return Growth(tuple(wanted.tools), (), wanted.permissions, wanted.dependencies)
    return agreed.growth(wanted)
