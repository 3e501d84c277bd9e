"""What a plugin in its own process says of itself, read into the same declarations as that of a built-in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from homeagent.plugins.boundary import PluginError
from homeagent.plugins.declaration import ChannelDeclaration, HandlerDeclaration, Manifest, ToolDeclaration
from homeagent_sdk import Capabilities, Cleaner, MemoryPolicy, SdkError, Stage
from homeagent_sdk.channels import check_channel_name
from homeagent_sdk.cleaner_language import FUNCTION_REFERENCE, parse_cleaner
from homeagent_sdk.stages import STAGES

if TYPE_CHECKING:
    from homeagent_sdk.stages import Verb

__all__ = ["read_declaration"]

_TOOL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")


def read_declaration(said: object, name: str) -> Manifest:
    """Return what the plugin ``name`` declares. Raises `PluginError` for anything the SDK would not have sent."""
    match said:
        case {
            "name": str(own),
            "version": str(version),
            "tools": [*tools],
            "handlers": [*handlers],
            "channels": [*channels],
        } if own == name:
            return Manifest(
                name,
                version,
                tuple(_tool(each, name, version) for each in tools),
                tuple(_handler(each, name, place) for place, each in enumerate(handlers)),
                tuple(_channel(each, name) for each in channels),
            )
        case {"name": str(own)} if own != name:
            step = "Give Plugin(...) and the manifest one name"
            raise PluginError(f"plugin {name!r}", f"it calls itself {own!r} in its code", step)
    raise _odd(name, "what it declares")


def _tool(said: object, plugin: str, version: str) -> ToolDeclaration:
    match said:
        case {
            "name": str(name),
            "description": str(description),
            "parameters": dict(parameters),
            "policy": dict(policy),
            "returns_memory": bool(returns_memory),
            "parallel": bool(parallel),
            "timeout": (int() | float() | None) as timeout,
        } if _TOOL_NAME.fullmatch(name):
            schema = {str(key): value for key, value in parameters.items()}
            return ToolDeclaration(
                name, description, schema, _policy(policy, plugin), returns_memory, parallel, timeout, plugin, version
            )
    raise _odd(plugin, "one of its tools")


def _channel(said: object, plugin: str) -> ChannelDeclaration:
    match said:
        case {
            "name": str(name),
            "can": {"length": int(length), "edit": bool(edit), "typing": bool(typing), "attachments": bool(files)},
            "input": dict(input_policy),
            "output": dict(output_policy),
        } if length > 0:
            try:
                check_channel_name(name, f"plugin {plugin!r}, channel {name!r}")
            except SdkError as error:
                raise PluginError(error.where, error.problem, error.next_step) from error
            can = Capabilities(length, edit, typing, files)
            policies = _policy(input_policy, plugin), _policy(output_policy, plugin)
            return ChannelDeclaration(name, can, *policies, plugin)
    raise _odd(plugin, "one of its channels")


def _policy(said: object, plugin: str) -> MemoryPolicy:
    match said:
        case {"no_memory": bool(no_memory), "cleaner": cleaner}:
            return MemoryPolicy(no_memory, _cleaner(cleaner, plugin))
    raise _odd(plugin, "one of its policies")


def _cleaner(said: object, plugin: str) -> Cleaner | None:
    if said is None:
        return None
    if not isinstance(said, list) or not said:
        raise _odd(plugin, "one of its cleaners")
    return Cleaner(tuple(_stage(each, plugin) for each in said))


def _stage(said: object, plugin: str) -> Stage:
    match said:
        case [str(spec), str(identity), bool()] if FUNCTION_REFERENCE.fullmatch(spec):
            return Stage(spec, identity, False, str)  # never run here: the process for cleaners imports the function
        case [str(spec), str(), bool()]:
            try:
                (stage,) = parse_cleaner(spec).stages
            except (SdkError, ValueError) as error:
                raise _odd(plugin, f"the cleaner {spec!r}") from error
            return stage
    raise _odd(plugin, "one of its cleaners")


def _handler(said: object, plugin: str, place: int) -> HandlerDeclaration:
    match said:
        case {"stage": str(stage), "verb": str(verb), "name": str(name), "takes": [*takes]}:
            if any(shape.name == stage and verb in shape.verbs for shape in STAGES):
                return HandlerDeclaration(stage, cast("Verb", verb), name, tuple(map(str, takes)), plugin, place)
    raise _odd(plugin, "one of its stages")


def _odd(plugin: str, what: str) -> PluginError:
    return PluginError(f"plugin {plugin!r}", f"{what} can't be understood", "Use the SDK of this installation")
