"""Where a plugin comes from, and what is written down about it: read as text, none of its code runs."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from homeagent.plugins.boundary import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.metadata import Distribution, EntryPoint

__all__ = ["GROUP", "MANIFEST", "PluginSource", "distributed_sources", "find_source"]

GROUP: Final = "homeagent.plugins"
"""The entry points of installed distributions that bring plugins."""

MANIFEST: Final = "homeagent.toml"
"""The manifest of a folder or of a package in an installed distribution."""

_BLOCK: Final = re.compile(r"^# /// script$\s((?:^#(?:| .*)$\s)+?)^# ///$", re.MULTILINE)  # as PEP 723 has it
_STEP: Final = "See docs/plugins.md, or let 'homeagent plugin new NAME' write one"


@dataclass(frozen=True, slots=True)
class PluginSource:
    """A plugin's code and what stands about it.

    ``path`` is the file, the folder, or the package's folder; ``table`` is ``[tool.homeagent]`` and ``around`` what
    stands beside it: name, version and dependencies of the script or project. ``entry`` is set for a distribution.
    """

    kind: Literal["file", "folder", "distribution"]
    path: Path
    manifest: Path
    table: Mapping[str, object]
    around: Mapping[str, object] = field(default_factory=dict)
    entry: str = ""

    @property
    def where(self) -> str:
        """How errors name its manifest."""
        return f"{self.manifest} [tool.homeagent]"


def find_source(path: Path) -> PluginSource:
    """Return the plugin in a file or folder. Raises `PluginError` when there is none or its manifest can't be read."""
    if path.is_file() and path.suffix == ".py":
        found = _of_script(path)
        if found is None:
            raise PluginError(str(path), "it has no block '# /// script' with a table [tool.homeagent]", _STEP)
        return PluginSource("file", path, path, *found)
    if path.is_dir():
        return _of_folder(path)
    problem = "it is neither a Python file nor a folder" if path.exists() else "there is no such file or folder"
    raise PluginError(str(path), problem, "Name a file such as weather.py, or a folder")


def distributed_sources() -> Iterator[tuple[str, PluginSource | PluginError]]:
    """Yield the names of the plugins that installed distributions bring, each with its source or why it has none.

    They are found by their entry points; nothing of them is imported.
    """
    for point in entry_points(group=GROUP):
        if point.dist is not None:
            try:
                yield point.name, _of_distribution(point, point.dist)
            except PluginError as error:
                yield point.name, error


def _of_folder(folder: Path) -> PluginSource:
    manifest = folder / MANIFEST
    if manifest.is_file():
        read = _toml(manifest, _text(manifest))
        return PluginSource("folder", folder, manifest, *(_tables(read) or (read, {})))
    manifest = folder / "pyproject.toml"
    if manifest.is_file() and (found := _tables(_toml(manifest, _text(manifest)))):
        return PluginSource("folder", folder, manifest, *found)
    for script in sorted(folder.glob("*.py")):
        found = _of_script(script)
        if found:
            return PluginSource("folder", folder, script, *found)
    problem = f"it holds no {MANIFEST}, no pyproject.toml and no Python file with a table [tool.homeagent]"
    raise PluginError(str(folder), problem, _STEP)


def _of_script(path: Path) -> tuple[Mapping[str, object], Mapping[str, object]] | None:
    """Return the table of a script's PEP 723 block, and what stands around it."""
    blocks = _BLOCK.findall(_text(path).replace("\r\n", "\n") + "\n")
    if not blocks:
        return None
    if len(blocks) > 1:
        raise PluginError(str(path), "it has two blocks '# /// script'", "Put both into one")
    content = "".join(line.removeprefix("#").removeprefix(" ") for line in blocks[0].splitlines(keepends=True))
    return _tables(_toml(path, content))


def _of_distribution(point: EntryPoint, dist: Distribution) -> PluginSource:
    package = point.module.partition(".")[0]
    around: dict[str, object] = {"name": point.name, "version": dist.version, "dependencies": dist.requires or []}
    for file in dist.files or ():
        if file.name == MANIFEST and file.parts[0] == package:
            manifest = Path(str(dist.locate_file(file)))
            read = _toml(manifest, _text(manifest))
            table, more = _tables(read) or (read, {})
            return PluginSource("distribution", manifest.parent, manifest, table, {**around, **more}, point.value)
    folder = Path(str(dist.locate_file(package)))
    return PluginSource("distribution", folder, folder / MANIFEST, {}, around, point.value)


def _tables(read: Mapping[str, object]) -> tuple[Mapping[str, object], Mapping[str, object]] | None:
    """Return ``[tool.homeagent]`` and what stands around it in a script or a project, or None without the table."""
    tool = read.get("tool")
    table = tool.get("homeagent") if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        return None
    project = read.get("project", read)
    return table, project if isinstance(project, dict) else {}


def _toml(path: Path, text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PluginError(str(path), f"its manifest is no TOML ({error})", _STEP) from error


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PluginError(str(path), f"it can't be read ({error})", "Save it as UTF-8, readable by you") from error
