"""The Python environment of one plugin: its own packages, and the SDK of the running installation.

Made with uv where it is there, else with venv and pip. Where pip has settings of its own (an index, a certificate) pip
is used, since uv would not know them.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import homeagent_sdk
from homeagent.plugins.boundary import PluginError
from homeagent.plugins.limits import limits_of
from homeagent.plugins.sdk_version import SDK_VERSION
from homeagent.plugins.shelf import CODE, FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.plugins.description import Description
    from homeagent.plugins.source import PluginSource

__all__ = ["Runtime", "prepare_runtime"]

_FOLDER: Final = "environment"
_STAMP: Final = "made.json"
_PASSED_ON: Final = ("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER")
_LOCALE: Final = frozenset(f"LC_{of}" for of in ("ALL", "COLLATE", "CTYPE", "MESSAGES", "MONETARY", "NUMERIC", "TIME"))
_PACKAGE_SECONDS: Final = 600
_SHOWN: Final = 1_500


@dataclass(frozen=True, slots=True)
class Runtime:
    """How to run a plugin: the interpreter with its options, the folder of its files, ``module:name``, variables."""

    python: tuple[str, ...]
    folder: Path
    entry: str
    variables: dict[str, str]

    @property
    def module(self) -> str:
        """The top-level module that the plugin's functions are in."""
        return self.entry.partition(":")[0].partition(".")[0]


def prepare_runtime(root: Path, source: PluginSource, told: Description, *, fetch: bool) -> Runtime:
    """Return how to run a plugin of the home in ``root``; its environment is made if it is not there or is old.

    Without ``fetch`` no package is fetched: a plugin that needs some is then refused. Raises `PluginError`.
    """
    variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    variables |= {name: value for name, value in os.environ.items() if name in _LOCALE}
    variables["PYTHONUTF8"] = "1"
    if source.entry:  # an installed distribution: its packages are those of this very environment
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        read = tuple(Path(each) for each in sys.path if each)
        python = (sys.executable, "-u", "-P", *_confined(told, read, _own_folders(root, told.name, variables)))
        return Runtime(python, source.path, source.entry, variables)
    home = root / FOLDER / told.name
    environment = home / _FOLDER
    interpreter = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = {"python": sys.version, "base": sys.base_prefix, "dependencies": list(told.dependencies)}
    if _stamp(environment) != wanted or not interpreter.exists():
        if told.dependencies and not fetch:
            step = f"Run: homeagent plugin enable {told.name}"
            raise PluginError(f"plugin {told.name!r}", "its environment is missing or old", step)
        _make(environment, interpreter, told)
        (environment / _STAMP).write_text(json.dumps(wanted), "utf-8")
    _link_sdk(environment)
    confined = _confined(told, (environment, home / CODE), _own_folders(root, told.name, variables))
    return Runtime((str(interpreter), "-u", "-I", *confined), home / CODE, f"{told.module}:plugin", variables)


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


def _confined(told: Description, read: tuple[Path, ...], write: tuple[Path, ...]) -> tuple[str, ...]:
    """Return the options that let the interpreter do no more than the plugin's permissions say."""
    limits = limits_of(told.permissions, read=read, write=write)
    return ("-m", "homeagent_sdk.confined", limits.as_text())


def _stamp(environment: Path) -> object:
    with contextlib.suppress(OSError, ValueError):
        found: object = json.loads((environment / _STAMP).read_text("utf-8"))
        return found
    return None


def _make(environment: Path, python: Path, told: Description) -> None:
    shutil.rmtree(environment, ignore_errors=True)
    try:
        venv.EnvBuilder(symlinks=os.name != "nt", with_pip=False).create(environment)
        _link_sdk(environment)
        if told.dependencies:
            limits = environment / "constraints.txt"
            limits.write_text(f"homeagent-sdk=={SDK_VERSION}\n", "utf-8")
            _run([*_installer(python), "--constraint", str(limits), *told.dependencies], told.name)
    except OSError as error:
        step = "Free some space or mend the permissions"
        raise PluginError(str(environment), f"can't be made ({error})", step) from error


def _installer(python: Path) -> Sequence[str]:
    """Return the command that installs packages into the environment of ``python``."""
    uv = shutil.which("uv")
    has_pip = importlib.util.find_spec("pip") is not None
    if uv and not (has_pip and _pip_has_settings()):
        return [uv, "pip", "install", "--python", str(python)]
    if has_pip:
        return [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-input"]
    subprocess.run([str(python), "-m", "ensurepip"], check=False, capture_output=True)
    return [str(python), "-m", "pip", "install", "--no-input"]


def _pip_has_settings() -> bool:
    done = subprocess.run([sys.executable, "-m", "pip", "config", "list"], check=False, capture_output=True)
    return bool(done.stdout.strip())


def _run(command: Sequence[str], name: str) -> None:
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_PACKAGE_SECONDS)
    except subprocess.TimeoutExpired as error:
        step = "See whether the packages can be reached, and try again"
        raise PluginError(f"plugin {name!r}", "its packages took too long to fetch", step) from error
    if done.returncode:
        told = (done.stderr or done.stdout).strip()[-_SHOWN:]
        step = "Mend the dependencies of its manifest, or pip's settings, and try again"
        raise PluginError(f"plugin {name!r}, dependencies", f"they can't be installed:\n{told}\n", step)


def _link_sdk(environment: Path) -> None:
    """Let the environment see the SDK of this installation, and pip know that it is there."""
    own = Path(homeagent_sdk.__file__).resolve().parent
    major, minor = sys.version_info[:2]
    packages = environment / ("Lib" if os.name == "nt" else f"lib/python{major}.{minor}") / "site-packages"
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
