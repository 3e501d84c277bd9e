"""Settings as plain values, to be shown or written down."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent.config.settings import Config
    from homeagent_sdk import MemoryPolicy

__all__ = ["shown"]


def shown(config: Config) -> dict[str, object]:
    """Return every setting in force as plain values."""
    return {
        "memory": dataclasses.asdict(config.memory),
        "ui": dataclasses.asdict(config.ui),
        "agent": dataclasses.asdict(config.agent),
        "models": {name: _source(dataclasses.asdict(each)) for name, each in config.models.items()},
        "plugins": {name: dict(values) for name, values in config.plugins.items()},
        "channels": {name: _source(dataclasses.asdict(each)) for name, each in config.channel_options.items()},
        "policies": {
            "tools": {name: _policy_value(policy) for name, policy in config.tools.items()},
            "channels": {name: _policy_value(policy) for name, policy in config.channels.items()},
        },
    }


def _source(values: dict[str, object]) -> dict[str, object]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _policy_value(policy: MemoryPolicy) -> dict[str, object]:
    if policy.cleaner is not None:
        return {"cleaner": policy.cleaner.spec}
    return {"no_memory": policy.no_memory}
