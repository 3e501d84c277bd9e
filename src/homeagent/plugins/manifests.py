"""The manifests of plugins, read by the SDK: their errors are told as errors of plugins here."""

from __future__ import annotations

import contextlib
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import homeagent_sdk.manifest
import homeagent_sdk.manifest_source
import homeagent_sdk.template
from homeagent.plugins.boundary import PluginError
from homeagent.plugins.manifest_problems import ManifestError
from homeagent_sdk import SdkError
from homeagent_sdk.errors import ManifestError as SdkManifestError
from homeagent_sdk.manifest_source import MANIFEST, PluginSource, manifest_tables, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.metadata import Distribution, EntryPoint

    from homeagent_sdk.manifest import Description

__all__ = ["GROUP", "describe", "distributed_sources", "find_source", "write_new"]

GROUP: Final = "homeagent.plugins"
"""The entry points of installed distributions that bring plugins."""


def find_source(path: Path) -> PluginSource:
    """Return the plugin in a file or folder. Raises `PluginError` when there is none or its manifest can't be read."""
    with _told():
        return homeagent_sdk.manifest_source.find_source(path)


def describe(source: PluginSource) -> Description:
    """Return what a plugin says of itself. Raises `ManifestError` with every problem and its key."""
    with _told():
        return homeagent_sdk.manifest.describe(source)


def write_new(name: str, folder: Path) -> tuple[Path, ...]:
    """Write a plugin called ``name`` into ``folder``, which must not be there; return the files, the plugin first.

    Raises `ManifestError` for a name that can't be one, and `PluginError` when the folder is there.
    """
    with _told():
        return homeagent_sdk.template.write_new(name, folder)


def distributed_sources() -> Iterator[tuple[str, PluginSource | PluginError]]:
    """Yield the names of the plugins that installed distributions bring, each with its source or why it has none.

    They are found by their entry points; nothing of them is imported.
    """
    for point in entry_points(group=GROUP):
        if point.dist is None:
            continue
        try:
            with _told():
                found: PluginSource | PluginError = _of_distribution(point, point.dist)
        except PluginError as error:
            found = error
        yield point.name, found


def _of_distribution(point: EntryPoint, dist: Distribution) -> PluginSource:
    around: dict[str, object] = {"name": point.name, "version": dist.version, "dependencies": dist.requires or []}
    path = _place_of(point.module.partition(".")[0], dist)
    manifest = (path if path.is_dir() else path.parent) / MANIFEST
    table: Mapping[str, object] = {}
    if path.is_dir() and manifest.is_file():
        read = read_toml(manifest)
        table, more = manifest_tables(read) or (read, {})
        around |= more
    return PluginSource("distribution", path, manifest, table, around, point.value, dist.name)


def _place_of(package: str, dist: Distribution) -> Path:
    """Return the folder of a package, or the file of a module, that is installed; nothing of it is imported."""
    for path in (Path(str(dist.locate_file(package))), Path(str(dist.locate_file(f"{package}.py")))):
        if path.exists():
            return path
    with contextlib.suppress(ImportError, ValueError):  # one that is installed editable lies elsewhere
        spec = find_spec(package)
        if spec is not None and spec.origin:
            origin = Path(spec.origin)
            return origin.parent if spec.submodule_search_locations else origin
    step = "Install it again; its plugin is off until then"
    raise PluginError(f"distribution {dist.name}", f"it has no module {package!r}", step)


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except SdkManifestError as error:
        raise ManifestError(error.where, error.problems) from error
    except SdkError as error:
        raise PluginError(error.where, error.problem, error.next_step) from error
