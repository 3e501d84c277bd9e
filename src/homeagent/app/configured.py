"""From the owner's settings to the parts they mean. Raises `ConfigError` for what the parts themselves refuse."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.agent import AgentSettings
from homeagent.app.app import AppParts
from homeagent.app.extraction import at_home
from homeagent.app.hiding import key_variables
from homeagent.builtin import built_ins
from homeagent.errors import ConfigError
from homeagent.memory.embed import EmbeddingServer, NoEmbedder, OfflineEmbedder, ServerEmbedder
from homeagent.models import OfflineModel, Price, Router, Source, Timeouts
from homeagent_sdk import SettingsError
from homeagent_sdk.settings import read_settings, settings_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from homeagent.config import Config, ModelSettings
    from homeagent.memory.embed import Embedder
    from homeagent.models import Model
    from homeagent.plugins import Description
    from homeagent_sdk import Plugin

__all__ = [
    "agent_settings",
    "check",
    "distiller_of",
    "embedder_of",
    "hidden_secrets",
    "model_of",
    "parts_of",
    "sources_of",
]

_HIDDEN = "***"
_CALLED_SECRET = re.compile(r"(?:^|_)(?:api)?(?:key|token|password|passwd|secret)$", re.IGNORECASE)


def parts_of(config: Config, *, model: Model, embedder: Embedder) -> AppParts:
    """Return what an app is made of by these settings."""
    return AppParts(
        model=model,
        plugin_settings=config.plugins,
        agent=agent_settings(config),
        embedder=embedder,
        distiller=distiller_of(config),
        hidden_variables=key_variables(config),
        mcp=config.mcp,
        channels=config.channel_options,
    )


def embedder_of(config: Config, progress: Callable[[str, float], None]) -> Embedder:
    """Return what makes the vectors by these settings; making it loads nothing. ``progress``: (step, share done)."""
    settings = config.memory
    match settings.embedder:
        case "none":
            return NoEmbedder()
        case "server":
            key = settings.key_env or None
            return ServerEmbedder(EmbeddingServer(settings.base_url, settings.model, key_variable=key))
        case _:
            return OfflineEmbedder(progress=progress)


def distiller_of(config: Config) -> Model | None:
    """Return the model that finds facts by these settings, None where the rules do it alone.

    Nothing is sent out of the house, and nothing costs money, unless ``distil = "model"`` says so.
    """
    sources = sources_of(config)
    wanted = {"rules": (), "model": sources, "auto": at_home(sources)}[config.memory.distil]
    return Router(wanted) if wanted else None


def agent_settings(config: Config) -> AgentSettings:
    """Return how the agent behaves by these settings."""
    wanted = config.agent
    return AgentSettings(
        persona=wanted.persona,
        recall_limit=config.memory.recall_limit,
        rounds=wanted.rounds,
        repeats=wanted.repeats,
        window_tokens=wanted.window,
        tool_seconds=wanted.tool_seconds,
        ask_seconds=wanted.ask_seconds,
        result_characters=wanted.result_characters,
        reply_tokens=wanted.reply_tokens,
    )


def sources_of(config: Config) -> tuple[Source, ...]:
    """Return the sources of models, the first to ask first."""
    return tuple(_source(name, each) for name, each in config.models.items())


def model_of(config: Config, present: Model, offline: OfflineModel) -> Model:
    """Return the model that these settings mean; a router that is ``present`` goes on with the new sources."""
    sources = sources_of(config)
    if not sources:
        return offline
    if isinstance(present, Router):
        present.replace(sources)
        return present
    return Router(sources)


def check(
    config: Config, plugins: Sequence[Plugin] | None = None, *, installed: Mapping[str, Description] | None = None
) -> None:
    """Raise `ConfigError` when a source or a plugin can't be used with these settings. Asks nobody.

    Of an ``installed`` plugin only the names of its settings are known; their values it checks when it starts.
    """
    sources_of(config)
    known = {plugin.name: plugin for plugin in (built_ins() if plugins is None else plugins)}
    for name, values in config.plugins.items():
        where = f"config.toml [plugins.{name}]"
        if installed and name in installed:
            _check_names(where, values, installed[name])
            continue
        plugin = known.get(name)
        if plugin is None:
            raise ConfigError(where, "there is no such plugin", f"There are {', '.join((*known, *(installed or ())))}")
        if plugin.settings is None:
            if values:
                raise ConfigError(where, "the plugin has no settings", f"Take out {', '.join(values)}")
            continue
        try:
            read_settings(plugin.settings, values, where)
        except SettingsError as error:
            raise ConfigError(error.where, error.problem, error.next_step) from error


def _check_names(where: str, values: Mapping[str, object], told: Description) -> None:
    wrong = [key for key in values if key not in told.settings]
    if wrong:
        step = f"There are {', '.join(told.settings)}" if told.settings else "Take it out"
        raise ConfigError(f"{where} {wrong[0]}", "the plugin has no such setting", step)


def hidden_secrets(shown: dict[str, object], plugins: Sequence[Plugin] | None = None) -> dict[str, object]:
    """Return settings to show in which no secret of a plugin stands, nor what is no setting of it: it may be one."""
    given = shown.get("plugins")
    if not isinstance(given, dict):
        return shown
    known = {plugin.name: plugin for plugin in (built_ins() if plugins is None else plugins)}
    return shown | {"plugins": {name: _without_secrets(known.get(name), values) for name, values in given.items()}}


def _without_secrets(plugin: Plugin | None, values: dict[str, object]) -> dict[str, object]:
    if plugin is None or plugin.settings is None:  # who knows what of it is secret
        return dict.fromkeys(values, _HIDDEN)
    properties = settings_schema(plugin.settings).get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {name: value if _is_plain(name, value, known.get(name)) else _HIDDEN for name, value in values.items()}


def _is_plain(name: str, value: object, schema: object) -> bool:
    """Whether a value may be shown: that of a known setting which neither is a secret nor is called like one."""
    if not isinstance(schema, dict) or schema.get("writeOnly"):
        return False
    if isinstance(value, dict):  # a table where none belongs may hold anything
        return schema.get("type") == "object"
    return not (isinstance(value, str) and _CALLED_SECRET.search(name))


def _source(name: str, wanted: ModelSettings) -> Source:
    price = None
    if wanted.prompt_price is not None and wanted.completion_price is not None:
        price = Price(wanted.prompt_price, wanted.completion_price, wanted.cached_price, wanted.currency)
    try:
        source = Source(
            name,
            wanted.base_url,
            wanted.model,
            key_env=wanted.key_env,
            key_file=Path(wanted.key_file).expanduser() if wanted.key_file else None,
            window_tokens=wanted.window,
            price=price,
            takes=frozenset(wanted.takes),
            timeouts=Timeouts(wanted.connect_seconds, wanted.first_token_seconds, wanted.next_token_seconds),
        )
    except ConfigError as error:
        setting = error.where.rpartition(" ")[2] if error.where.endswith("base_url") else ""
        raise ConfigError(f"config.toml [models.{name}] {setting}".strip(), error.problem, error.next_step) from error
    return replace(source, retries=wanted.retries, max_tokens=wanted.max_tokens or None)
