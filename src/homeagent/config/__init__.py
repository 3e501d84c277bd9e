"""The owner's settings: ``config.toml`` in the home, read into typed values, changed without losing a comment."""

from homeagent.config.reading import load, parse
from homeagent.config.settings import (
    GUEST_TOOLS,
    AgentOptions,
    ChannelOptions,
    Config,
    McpSettings,
    MemorySettings,
    ModelSettings,
    UiSettings,
)
from homeagent.config.showing import shown
from homeagent.config.writing import change

__all__ = [
    "GUEST_TOOLS",
    "AgentOptions",
    "ChannelOptions",
    "Config",
    "McpSettings",
    "MemorySettings",
    "ModelSettings",
    "UiSettings",
    "change",
    "load",
    "parse",
    "shown",
]
