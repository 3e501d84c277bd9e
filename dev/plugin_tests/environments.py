"""The environment of each plugin under ``plugins/``: made once by the program's own code, again when its needs change.

They lie in ``.plugin-environments`` of the repository, which git ignores, or in the folder that the variable
``HOMEAGENT_PLUGIN_ENVIRONMENTS`` names. Nothing is added to them for the tests: pytest is linked into a folder beside.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dev.closure import closure, link_packages
from dev.ratchet import ROOT
from homeagent.plugins import Description, PluginSource, describe, find_source, prepare_runtime
from homeagent.plugins.shelf import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PLUGINS", "PluginEnvironment", "environment_of", "pytest_links"]

PLUGINS: Final = ROOT / "plugins"
"""The folder that holds the example plugins."""

_PLACE: Final = "HOMEAGENT_PLUGIN_ENVIRONMENTS"


@dataclass(frozen=True)
class PluginEnvironment:
    """A plugin of the repository with the environment made for it; ``python`` is its interpreter."""

    source: PluginSource
    told: Description
    folder: Path
    python: Path


def environment_of(plugin: Path) -> PluginEnvironment:
    """Return the environment of the plugin in a folder, made if it is not there or its dependencies have changed.

    Raises `PluginError` when it can't be made.
    """
    source = find_source(plugin)
    told = describe(source)
    root = _place() / told.name
    root.mkdir(parents=True, exist_ok=True)
    with _locked(root):
        runtime = prepare_runtime(root, source, told, fetch=True)
    return PluginEnvironment(source, told, root / FOLDER / told.name / "environment", Path(runtime.python[0]))


def pytest_links() -> Path:
    """Return a folder that holds pytest and what it needs as links to the packages of this very environment.

    It goes to the end of a plugin's search path: its own packages come first, and none but pytest's are added.
    """
    needed = closure(["pytest"])
    key = hashlib.sha256(repr([(each.name, each.version, str(each.locate_file(""))) for each in needed]).encode())
    folder = _place() / f"pytest-{key.hexdigest()[:12]}"
    link_packages(needed, folder)
    return folder


def _place() -> Path:
    named = os.environ.get(_PLACE)
    return Path(named).absolute() if named else ROOT / ".plugin-environments"


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
