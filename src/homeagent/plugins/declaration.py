"""What a plugin declares, as plain values: the same for one in this process and for one in its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent_sdk import Capabilities, MemoryPolicy, Plugin
    from homeagent_sdk.schema import JsonSchema
    from homeagent_sdk.stages import Verb

__all__ = ["ChannelDeclaration", "HandlerDeclaration", "Manifest", "ToolDeclaration", "declared"]


@dataclass(frozen=True)
class ToolDeclaration:
    """A tool as the model, the memory and the owner see it. ``timeout`` is in seconds, None for the host's limit.

    A ``policy`` of None says that nobody declared one, so that the default cleaner holds. ``kept_as`` is what the log
    and the policies call it, where that is another name than the one the model sees.
    """

    name: str
    description: str
    parameters: JsonSchema
    policy: MemoryPolicy | None
    returns_memory: bool
    parallel: bool
    timeout: float | None
    plugin: str
    plugin_version: str
    kept_as: str = ""

    @property
    def policy_name(self) -> str:
        """The name in the log and in the policies."""
        return self.kept_as or self.name


@dataclass(frozen=True, slots=True)
class HandlerDeclaration:
    """A function that takes part in a stage: ``takes`` are the arguments it asks for by name."""

    stage: str
    verb: Verb
    name: str
    takes: tuple[str, ...]
    plugin: str
    place: int
    """Which of its plugin's handlers it is, counted from 0."""


@dataclass(frozen=True)
class ChannelDeclaration:
    """A channel: what its platform can do, and what of the words that come in and go out is computed."""

    name: str
    can: Capabilities
    input: MemoryPolicy
    output: MemoryPolicy
    plugin: str


@dataclass(frozen=True)
class Manifest:
    """Everything one plugin declares."""

    name: str
    version: str
    tools: tuple[ToolDeclaration, ...]
    handlers: tuple[HandlerDeclaration, ...]
    channels: tuple[ChannelDeclaration, ...] = ()


def declared(plugin: Plugin) -> Manifest:
    """Return what a plugin of this process declares."""
    tools = tuple(
        ToolDeclaration(
            tool.name,
            tool.description,
            tool.parameters,
            tool.policy,
            tool.returns_memory,
            tool.parallel,
            tool.timeout,
            plugin.name,
            plugin.version,
        )
        for tool in plugin.tools
    )
    handlers = tuple(
        HandlerDeclaration(handler.stage, handler.verb, handler.name, handler.takes, plugin.name, place)
        for place, handler in enumerate(plugin.stages)
    )
    channels = tuple(
        ChannelDeclaration(each.name, each.can, each.input, each.output, plugin.name) for each in plugin.channels
    )
    return Manifest(plugin.name, plugin.version, tools, handlers, channels)
