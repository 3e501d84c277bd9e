"""A plugin's environment: its packages by uv or by pip as pip is set up, and a distribution's own copy of itself."""

from __future__ import annotations

import base64
import hashlib
import importlib
import os
import shutil
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import (
    Host,
    OutOfProcess,
    PluginError,
    describe,
    find_source,
    found_plugins,
    prepare_runtime,
    put_in,
)
from homeagent.plugins.packages import pip_has_settings
from homeagent_sdk import ToolCall
from tests.plugins.living import HEAD
from tests.plugins.worlds import World, in_loop

if TYPE_CHECKING:
    from homeagent.plugins import Runtime

PLUGIN = '''
@tool
def look() -> str:
    """Look what is there."""
    import importlib.metadata, importlib.util
    names = [name for name in ("tinything", "homeagent_sdk", "homeagent", "numpy") if importlib.util.find_spec(name)]
    import tinything
    return f"{names} {tinything.WORD} {importlib.metadata.version('homeagent-sdk')}"


plugin = Plugin("probe", "1.0", tools=[look])
'''


def wheel(folder: Path, name: str = "tinything", version: str = "1.0", **files: str) -> Path:
    """Write a wheel by hand; ``files`` are more of its files, ``__`` for ``/`` and ``_dot_`` for ``.`` in their names."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    content = {
        f"{name}/__init__.py": f"WORD = 'tiny {version}'\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **{path.replace("INFO", info): text for path, text in files.items()},
    }
    lines = []
    for path, text in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(text.encode())}")
    content[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""])
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        for name_inside, text in content.items():
            file.writestr(name_inside, text)
    return path


def without_pip_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


def prepared(home: Path, dependency: str) -> Runtime:
    home.mkdir(exist_ok=True)
    (home / "probe.py").write_text(
        HEAD.replace("permissions", f'dependencies = ["{dependency}"]\n# permissions') + PLUGIN
    )
    source = find_source(home / "probe.py")
    code = find_source(put_in(home, source, describe(source)))
    return prepare_runtime(home, code, describe(code), fetch=True)


async def looked(home: Path, runtime: Runtime, name: str = "probe", tool: str = "look") -> str:
    world = World(home / "plugins")
    runner = await OutOfProcess.open(name, runtime, Host(home / "plugins", world.injector), {})
    try:
        await runner.begin()
        return (await runner.call(ToolCall("c", tool, {}), world.seat())).text
    finally:
        await runner.stop()


@pytest.mark.skipif(shutil.which("uv") is None, reason="there is no uv")
@in_loop
async def test_packages_are_fetched_with_uv_where_pip_has_no_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_pip_settings(monkeypatch)
    assert not pip_has_settings()
    log = tmp_path / "asked"
    program = tmp_path / "bin" / "uv"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" "key $SECRET_KEY" >> {log}\nexec {shutil.which("uv")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SECRET_KEY", "sk-1")
    path = wheel(tmp_path / "wheels")
    home = tmp_path / "home"
    runtime = prepared(home, f"tinything @ {path.as_uri()}")
    assert log.read_text().startswith("pip install --python")
    assert log.read_text().endswith("key \n")
    assert await looked(home, runtime) == "['tinything', 'homeagent_sdk'] tiny 1.0 0.1.0"


@in_loop
async def test_where_pip_has_settings_it_is_pip_that_fetches_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_pip_settings(monkeypatch)
    wheel(tmp_path / "wheels")
    settings = tmp_path / "pip.conf"
    settings.write_text(f"[global]\nno-index = true\nfind-links = {tmp_path / 'wheels'}\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    assert pip_has_settings()
    home = tmp_path / "home"
    assert await looked(home, prepared(home, "tinything")) == "['tinything', 'homeagent_sdk'] tiny 1.0 0.1.0"


def test_packages_that_are_not_there_are_named_with_what_the_installer_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_pip_settings(monkeypatch)
    settings = tmp_path / "pip.conf"
    settings.write_text(f"[global]\nno-index = true\nfind-links = {tmp_path}\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    with pytest.raises(PluginError, match=r"they can't be installed:\n[\s\S]*tinything"):
        prepared(tmp_path / "home", "tinything")


BROUGHT = '''\
from homeagent_sdk import Plugin, tool


def last(text: str) -> str:
    return text.split()[-1]


@tool(cleaner=last)
def brought_look() -> str:
    """Look where it runs."""
    import importlib.util, sys
    names = [name for name in ("brought", "homeagent", "numpy") if importlib.util.find_spec(name)]
    return f"{names} {sys.prefix} {__file__}"


plugin = Plugin("brought", "WHAT", tools=[brought_look])
'''


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is searched for installed distributions."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def put_distribution(site: Path, version: str) -> None:
    for old in site.glob("brought*"):
        shutil.rmtree(old)
    files = {
        "brought/plugin.py": BROUGHT.replace("WHAT", version),
        "brought/homeagent.toml": 'sdk = ">=0.1"\npermissions = []\n',
        "INFO/entry_points.txt": "[homeagent.plugins]\nbrought = brought.plugin:plugin\n",
    }
    with zipfile.ZipFile(wheel(site.parent / "wheels", "brought", version, **files)) as packed:
        packed.extractall(site)
    importlib.invalidate_caches()


@in_loop
async def test_an_installed_distribution_runs_in_an_environment_of_its_own(tmp_path: Path, site: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for version in ("1.0", "1.1"):  # the newer one takes the place of the older one
        put_distribution(site, version)
        (found,) = [each for each in found_plugins(home) if each.name == "brought"]
        assert found.source is not None
        assert found.description is not None
        assert found.description.version == version
        runtime = prepare_runtime(home, found.source, found.description, fetch=False)
        environment = home / "installed" / "brought" / "environment"
        names, prefix, file = (await looked(home, runtime, "brought", "brought_look")).rsplit(" ", 2)
        assert names == "['brought']"
        assert Path(prefix) == environment
        assert Path(file).is_relative_to(environment)
    assert "brought" not in sys.modules


def test_a_distribution_that_is_gone_is_named(tmp_path: Path, site: Path) -> None:
    put_distribution(site, "1.0")
    (found,) = [each for each in found_plugins(tmp_path) if each.name == "brought"]
    assert found.source is not None
    assert found.description is not None
    shutil.rmtree(site)
    site.mkdir()
    importlib.invalidate_caches()
    with pytest.raises(PluginError, match="distribution brought: it is not installed"):
        prepare_runtime(tmp_path / "home", found.source, found.description, fetch=False)
