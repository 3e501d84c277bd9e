"""Which environment variables hold the keys of models, and telling the plugins that run programs to hide them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from homeagent.config import Config
    from homeagent_sdk import Plugin

__all__ = ["hiding", "key_variables"]

_SETTING: Final = "hide_variables"


def key_variables(config: Config) -> frozenset[str]:
    """Return the environment variables that the settings name as holding a key: of models, embeddings, servers."""
    servers = (name for each in config.mcp.values() for name in each.secret_variables)
    named = (
        config.memory.key_env,
        *(each.key_env for each in config.models.values()),
        *(each.key_env for each in config.channel_options.values()),
        *servers,
    )
    return frozenset(name for name in named if name)


def hiding(plugin: Plugin, values: Mapping[str, object], names: Collection[str]) -> Mapping[str, object]:
    """Return the settings of a plugin that hide these variables as well, where it runs programs and can hide some."""
    given = values.get(_SETTING, ())
    if plugin.settings is None or _SETTING not in {field.name for field in fields(plugin.settings)}:
        return values
    if not isinstance(given, list | tuple):  # it is refused where the settings are read
        return values
    return {**values, _SETTING: [*given, *sorted(names)]}
