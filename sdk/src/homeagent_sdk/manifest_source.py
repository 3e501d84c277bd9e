"""Where a plugin comes from, and what is written down about it: read as text, none of its code runs."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from homeagent_sdk.errors import DeclarationError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["MANIFEST", "PluginSource", "find_source", "manifest_tables", "read_toml"]

MANIFEST: Final = "homeagent.toml"
"""The manifest of a folder or of a package in an installed distribution."""

_BLOCK: Final = re.compile(r"^# /// script$\s((?:^#(?:| .*)$\s)+?)^# ///$", re.MULTILINE)  # as PEP 723 has it
_STEP: Final = "See docs/plugins.md, or let 'homeagent plugin new NAME' write one"


@dataclass(frozen=True, slots=True)
class PluginSource:
    """A plugin's code and what stands about it.

    ``path`` is the file, the folder, or the package's folder; ``table`` is ``[tool.homeagent]`` and ``around`` what
    stands beside it: name, version and dependencies of the script or project. ``entry`` is set for a distribution, and
    ``distribution`` is what that is called.
    """

    kind: Literal["file", "folder", "distribution"]
    path: Path
    manifest: Path
    table: Mapping[str, object]
    around: Mapping[str, object] = field(default_factory=dict)
    entry: str = ""
    distribution: str = ""

    @property
    def where(self) -> str:
        """How errors name its manifest."""
        return f"{self.manifest} [tool.homeagent]"


def find_source(path: Path) -> PluginSource:
    """Return the plugin in a file or folder. Raises `DeclarationError` without one, or one that can't be read."""
    if path.is_file() and path.suffix == ".py":
        found = _of_script(path)
        if found is None:
            raise DeclarationError(str(path), "it has no block '# /// script' with a table [tool.homeagent]", _STEP)
        return PluginSource("file", path, path, *found)
    if path.is_dir():
        return _of_folder(path)
    problem = "it is neither a Python file nor a folder" if path.exists() else "there is no such file or folder"
    raise DeclarationError(str(path), problem, "Name a file such as weather.py, or a folder")


def _of_folder(folder: Path) -> PluginSource:
    manifest = folder / MANIFEST
    if manifest.is_file():
        read = read_toml(manifest)
        return PluginSource("folder", folder, manifest, *(manifest_tables(read) or (read, {})))
    manifest = folder / "pyproject.toml"
    if manifest.is_file() and (found := manifest_tables(read_toml(manifest))):
        return PluginSource("folder", folder, manifest, *found)
    for script in sorted(folder.glob("*.py")):
        found = _of_script(script)
        if found:
            return PluginSource("folder", folder, script, *found)
    problem = f"it holds no {MANIFEST}, no pyproject.toml and no Python file with a table [tool.homeagent]"
    raise DeclarationError(str(folder), problem, _STEP)


def _of_script(path: Path) -> tuple[Mapping[str, object], Mapping[str, object]] | None:
    """Return the table of a script's PEP 723 block, and what stands around it."""
    blocks = _BLOCK.findall(_text(path).replace("\r\n", "\n") + "\n")
    if not blocks:
        return None
    if len(blocks) > 1:
        raise DeclarationError(str(path), "it has two blocks '# /// script'", "Put both into one")
    content = "".join(line.removeprefix("#").removeprefix(" ") for line in blocks[0].splitlines(keepends=True))
    return manifest_tables(_parsed(path, content))


def manifest_tables(read: Mapping[str, object]) -> tuple[Mapping[str, object], Mapping[str, object]] | None:
    """Return ``[tool.homeagent]`` and what stands around it in a script or a project, or None without the table."""
    tool = read.get("tool")
    table = tool.get("homeagent") if isinstance(tool, dict) else None
    if not isinstance(table, dict):
        return None
    project = read.get("project", read)
    return table, project if isinstance(project, dict) else {}


def read_toml(path: Path) -> Mapping[str, object]:
    """Return what a file says. Raises `DeclarationError` when it can't be read or is no TOML."""
    return _parsed(path, _text(path))


def _parsed(path: Path, text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DeclarationError(str(path), f"its manifest is no TOML ({error})", _STEP) from error


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DeclarationError(str(path), f"it can't be read ({error})", "Save it as UTF-8, readable by you") from error
