"""What is wrong with a plugin: its manifest, what its code declares, its cleaners on recorded outputs."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent_sdk.errors import ManifestError, Problem, SdkError
from homeagent_sdk.manifest import describe
from homeagent_sdk.manifest_source import find_source
from homeagent_sdk.trying import Place, TriedCleaners, find_samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from homeagent_sdk.manifest import Description
    from homeagent_sdk.manifest_source import PluginSource

__all__ = ["CheckReport", "Checked", "check_code", "check_plugin"]

_LOAD_SECONDS: Final = 60.0
_SHOWN: Final = 2_000

Checked = tuple["PluginSource", "Description"]
"""A plugin's source with its manifest, which is in order."""


@dataclass(frozen=True)
class CheckReport:
    """What was found. ``problems`` must be mended, ``hints`` may be; ``trace`` is where loading failed.

    ``where`` is how errors name the manifest; name, version and tools are empty where they could not be read. ``tools``
    are by name, with what of their output is computed: ``plain``, ``no_memory`` or a cleaner.
    """

    where: str
    name: str = ""
    version: str = ""
    tools: tuple[tuple[str, str], ...] = ()
    problems: tuple[Problem, ...] = ()
    hints: tuple[Problem, ...] = ()
    trace: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is no problem."""
        return not self.problems

    def as_plain(self) -> dict[str, object]:
        """Return it as JSON has it."""
        return {
            "ok": self.ok,
            "where": self.where,
            "name": self.name,
            "version": self.version,
            "tools": [{"name": name, "treatment": treatment} for name, treatment in self.tools],
            "problems": [each._asdict() for each in self.problems],
            "hints": [each._asdict() for each in self.hints],
            "trace": self.trace,
        }


def check_plugin(path: Path, place: Callable[[Checked], tuple[Place, Path]] | None = None) -> CheckReport:
    """Check the plugin in a file or folder; whatever is wrong is in the report.

    ``place`` says for a plugin whose manifest is in order where its code is run and in which folder it lies; without it
    that is this Python, and the plugin's own folder.
    """
    try:
        source = find_source(path)
        told = describe(source)
        where, folder = place((source, told)) if place else (Place(), _folder_of(source))
    except ManifestError as error:
        return CheckReport(error.where, problems=error.problems)
    except SdkError as error:
        return CheckReport(str(path), problems=(Problem(error.where, error.problem, error.next_step),))
    return check_code(source, told, where, folder)


def check_code(source: PluginSource, told: Description, place: Place, folder: Path) -> CheckReport:
    """Check what the code of a plugin declares; its files are in ``folder``, under the name of its module."""
    said = _declared(place, told.module, folder)
    match said:
        case {"problem": [str(where), str(problem), str(step)], "trace": str(trace)}:
            why = Problem(where, problem, step)
            return CheckReport(source.where, told.name, told.version, problems=(why,), trace=trace)
        case {"plugin": dict(plugin), "settings": [*settings], "problems": [*problems], "hints": [*hints]}:
            tools = tuple(_tools_of(plugin))
            found = (
                *_differences(told, plugin, tuple(map(str, settings))),
                *_problems(problems),
                *_cleaner_problems(place, folder, plugin),
            )
            return CheckReport(source.where, told.name, told.version, tools, found, tuple(_problems(hints)))
    raise TypeError("homeagent_sdk.declaring has answered something else than it does")


def _folder_of(source: PluginSource) -> Path:
    return source.path.parent if source.path.is_file() else source.path


def _declared(place: Place, module: str, folder: Path) -> object:
    command = [*place.python, "-m", "homeagent_sdk.declaring", f"{module}:plugin", str(folder)]
    variables = None if place.variables is None else dict(place.variables)
    try:
        done = subprocess.run(command, env=variables, capture_output=True, check=False, timeout=_LOAD_SECONDS)
    except subprocess.TimeoutExpired:
        told = f"it is not loaded within {_LOAD_SECONDS:g} seconds"
        return {"problem": [module, told, "Do what takes long in on_start, or in a tool"], "trace": ""}
    try:
        return json.loads(done.stdout)
    except ValueError:
        printed = done.stderr.decode("utf-8", "replace")[-_SHOWN:]
        told = f"its process ended while it was loaded (exit code {done.returncode})"
        return {"problem": [module, told, "Let the module end no process when it is imported"], "trace": printed}


def _tools_of(plugin: dict[str, object]) -> Iterator[tuple[str, str]]:
    tools = plugin.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        match tool:
            case {"name": str(name), "policy": {"no_memory": True}}:
                yield name, "no_memory"
            case {"name": str(name), "policy": {"cleaner": [*stages]}}:
                yield name, " | ".join(str(stage[0]) for stage in stages)
            case {"name": str(name)}:
                yield name, "plain"


def _cleaner_problems(place: Place, folder: Path, plugin: dict[str, object]) -> Iterator[Problem]:
    with TriedCleaners(place, folder) as tried:
        for name, treatment in _tools_of(plugin):
            if treatment not in ("plain", "no_memory"):
                yield from tried.problems(name, treatment, find_samples(folder, name))


def _differences(told: Description, plugin: dict[str, object], settings: tuple[str, ...]) -> Iterator[Problem]:
    """Yield where the manifest and the code say different things."""
    for key, stands in (("name", told.name), ("version", told.version)):
        if plugin.get(key) != stands:
            problem = f"the manifest says {stands!r}, Plugin(...) says {plugin.get(key)!r}"
            yield Problem(key, problem, "Write the same in both")
    for name in settings:
        if name not in told.settings:
            step = f'Add it: settings = {{ {name} = "what it is for" }}'
            yield Problem("settings", f"the manifest does not name {name!r}, so nobody can set it", step)
    for name in told.settings:
        if name not in settings:
            problem = f"the manifest names {name!r}, the settings class of Plugin(...) does not have it"
            yield Problem("settings", problem, "Take it out, or add it to the class")


def _problems(values: list[object]) -> Iterator[Problem]:
    for each in values:
        if isinstance(each, list) and len(each) == len(Problem._fields):
            yield Problem(*map(str, each))
