"""A plugin: tools, stages, channels, settings, and what happens when it starts and stops."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent_sdk.channels import Channel
from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.settings import check_settings
from homeagent_sdk.stages import StageHandler, check_handler
from homeagent_sdk.tools import Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from homeagent_sdk.context import PluginContext
    from homeagent_sdk.tools import AnyTool

__all__ = ["Plugin"]

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+!-]{0,39}")


@dataclass(frozen=True)
class Plugin:
    """What one plugin brings, written down in one place; everything is checked when it is made.

    ``settings`` is a frozen dataclass with defaults. ``on_start`` is called once before anything else, sync or async;
    what it returns is the plugin's state, which ``context.state(Kind)`` gives back. ``on_stop`` is called at the end.
    Raises ``DeclarationError`` naming the plugin for anything that can't work.
    """

    name: str
    version: str
    tools: Iterable[AnyTool] = ()
    stages: Iterable[StageHandler] = ()
    settings: type | None = None
    on_start: Callable[[PluginContext], object] | None = None
    on_stop: Callable[[PluginContext], object] | None = None
    channels: Iterable[Channel] = ()

    def __post_init__(self) -> None:
        where = f"plugin {self.name!r}"
        object.__setattr__(self, "tools", _all_of(Tool, self.tools, where, "tools", "Put @tool on the function"))
        stages = _all_of(StageHandler, self.stages, where, "stages", "Put e.g. @stage.on_input.decide on the function")
        object.__setattr__(self, "stages", stages)
        channels = _all_of(Channel, self.channels, where, "channels", 'Write Channel("name", YourConnection)')
        object.__setattr__(self, "channels", channels)
        if not _NAME.fullmatch(self.name):
            fix = "Use small letters, digits, _ and -, the first one a letter, 40 at most"
            raise DeclarationError(where, "this can't be its name", fix)
        if not _VERSION.fullmatch(self.version):
            raise DeclarationError(where, f"{self.version!r} is no version", 'Write e.g. version="1.0.0"')
        for name, count in Counter(tool.name for tool in self.tools).items():
            if count > 1:
                raise DeclarationError(where, f"it has two tools named {name!r}", "Rename one: @tool(name=...)")
        for name, count in Counter(channel.name for channel in self.channels).items():
            if count > 1:
                raise DeclarationError(where, f"it has two channels named {name!r}", "Rename one")
        for handler in self.stages:
            check_handler(handler, where)
        if self.settings is not None:
            check_settings(self.settings, where)
        for hook in ("on_start", "on_stop"):
            _check_hook(getattr(self, hook), f"{where}, {hook}")


def _all_of(kind: type, items: Iterable[object], where: str, name: str, fix: str) -> tuple[object, ...]:
    found = tuple(items)
    for item in found:
        if not isinstance(item, kind):
            raise DeclarationError(f"{where}, {name}", f"{item!r} is no {kind.__name__}", fix)
    return found


def _check_hook(hook: Callable[[PluginContext], object] | None, where: str) -> None:
    if hook is None:
        return
    try:
        inspect.signature(hook).bind(object())
    except (TypeError, ValueError):
        fix = "Write def on_start(context: PluginContext) -> object"
        raise DeclarationError(where, "it doesn't take exactly one argument", fix) from None
