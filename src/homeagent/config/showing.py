"""Settings as plain values, to be shown or written down."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from homeagent.config.settings import Config, McpSettings
    from homeagent_sdk import MemoryPolicy

__all__ = ["shown"]

_HIDDEN: Final = "***"


def shown(config: Config) -> dict[str, object]:
    """Return every setting in force as plain values."""
    return {
        "memory": dataclasses.asdict(config.memory),
        "ui": dataclasses.asdict(config.ui),
        "agent": dataclasses.asdict(config.agent),
        "models": {name: _source(dataclasses.asdict(each)) for name, each in config.models.items()},
        "plugins": {name: dict(values) for name, values in config.plugins.items()},
        "mcp": {name: _server(each) for name, each in config.mcp.items()},
        "channels": {name: _source(dataclasses.asdict(each)) for name, each in config.channel_options.items()},
        "policies": {
            "tools": {name: _policy_value(policy) for name, policy in config.tools.items()},
            "channels": {name: _policy_value(policy) for name, policy in config.channels.items()},
        },
    }


def _source(values: dict[str, object]) -> dict[str, object]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _server(settings: McpSettings) -> dict[str, object]:
    """Return an MCP server's settings; what stands in a header, a variable or behind a ``?`` may be a key."""
    values = _source({field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)})
    for name in ("env", "headers"):
        values[name] = dict.fromkeys(getattr(settings, name), _HIDDEN)
    address, question, _ = settings.url.partition("?")
    values["url"] = f"{address}?{_HIDDEN}" if question else address
    values["policies"] = {name: _policy_value(policy) for name, policy in settings.policies.items()}
    return {name: value for name, value in values.items() if value not in ("", [], {})}


def _policy_value(policy: MemoryPolicy) -> dict[str, object]:
    if policy.cleaner is not None:
        return {"cleaner": policy.cleaner.spec}
    return {"no_memory": policy.no_memory}
