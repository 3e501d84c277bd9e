"""One setting as a field of a form, after its type: yes or no, one of several, a number, a text, a secret."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nicegui import ui

from homeagent.server.page.elements import attempting, block, button, choice, entry, text
from homeagent.server.routes import settings as settings_routes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent.server.page.visit import Visit

__all__ = ["show_setting"]


def show_setting(visit: Visit, key: str, schema: Mapping[str, object], value: object) -> None:
    """Show one setting by its JSON schema, with what is set, and write it when it is changed."""
    default = schema.get("default")
    held = default if value is None else value

    async def write(words: str | None) -> None:
        with attempting(visit):
            if words is None:
                await settings_routes.unset(key, visit.owner, visit.daemon)
            else:
                await settings_routes.change(key, settings_routes.NewValue(value=words), visit.owner, visit.daemon)
            ui.notify(visit.say("saved", key=key), type="positive")

    with block("div", "setting"):
        about = schema.get("description")
        label = key.rpartition(".")[2]
        if isinstance(about, str):
            text("p", about, "fine")
        with block("div", "flow"):
            _field(visit, label, schema, held, write)
            if value is not None:
                name = visit.say("to_default")
                button(name, lambda: write(None), "quiet tiny", "restart_alt", label=f"{name}: {label}")
        if default not in (None, ""):
            text("p", visit.say("default", value=_shown(default)), "fine")


def _field(visit: Visit, label: str, schema: Mapping[str, object], held: object, write: object) -> None:
    assert callable(write)  # noqa: S101 - it is ours
    options = schema.get("enum")
    if schema.get("type") == "boolean":
        switch = ui.switch(label, value=held is True)
        switch.on_value_change(lambda: write("true" if switch.value else "false"))
        return
    if isinstance(options, list) and options:
        words = {str(each): str(each) for each in options}
        choice(label, words, str(held), lambda to: write(to))
        return
    secret = bool(schema.get("writeOnly"))
    box = entry(label, value="" if secret else _shown(held), password=secret)
    box.classes("grow")
    button(
        visit.say("save"), lambda: write(str(box.value or "")), "plain", "save", label=f"{visit.say('save')}: {label}"
    )


def _shown(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
