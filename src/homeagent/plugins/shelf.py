"""The plugins a home has got hold of: those put into it, and those that installed distributions bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.plugins.boundary import PluginError
from homeagent.plugins.manifests import describe, distributed_sources, find_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from homeagent_sdk.manifest import Description
    from homeagent_sdk.manifest_source import PluginSource

__all__ = ["CODE", "FOLDER", "FoundPlugin", "found_plugins", "named_plugin"]

FOLDER: Final = "installed"
"""The folder of a home that holds one folder for each plugin put into it."""

CODE: Final = "code"
"""The folder in a plugin's folder that holds its files, as they were put in."""


@dataclass(frozen=True)
class FoundPlugin:
    """A plugin that is there: its description, or the error that says why it can't be used."""

    name: str
    source: PluginSource | None
    description: Description | None
    problem: PluginError | None = None


def found_plugins(root: Path) -> tuple[FoundPlugin, ...]:
    """Return the plugins of the home in ``root``, by name; of two with one name the one in the home counts."""
    found = {each.name: each for each in (*_distributed(), *_put_in(root / FOLDER))}
    return tuple(found[name] for name in sorted(found))


def named_plugin(root: Path, name: str) -> FoundPlugin:
    """Return the plugin of that name. Raises `PluginError` when there is none or its manifest can't be used."""
    found = {each.name: each for each in found_plugins(root)}
    if name not in found:
        known = f"There are {', '.join(found)}" if found else "Put one in: homeagent plugin install PATH"
        raise PluginError(f"plugin {name!r}", "there is no plugin of that name in this home", known)
    if (problem := found[name].problem) is not None:
        raise problem
    return found[name]


def _distributed() -> Iterator[FoundPlugin]:
    for name, source in distributed_sources():
        if isinstance(source, PluginError):
            yield FoundPlugin(name, None, None, source)
        else:
            yield _described(name, source)


def _put_in(folder: Path) -> Iterator[FoundPlugin]:
    if not folder.is_dir():
        return
    for each in sorted(folder.iterdir()):
        code = each / CODE
        if not code.is_dir():
            continue
        try:
            yield _described(each.name, find_source(code))
        except PluginError as error:
            yield FoundPlugin(each.name, None, None, error)


def _described(name: str, source: PluginSource) -> FoundPlugin:
    try:
        description = describe(source)
    except PluginError as error:
        return FoundPlugin(name, source, None, error)
    return FoundPlugin(description.name, source, description)
