"""What a plugin says of itself in its manifest, before any of its code runs."""

from __future__ import annotations

import difflib
import keyword
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from homeagent_sdk.errors import ManifestError, Problem
from homeagent_sdk.permissions import Permission, read_permission
from homeagent_sdk.versions import SDK_VERSION, meets, readable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent_sdk.manifest_source import PluginSource

__all__ = ["Description", "describe"]

_KEYS: Final = ("name", "version", "sdk", "module", "permissions", "dependencies", "settings")
_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_VERSION: Final = re.compile(r"[0-9][0-9A-Za-z.+!-]{0,39}")
_REQUIREMENT: Final = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:[\[(<>=!~;@ ].*)?")
_SDK: Final = re.compile(r"homeagent[._-]sdk", re.IGNORECASE)


@dataclass(frozen=True)
class Description:
    """A manifest, checked. ``settings`` are the names of the settings with what stands about each.

    ``dependencies`` are requirements as pip reads them; the SDK is never one of them, it comes from this installation.
    """

    name: str
    version: str
    sdk: str
    permissions: tuple[Permission, ...] = ()
    dependencies: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    named_module: str = ""

    @property
    def module(self) -> str:
        """The module that holds ``plugin``: called like the plugin unless the manifest says another."""
        return self.named_module or self.name.replace("-", "_")


def describe(source: PluginSource) -> Description:
    """Return what a plugin says of itself. Raises `ManifestError` with every problem and its key."""
    table = source.table
    problems = [_unknown(key) for key in table if key not in _KEYS]
    name = _text(table.get("name", source.around.get("name")), "name", problems)
    version = _text(table.get("version", source.around.get("version")), "version", problems)
    dependencies = _dependencies(source, problems)
    wanted = _sdk(source, dependencies, problems)
    module = _module(table, problems)
    if name is not None:
        _check_name(name, module, problems)
    if version is not None and not _VERSION.fullmatch(version):
        problems.append(Problem("version", f"{version!r} is no version", 'Write e.g. version = "1.0.0"'))
    permissions = _permissions(table.get("permissions", []), problems)
    settings = table.get("settings", {})
    if not isinstance(settings, dict):
        problems.append(Problem("settings", "it is no table", 'Write e.g. settings = { city = "where to look" }'))
        settings = {}
    if problems or name is None or version is None:
        raise ManifestError(source.where, problems)
    own = tuple(line for line in dependencies if not _is_sdk(line))
    found = Description(name, version, wanted, permissions, own, settings, module)
    _check_module(source, found)
    return found


def _unknown(key: str) -> Problem:
    close = difflib.get_close_matches(key, _KEYS, n=1)
    return Problem(key, "there is no such key", f"Did you mean {close[0]}?" if close else f"There are {_listed()}")


def _listed() -> str:
    return ", ".join(_KEYS)


def _text(value: object, key: str, problems: list[Problem]) -> str | None:
    if isinstance(value, str) and value:
        return value
    reason = "is missing" if value is None else f"is {value!r}, no text"
    problems.append(Problem(key, reason, f'Write e.g. {key} = "{"1.0.0" if key == "version" else "weather"}"'))
    return None


def _module(table: Mapping[str, object], problems: list[Problem]) -> str:
    """Return the module that the manifest names, or an empty text: for a plugin that is called like one of Python's."""
    if "module" not in table:
        return ""
    module = _text(table["module"], "module", problems) or ""
    if module and (not module.isidentifier() or _is_taken(module)):
        problems.append(Problem("module", f"{module!r} can't be the name of a module of yours", "Choose another"))
    return module


def _is_taken(module: str) -> bool:
    return module in sys.stdlib_module_names or keyword.iskeyword(module) or module.startswith("homeagent")


def _check_name(name: str, module: str, problems: list[Problem]) -> None:
    if not _NAME.fullmatch(name):
        fix = "Use small letters, digits, _ and -, the first one a letter, 40 at most"
        problems.append(Problem("name", f"{name!r} can't be its name", fix))
    elif name.startswith("homeagent") or (not module and _is_taken(name.replace("-", "_"))):
        fix = 'Choose another, or name the module: module = "my_module"'
        problems.append(Problem("name", f"{name!r} is a name that Python or the program uses", fix))


def _sdk(source: PluginSource, dependencies: tuple[str, ...], problems: list[Problem]) -> str:
    wanted = source.table.get("sdk")
    if wanted is None:
        of_dist = next((line for line in dependencies if _is_sdk(line)), "") if source.kind == "distribution" else ""
        wanted = re.sub(_SDK, "", of_dist).partition(";")[0].strip(" ()") or None
    example = f'Write sdk = ">={".".join(SDK_VERSION.split(".")[:2])}"'
    if wanted is None:
        problems.append(Problem("sdk", "is missing", example))
    elif not isinstance(wanted, str) or not readable(wanted):
        problems.append(Problem("sdk", f"{wanted!r} is no range of versions", example))
    elif not meets(wanted):
        fix = (
            f"Get a version of the plugin for {SDK_VERSION}, or another HomeAgent. If it is yours and works: {example}"
        )
        problems.append(Problem("sdk", f"it wants homeagent-sdk {wanted}, here is {SDK_VERSION}", fix))
    else:
        return wanted
    return ""


def _dependencies(source: PluginSource, problems: list[Problem]) -> tuple[str, ...]:
    found: list[str] = []
    for where in (source.around, source.table):
        lines = where.get("dependencies", [])
        if not isinstance(lines, list):
            problems.append(Problem("dependencies", "it is no list", 'Write e.g. dependencies = ["httpx>=0.27"]'))
            continue
        for line in lines:
            if isinstance(line, str) and _REQUIREMENT.fullmatch(line):
                found.append(line.strip())
            else:
                problems.append(Problem("dependencies", f"{line!r} is no requirement", 'Write e.g. "httpx>=0.27"'))
    return tuple(dict.fromkeys(found))


def _is_sdk(line: str) -> bool:
    found = _REQUIREMENT.fullmatch(line)
    return found is not None and _SDK.fullmatch(found[1]) is not None


def _permissions(lines: object, problems: list[Problem]) -> tuple[Permission, ...]:
    if not isinstance(lines, list):
        problems.append(Problem("permissions", "it is no list", 'Write e.g. permissions = ["net:api.example.com"]'))
        return ()
    read = [read_permission(line) for line in lines]
    problems += [each for each in read if isinstance(each, Problem)]
    return tuple(dict.fromkeys(each for each in read if isinstance(each, Permission)))


def _check_module(source: PluginSource, found: Description) -> None:
    """Raise `ManifestError` when a folder does not hold the module that is named like its plugin."""
    if source.kind != "folder":
        return
    module = found.module
    if not (source.path / f"{module}.py").is_file() and not (source.path / module / "__init__.py").is_file():
        reason = f"the folder holds neither {module}.py nor {module}/__init__.py"
        fix = "Name the module like the plugin; in it: plugin = Plugin(...)"
        raise ManifestError(source.where, [Problem("name", reason, fix)])
