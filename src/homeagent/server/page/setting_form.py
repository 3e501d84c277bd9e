"""One setting as a field of a form, after its type: yes or no, one of several, a list, a number, a text, a secret."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nicegui import ui

from homeagent.server.page.elements import attempting, block, button, choice, entry, lines_entry, text
from homeagent.server.routes import settings as settings_routes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from homeagent.server.page.visit import Visit

    Write = Callable[[str | None], Awaitable[None]]

__all__ = ["show_setting"]

_MASKED = "***"


def show_setting(visit: Visit, key: str, schema: Mapping[str, object], value: object) -> None:
    """Show one setting by its JSON schema, with what is set, and write it when it is changed.

    It is called by the page's word for it, else by its key as words; its ``description`` stands below.
    """
    label = _label(visit, key)

    async def write(words: str | None) -> None:
        with attempting(visit):
            if words is None:
                await settings_routes.unset(key, visit.owner, visit.daemon)
            else:
                await settings_routes.change(key, settings_routes.NewValue(value=words), visit.owner, visit.daemon)
            ui.notify(visit.say("saved", key=label), type="positive")

    with block("div", "setting"):
        with block("div", "flow"):
            _field(visit, key, schema, value, write)
            if value is not None:
                name = visit.say("to_default")
                button(name, lambda: write(None), "quiet tiny", "restart_alt", label=f"{name}: {label}")
        _about(visit, key, schema)


def _label(visit: Visit, key: str) -> str:
    if visit.has(f"setting_{key}"):
        return visit.say(f"setting_{key}")
    words = key.rpartition(".")[2].replace("_", " ").strip() or key
    return words[0].upper() + words[1:]


def _about(visit: Visit, key: str, schema: Mapping[str, object]) -> None:
    """Say what it is for, what holds when nothing is set, and its name in the settings' file."""
    about, default = schema.get("description"), schema.get("default")
    if isinstance(about, str) and about:
        text("p", about[0].upper() + about[1:], "fine")
    with block("p", "fine names"):
        if schema.get("type") == "array":
            text("span", visit.say("one_a_line"))
        if default not in (None, "", []):
            text("span", visit.say("default", value=_in_words(visit, key, default)))
        text("code", key)


def _in_words(visit: Visit, key: str, value: object) -> str:
    if isinstance(value, bool):
        return visit.say("yes" if value else "no")
    option = f"option_{key}.{value}"
    return visit.say(option) if visit.has(option) else _shown(value)


def _field(visit: Visit, key: str, schema: Mapping[str, object], value: object, write: Write) -> None:
    label, options = _label(visit, key), schema.get("enum")
    held = schema.get("default") if value is None else value
    if schema.get("type") == "boolean":
        switch = ui.switch(label, value=held is True)
        switch.on_value_change(lambda: write("true" if switch.value else "false"))
        return
    if isinstance(options, list) and options:
        words = {str(each): _in_words(visit, key, each) for each in options}
        choice(label, words, str(held), write)
        return
    if schema.get("type") == "array":
        listed = held if isinstance(held, list) else []
        many = lines_entry(label, [_shown(each) for each in listed])
        _save(visit, label, lambda: write(_as_list(many.value)))
        return
    hidden = bool(schema.get("writeOnly")) or value == _MASKED
    box = entry(
        label,
        value="" if hidden else _shown(held),
        placeholder=visit.say("is_set") if hidden and value not in (None, "") else "",
        password=bool(schema.get("writeOnly")),
        grow=True,
    )
    _save(visit, label, lambda: write(str(box.value or "")))


def _save(visit: Visit, label: str, act: Callable[[], object]) -> None:
    button(visit.say("save"), act, "plain", "save", label=f"{visit.say('save')}: {label}")


def _as_list(lines: object) -> str:
    """Return the lines of a field as the settings' file writes a list."""
    return json.dumps([each.strip() for each in str(lines or "").splitlines() if each.strip()], ensure_ascii=False)


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
