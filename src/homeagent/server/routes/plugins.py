"""Plugins: which there are, what each wants and may, agreeing to it, on and off, and the form of its settings."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter
from fastapi import Path as InPath
from pydantic import BaseModel, JsonValue

from homeagent.app import plugin_growth, plugin_state, tried_plugin
from homeagent.builtin import built_ins
from homeagent.config import shown
from homeagent.plugins import (
    Consents,
    FoundPlugin,
    Growth,
    PluginError,
    ToolOutline,
    asked_of,
    enforced_of,
    found_plugins,
    named_plugin,
    outline,
    tools_of,
    wanted_of,
)
from homeagent.server.access import OwnerHere
from homeagent.server.daemon import Daemon
from homeagent.server.errors import AccessError
from homeagent.server.forms import plain
from homeagent.server.here import DaemonHere
from homeagent_sdk import Plugin
from homeagent_sdk.settings import settings_schema

__all__ = ["router"]

router = APIRouter(prefix="/api/plugins", tags=["plugins"])
"""The routes of this matter."""

PluginName = Annotated[str, InPath(min_length=1, max_length=200)]


class PluginForm(BaseModel):
    """A plugin in short. ``asks``: it is off, because it wants more than was agreed to."""

    name: str
    version: str
    state: Literal["built_in", "on", "off", "asks", "broken"]
    problem: str
    running: bool


class PluginList(BaseModel):
    """Every plugin, those that are built in first."""

    plugins: list[PluginForm]


class ToolForm(BaseModel):
    """A tool: what it does, and what of its output is computed."""

    name: str
    summary: str
    treatment: str
    cleaner: str


class GrowthForm(BaseModel):
    """What a plugin wants beyond what was agreed to."""

    tools: list[str]
    policies: list[str]
    permissions: list[str]
    dependencies: list[str]


class PluginInfo(PluginForm):
    """A plugin with all that a person should know before it is turned on.

    ``asked`` stands for what it wants, all of it: send it back to agree. ``settings`` is the JSON schema of its
    settings as far as it is known, ``values`` what is set, without secrets.
    """

    tools: list[ToolForm]
    permissions: list[str]
    dependencies: list[str]
    limits: dict[str, str]
    new: GrowthForm
    asked: str
    settings: dict[str, JsonValue]
    values: dict[str, JsonValue]


class Agreement(BaseModel):
    """What is agreed to: the ``asked`` of `PluginInfo`, so that nothing is agreed to that was not shown."""

    asked: str


@router.get("", summary="Every plugin")
async def listed(owner: OwnerHere, daemon: DaemonHere) -> PluginList:
    """Return every plugin with its state."""
    del owner

    def looked() -> PluginList:
        consents = Consents(_root(daemon)).all()
        own = [_built_in_form(each, daemon) for each in built_ins()]
        found = [
            _form(each, *plugin_state(each, consents.get(each.name)), daemon) for each in found_plugins(_root(daemon))
        ]
        return PluginList(plugins=[*own, *found])

    return await asyncio.to_thread(looked)


@router.get("/{name}", summary="One plugin")
async def info(name: PluginName, owner: OwnerHere, daemon: DaemonHere) -> PluginInfo:
    """Return what it brings, wants and may, and what can be set."""
    del owner
    return await asyncio.to_thread(_info, daemon, name)


@router.post("/{name}/enable", summary="Agree to a plugin and turn it on")
async def enable(name: PluginName, agreement: Agreement, owner: OwnerHere, daemon: DaemonHere) -> PluginInfo:
    """Turn it on; it runs within seconds. 409 when it wants something else by now than was shown."""
    del owner
    await asyncio.to_thread(_enable, daemon, name, agreement)
    daemon.hub.publish("plugin", {"name": name, "state": "on"})
    return await asyncio.to_thread(_info, daemon, name)


@router.post("/{name}/disable", summary="Turn a plugin off")
async def disable(name: PluginName, owner: OwnerHere, daemon: DaemonHere) -> PluginInfo:
    """Turn it off; what was agreed to stays agreed to."""
    del owner

    def switched() -> None:
        _refuse_built_in(name)
        named_plugin(_root(daemon), name)
        Consents(_root(daemon)).switch(name, on=False)

    await asyncio.to_thread(switched)
    daemon.hub.publish("plugin", {"name": name, "state": "off"})
    return await asyncio.to_thread(_info, daemon, name)


def _enable(daemon: Daemon, name: str, agreement: Agreement) -> None:
    _refuse_built_in(name)
    root = _root(daemon)
    found = named_plugin(root, name)
    if found.source is None or found.description is None:
        raise PluginError(name, "it has no source", "Put it in again: homeagent plugin install PATH")
    outlined = tools_of(outline(found.source))
    if agreement.asked != _asked(found, outlined):
        raise AccessError(f"plugin {name!r}", "wants something else than was shown", "Look again", status=409)
    manifest = tried_plugin(root, found.source, found.description)
    declared = wanted_of(manifest)
    unseen = asked_of(found.description, outlined).growth(asked_of(found.description, declared))
    if unseen:
        hidden = ", ".join((*unseen.tools, *unseen.policies))
        step = f"Look and agree: homeagent plugin enable {name}"
        raise PluginError(f"plugin {name!r}", f"it wants more than its text shows: {hidden}", step)
    Consents(root).give(name, asked_of(found.description, declared))


def _info(daemon: Daemon, name: str) -> PluginInfo:
    root = _root(daemon)
    values = shown(daemon.settings.config)["plugins"]
    given = values.get(name, {}) if isinstance(values, dict) else {}
    built_in = next((each for each in built_ins() if each.name == name), None)
    if built_in is not None:
        return _built_in_info(built_in, given, daemon)
    found = named_plugin(root, name)
    told = found.description
    if told is None or found.source is None:
        raise PluginError(name, "it has no source", "Put it in again: homeagent plugin install PATH")
    agreed = Consents(root).all().get(name)
    tools = outline(found.source)
    return PluginInfo(
        **_form(found, *plugin_state(found, agreed), daemon).model_dump(),
        tools=[_tool(each) for each in tools],
        permissions=[str(each) for each in told.permissions],
        dependencies=list(told.dependencies),
        limits=enforced_of(found.description.permissions) if found.description else {},
        new=_growth(plugin_growth(found, agreed)),
        asked=_asked(found, tools_of(tools)),
        settings=json.loads(json.dumps(dict(told.settings), default=str)),
        values=dict.fromkeys(given, "***"),
    )


def _built_in_info(plugin: Plugin, given: dict[str, object], daemon: Daemon) -> PluginInfo:
    schema = settings_schema(plugin.settings) if plugin.settings is not None else {}
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    fields: dict[str, JsonValue] = json.loads(json.dumps(known, default=str))
    secret = {key for key, each in known.items() if isinstance(each, dict) and each.get("writeOnly")}
    values: dict[str, JsonValue] = {
        key: "***" if key in secret else json.loads(json.dumps(value, default=str)) for key, value in given.items()
    }
    tools = [
        ToolForm(
            name=tool.name,
            summary=tool.description.partition("\n")[0],
            treatment="no_memory" if tool.policy.no_memory else "cleaner" if tool.policy.cleaner else "plain",
            cleaner=tool.policy.cleaner.spec if tool.policy.cleaner else "",
        )
        for tool in plugin.tools
    ]
    return PluginInfo(
        **_built_in_form(plugin, daemon).model_dump(),
        tools=tools,
        permissions=[],
        dependencies=[],
        limits={},
        new=_growth(Growth()),
        asked="",
        settings=fields,
        values=values,
    )


def _built_in_form(plugin: Plugin, daemon: Daemon) -> PluginForm:
    running = plugin.name in daemon.app.registry.plugins
    return PluginForm(name=plugin.name, version=plugin.version, state="built_in", problem="", running=running)


def _form(
    found: FoundPlugin, state: Literal["on", "off", "asks", "broken"], problem: str, daemon: Daemon
) -> PluginForm:
    version = found.description.version if found.description else ""
    running = found.name in daemon.app.registry.plugins
    return PluginForm(name=found.name, version=version, state=state, problem=plain(problem), running=running)


def _tool(tool: ToolOutline) -> ToolForm:
    return ToolForm(name=tool.name, summary=tool.summary, treatment=tool.treatment, cleaner=tool.cleaner)


def _growth(growth: Growth) -> GrowthForm:
    return GrowthForm(
        tools=list(growth.tools),
        policies=list(growth.policies),
        permissions=list(growth.permissions),
        dependencies=list(growth.dependencies),
    )


def _asked(found: FoundPlugin, tools: dict[str, str]) -> str:
    """Return what stands for all that a plugin wants, as it was shown."""
    told = found.description
    if told is None:
        return ""
    wanted = (told.version, sorted(tools.items()), sorted(map(str, told.permissions)), sorted(told.dependencies))
    return hashlib.sha256(json.dumps(wanted).encode()).hexdigest()[:32]


def _refuse_built_in(name: str) -> None:
    if any(plugin.name == name for plugin in built_ins()):
        raise PluginError(
            f"plugin {name!r}", "is built in and always on", "A policy says what is remembered of its tools"
        )


def _root(daemon: Daemon) -> Path:
    return daemon.settings.home.root
