"""The settings of the home: what is in force, what may be set, and setting it."""

import asyncio
from functools import partial
from typing import Annotated

from fastapi import APIRouter
from fastapi import Path as InPath
from pydantic import BaseModel, Field, JsonValue

from homeagent import config
from homeagent.app import check_change, hidden_secrets
from homeagent.config.fields import MODEL, SECTIONS
from homeagent.server.access import OwnerHere
from homeagent.server.daemon import Daemon
from homeagent.server.here import DaemonHere

__all__ = ["router"]

router = APIRouter(prefix="/api/settings", tags=["settings"])
"""The routes of this matter."""

Key = Annotated[
    str, InPath(min_length=1, max_length=600, description="e.g. agent.persona, models.NAME, plugins.NAME.KEY")
]


class SettingField(BaseModel):
    """One setting that there is; ``example`` is a line of the settings' file."""

    key: str
    example: str
    value: JsonValue
    private: bool


class Settings(BaseModel):
    """What is in force, secrets hidden; ``fields`` are the settings with fixed names, ``source_fields`` a source's."""

    path: str
    values: dict[str, JsonValue]
    fields: list[SettingField]
    source_fields: list[str]


class NewValue(BaseModel):
    """A value as it stands in the file; text needs no quotes."""

    value: str = Field(max_length=100_000)


@router.get("", summary="Every setting in force")
async def settings(owner: OwnerHere, daemon: DaemonHere) -> Settings:
    """Return what is in force."""
    del owner
    return await asyncio.to_thread(_shown, daemon)


@router.put("/{key}", summary="Set something")
async def change(key: Key, wanted: NewValue, owner: OwnerHere, daemon: DaemonHere) -> Settings:
    """Change one setting in the file, which keeps its comments; it holds when this answers."""
    del owner
    return await _changed(daemon, key, wanted.value)


@router.delete("/{key}", summary="Take a setting out")
async def unset(key: Key, owner: OwnerHere, daemon: DaemonHere) -> Settings:
    """Take one out, so that the default holds."""
    del owner
    return await _changed(daemon, key, None)


async def _changed(daemon: Daemon, key: str, value: str | None) -> Settings:
    root = daemon.settings.home.root

    def written() -> None:
        checked = partial(check_change, root, key)
        config.change(daemon.settings.home.config, key, value, checked)

    await asyncio.to_thread(written)
    await daemon.follow_settings()
    return await asyncio.to_thread(_shown, daemon)


def _shown(daemon: Daemon) -> Settings:
    values: dict[str, JsonValue] = {}
    for name, each in hidden_secrets(config.shown(daemon.settings.config)).items():
        values[name] = _json(each)
    fields = [
        SettingField(
            key=f"{section}.{name}", example=field.example, value=_of(values, section, name), private=field.private
        )
        for section, names in SECTIONS.items()
        for name, field in names.items()
    ]
    return Settings(path=str(daemon.settings.home.config), values=values, fields=fields, source_fields=list(MODEL))


def _of(values: dict[str, JsonValue], section: str, name: str) -> JsonValue:
    table = values.get(section)
    return table.get(name) if isinstance(table, dict) else None


def _json(value: object) -> JsonValue:
    """Return a value of the settings as JSON has it; moments of TOML as text."""
    if isinstance(value, dict):
        return {str(key): _json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    return str(value)
