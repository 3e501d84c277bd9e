"""The Python environment of one plugin: its own packages, and the SDK of the running installation.

Made with ``venv``; packages are fetched as `packages` has it. An installed distribution has an environment of its own
too, with a copy of itself in it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import homeagent_sdk
from homeagent.plugins.boundary import PluginError
from homeagent.plugins.distribution import copy_distribution, distribution_stamp, source_folders
from homeagent.plugins.limits import cleaning_limits, limits_of
from homeagent.plugins.packages import fetch_packages
from homeagent.plugins.shelf import CODE, FOLDER
from homeagent_sdk.versions import SDK_VERSION

if TYPE_CHECKING:
    from homeagent_sdk.manifest import Description
    from homeagent_sdk.manifest_source import PluginSource
    from homeagent_sdk.permissions import Permission

__all__ = ["Runtime", "prepare_runtime"]

_FOLDER: Final = "environment"
_STAMP: Final = "made.json"
_PASSED_ON: Final = ("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER")
_LOCALE: Final = frozenset(f"LC_{of}" for of in ("ALL", "COLLATE", "CTYPE", "MESSAGES", "MONETARY", "NUMERIC", "TIME"))


@dataclass(frozen=True, slots=True)
class Runtime:
    """How to run a plugin: the interpreter with its options, the folder of its files, ``module:name``, variables.

    ``cleaning`` are the interpreter and options for its cleaners, which may do less. ``permissions`` are what its proxy
    goes by.
    """

    python: tuple[str, ...]
    cleaning: tuple[str, ...]
    folder: Path
    entry: str
    variables: dict[str, str]
    permissions: tuple[Permission, ...]

    @property
    def module(self) -> str:
        """The top-level module that the plugin's functions are in."""
        return self.entry.partition(":")[0].partition(".")[0]

    @property
    def has_whole_network(self) -> bool:
        """Whether it may reach every host, and so needs no proxy."""
        return any(each.kind == "net" and each.of == "*" for each in self.permissions)


def prepare_runtime(root: Path, source: PluginSource, told: Description, *, fetch: bool) -> Runtime:
    """Return how to run a plugin of the home in ``root``; its environment is made if it is not there or is old.

    Without ``fetch`` no package is fetched: a plugin that needs some is then refused. Raises `PluginError`.
    """
    variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    variables |= {name: value for name, value in os.environ.items() if name in _LOCALE}
    variables["PYTHONUTF8"] = "1"
    home = root / FOLDER / told.name
    environment = home / _FOLDER
    interpreter = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = {"python": sys.version, "base": sys.base_prefix, "dependencies": list(told.dependencies)}
    stamp = _stamp(environment)
    if {name: stamp.get(name) for name in wanted} != wanted or not interpreter.exists():
        if told.dependencies and not fetch:
            step = f"Run: homeagent plugin enable {told.name}"
            raise PluginError(f"plugin {told.name!r}", "its environment is missing or old", step)
        _make(environment, interpreter, told)
        stamp = dict(wanted)
        _write_stamp(environment, stamp)
    _link_sdk(environment)
    folder, entry = home / CODE, f"{told.module}:plugin"
    read: tuple[Path, ...] = (environment, folder)
    if source.distribution:
        _put_distribution(environment, source.distribution, stamp)
        folder, entry = _packages(environment), source.entry
        read = (environment, *source_folders(source.distribution))
    write = _own_folders(root, told.name, variables)
    confined = (
        (str(interpreter), "-u", "-I", "-m", "homeagent_sdk.confined", limits.as_text())
        for limits in (limits_of(told.permissions, read=read, write=write), cleaning_limits(read))
    )
    return Runtime(next(confined), next(confined), folder, entry, variables, told.permissions)


def _own_folders(root: Path, name: str, variables: dict[str, str]) -> tuple[Path, ...]:
    """Make the folders that a plugin may write to, its data and what is temporary, and return them."""
    folders = (root / "plugins" / name, root / "plugins" / name / ".tmp")
    try:
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        step = "Free some space or mend the permissions"
        raise PluginError(str(folders[-1]), f"can't be made ({error.strerror})", step) from error
    variables["TMPDIR"] = str(folders[-1])
    return folders


def _stamp(environment: Path) -> dict[str, object]:
    with contextlib.suppress(OSError, ValueError):
        found: object = json.loads((environment / _STAMP).read_text("utf-8"))
        if isinstance(found, dict):
            return found
    return {}


def _write_stamp(environment: Path, stamp: dict[str, object]) -> None:
    try:
        (environment / _STAMP).write_text(json.dumps(stamp), "utf-8")
    except OSError as error:
        raise _unmade(environment, error) from error


def _make(environment: Path, python: Path, told: Description) -> None:
    shutil.rmtree(environment, ignore_errors=True)
    try:
        venv.EnvBuilder(symlinks=os.name != "nt", with_pip=False).create(environment)
        _link_sdk(environment)
        if told.dependencies:
            constraints = environment / "constraints.txt"
            constraints.write_text(f"homeagent-sdk=={SDK_VERSION}\n", "utf-8")
            fetch_packages(python, told.dependencies, constraints, told.name)
    except OSError as error:
        raise _unmade(environment, error) from error


def _unmade(environment: Path, error: OSError) -> PluginError:
    step = "Free some space or mend the permissions"
    return PluginError(str(environment), f"can't be made ({error})", step)


def _put_distribution(environment: Path, name: str, stamp: dict[str, object]) -> None:
    """Copy a distribution into its environment unless the one there is the one that is installed here."""
    now = distribution_stamp(name)
    if stamp.get("distribution") != now:
        copy_distribution(name, _packages(environment))
        _write_stamp(environment, {**stamp, "distribution": now})


def _packages(environment: Path) -> Path:
    major, minor = sys.version_info[:2]
    return environment / ("Lib" if os.name == "nt" else f"lib/python{major}.{minor}") / "site-packages"


def _link_sdk(environment: Path) -> None:
    """Let the environment see the SDK of this installation, and pip know that it is there."""
    own = Path(homeagent_sdk.__file__).resolve().parent
    packages = _packages(environment)
    link, info = packages / own.name, packages / f"homeagent_sdk-{SDK_VERSION}.dist-info"
    if link.is_symlink() and link.resolve() == own and info.is_dir():
        return
    for old in (link, *packages.glob("homeagent_sdk-*.dist-info")):
        if old.is_symlink():
            old.unlink()
        else:
            shutil.rmtree(old, ignore_errors=True)
    try:
        link.symlink_to(own, target_is_directory=True)
    except OSError:  # where links are not allowed
        shutil.copytree(own, link)
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: homeagent-sdk\nVersion: {SDK_VERSION}\n", "utf-8")
    (info / "INSTALLER").write_text("homeagent\n", "utf-8")
    (info / "RECORD").write_text("", "utf-8")
