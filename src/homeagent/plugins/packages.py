"""Packages for a plugin's environment: fetched with uv where it is there, else with pip.

Where pip has settings of its own (an index, a certificate) pip is used, since uv would not know them.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent.plugins.boundary import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["fetch_packages", "pip_has_settings"]

_SECONDS: Final = 600
_SHOWN: Final = 1_500
_WITHOUT_EFFECT: Final = frozenset(
    {
        "PIP_CACHE_DIR",
        "PIP_DISABLE_PIP_VERSION_CHECK",
        "PIP_NO_INPUT",
        "PIP_QUIET",
        "PIP_ROOT_USER_ACTION",
        "PIP_VERBOSE",
    }
)
"""Settings that don't change what is fetched or from where."""
_PASSED_ON: Final = frozenset(
    {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TEMP", "TMP", "TMPDIR", "TZ", "USER", "SYSTEMROOT", "APPDATA"}
    | {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC"}
    | {"CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "PKG_CONFIG_PATH", "MAKEFLAGS", "SOURCE_DATE_EPOCH"}
)
_PASSED_ON_ALL: Final = ("PIP_", "UV_", "XDG_", "SSL_", "LC_")


def fetch_packages(python: Path, requirements: Sequence[str], constraints: Path, plugin: str) -> None:
    """Install packages into the environment of ``python``. Raises `PluginError` with what the installer said."""
    command = [*_installer(python), "--constraint", str(constraints), *requirements]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_SECONDS, env=_variables())
    except subprocess.TimeoutExpired as error:
        step = "See whether the packages can be reached, and try again"
        raise PluginError(f"plugin {plugin!r}", "its packages took too long to fetch", step) from error
    if done.returncode:
        told = (done.stderr or done.stdout).strip()[-_SHOWN:]
        step = "Mend the dependencies of its manifest, or pip's settings, and try again"
        raise PluginError(f"plugin {plugin!r}, dependencies", f"they can't be installed:\n{told}\n", step)


def pip_has_settings() -> bool:
    """Return whether pip is set up on this machine: by a variable of the environment, or by a file of its own."""
    named = {name for name in os.environ if name.startswith("PIP_")} - _WITHOUT_EFFECT
    if os.environ.get("PIP_CONFIG_FILE") == os.devnull:  # which tells pip to read none of its files
        return named > {"PIP_CONFIG_FILE"}
    if named:
        return True
    return any(path.is_file() and path.stat().st_size for path in _pip_files())


def _variables() -> dict[str, str]:
    """Return the variables that installers go by: what builds a package is foreign code, and sees no key of ours."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _PASSED_ON or name.startswith(_PASSED_ON_ALL)
    }


def _installer(python: Path) -> Sequence[str]:
    """Return the command that installs packages into the environment of ``python``."""
    uv = shutil.which("uv")
    if uv and not pip_has_settings():
        return [uv, "pip", "install", "--python", str(python)]
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-input"]
    subprocess.run([str(python), "-m", "ensurepip"], check=False, capture_output=True)
    return [str(python), "-m", "pip", "install", "--no-input"]


def _pip_files() -> Iterator[Path]:
    """Yield where pip looks for its settings."""
    name = "pip.ini" if os.name == "nt" else "pip.conf"
    home = Path.home()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    folders = [config / "pip", home / ".pip", home / "pip", home / "Library" / "Application Support" / "pip"]
    folders += [Path(each) / "pip" for each in os.environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(os.pathsep) if each]
    folders += [Path("/etc"), Path(sys.prefix)]
    folders += [Path(each) / "pip" for each in (os.environ.get("APPDATA"), os.environ.get("PROGRAMDATA")) if each]
    yield from (folder / name for folder in folders)
