"""Plugins: which there are, how they fare, what each wants, agreeing to it, and the form of its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from homeagent.server.page.elements import attempting, block, button, chip, heading, link, text
from homeagent.server.page.setting_form import show_setting
from homeagent.server.page.words import built_in_words
from homeagent.server.routes import plugins as plugins_routes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from homeagent.server.page.visit import Visit
    from homeagent.server.routes.plugins import PluginForm, PluginInfo

__all__ = ["build", "build_one"]


async def build(visit: Visit, _request: Request) -> None:
    """List every plugin with its state."""
    heading(visit.say("nav_plugins"), visit.say("plugins_about"))
    found = (await plugins_routes.listed(visit.owner, visit.daemon)).plugins
    own = [each for each in found if each.state != "built_in"]
    if not own:
        text("p", visit.say("no_plugins"), "fine")
    for title, rows in (("plugins_own", own), ("plugins_built_in", [each for each in found if each not in own])):
        if rows:
            text("h2", visit.say(title))
            with block("ul", "cards two"):
                for each in rows:
                    with block("li", "card"):
                        _short(visit, each)


def _short(visit: Visit, plugin: PluginForm) -> None:
    with block("div", "flow"):
        with block("h3"):
            link(plugin.name, f"/plugins/{quote(plugin.name)}")
        text("span", plugin.version, "fine")
        block("span", "space")
        _state(visit, plugin)
    about = f"about_plugin_{plugin.name}"
    if plugin.state == "built_in" and visit.has(about):
        text("p", visit.say(about), "fine")
    if plugin.problem:
        text("p", visit.told(plugin.problem), "fine")


def _words(visit: Visit, info: PluginInfo, said: str) -> str:
    """Return what a plugin says: a built-in one in the language of the visit, another in its own."""
    return built_in_words(said, visit.language) if info.state == "built_in" else said


def _state(visit: Visit, plugin: PluginForm) -> None:
    kind = {"asks": "warn", "broken": "bad"}.get(plugin.state, "")
    chip(visit.say(f"plugin_{plugin.state}"), kind)
    if plugin.state in ("built_in", "on"):
        words = "plugin_running" if plugin.running else "plugin_not_running"
        chip(visit.say(words), "good-chip" if plugin.running else "bad")


async def build_one(visit: Visit, request: Request) -> None:
    """Show one: its tools, what it wants, its settings."""
    name = str(request.path_params["plugin"])
    info = await plugins_routes.info(name, visit.owner, visit.daemon)
    link(visit.say("back_to_plugins"), "/plugins", "link back", "arrow_back")
    heading(f"{info.name} {info.version}")
    _followed(visit, info)
    if info.problem:
        text("p", visit.told(info.problem), "alert")
    _consent(visit, info)
    with block("section", "card"):
        text("h2", visit.say("tools"))
        with block("ul", "plain-list"):
            for tool in info.tools:
                with block("li"):
                    with block("div", "flow"):
                        text("strong", tool.name)
                        treatment = "hidden" if tool.treatment == "no_memory" else tool.treatment
                        chip(visit.say(f"treatment_{treatment}"), treatment)
                        link(
                            visit.say("change_policy", tool=tool.name),
                            f"/policies?tool={quote(tool.name)}",
                            "link fine",
                        )
                    text("p", _words(visit, info, tool.summary), "fine")
    _settings(visit, info)


def _followed(visit: Visit, info: PluginInfo) -> None:
    """Show its state; that of one which was just turned on follows when it runs, which takes some seconds."""
    with block("div", "flow") as shown:
        _state(visit, info)
    shown.props["role"] = "status"
    if info.state != "on" or info.running:
        return

    def look() -> None:
        if info.name in visit.daemon.app.registry.plugins:
            timer.deactivate()
            shown.clear()
            with shown:
                _state(visit, info.model_copy(update={"running": True}))

    timer = ui.timer(0.5, look)


def _consent(visit: Visit, info: PluginInfo) -> None:
    if info.state == "built_in":
        return

    async def enable() -> None:
        with attempting(visit):
            agreement = plugins_routes.Agreement(asked=info.asked)
            await plugins_routes.enable(info.name, agreement, visit.owner, visit.daemon)
            ui.navigate.to(f"/plugins/{quote(info.name)}")

    async def disable() -> None:
        with attempting(visit):
            await plugins_routes.disable(info.name, visit.owner, visit.daemon)
            ui.navigate.to(f"/plugins/{quote(info.name)}")

    with block("section", "card"):
        text("h2", visit.say("plugin_wants"))
        _list(visit, "permissions", [_permission(visit, each) for each in info.permissions])
        _list(visit, "dependencies", info.dependencies)
        _list(visit, "limits", [visit.say(f"limit_{key}_{value}") for key, value in info.limits.items()])
        new = [*info.new.tools, *info.new.policies, *info.new.permissions, *info.new.dependencies]
        if new and info.state == "asks":
            _list(visit, "plugin_new", new)
        with block("div", "flow"):
            if info.state == "on":
                button(visit.say("plugin_disable"), disable, "plain", "power_settings_new")
            else:
                button(visit.say("plugin_agree"), enable, "main", "verified_user")
        if info.state != "on":
            text("p", visit.say("plugin_agree_about"), "fine")


def _permission(visit: Visit, permission: str) -> str:
    """Return a permission with what it means, in the language of the visit."""
    kind = permission.partition(":")[0]
    return f"{permission}: {visit.say(f'permission_{kind}')}" if visit.has(f"permission_{kind}") else permission


def _list(visit: Visit, key: str, listed: Sequence[str]) -> None:
    text("h3", visit.say(key))
    if not listed:
        text("p", visit.say("none"), "fine")
        return
    with block("ul", "plain-list"):
        for each in listed:
            text("li", each)


def _settings(visit: Visit, info: PluginInfo) -> None:
    properties = info.settings.get("properties", info.settings)
    fields = properties if isinstance(properties, dict) else {}
    with block("section", "card"):
        text("h2", visit.say("nav_settings"))
        if not fields:
            text("p", visit.say("no_settings"), "fine")
        for key, known in fields.items():
            schema = dict(known) if isinstance(known, dict) else {"description": known}
            if isinstance(about := schema.get("description"), str):
                schema["description"] = _words(visit, info, about)
            show_setting(visit, f"plugins.{info.name}.{key}", schema, info.values.get(key))
