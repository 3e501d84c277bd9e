"""What a user installs: wheels built from here, in an environment without anything of ours or any tool, answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from dev.closure import closure, link_packages
from dev.ratchet import ROOT

pytestmark = pytest.mark.slow

TOLD = "我的猫叫豆包，怕打雷"
ASKED = "豆包怕什么？"


def run(*command: str | Path, **variables: str) -> str:
    """Run a command away from the repository; return what it printed on stdout."""
    clean = {
        name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    }
    done = subprocess.run(
        [str(word) for word in command], cwd="/", env=clean | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Both wheels, built from the sources."""
    folder = tmp_path_factory.mktemp("wheels")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT / "sdk", ROOT)
    return sorted(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def programs(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a fresh environment that holds the wheels and what they say they need, nothing else.

    What they need is linked from this environment, where the README's command has put the same by the same sentences.
    """
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python"
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    needed = [line for wheel in wheels for line in needs(wheel)]
    own = ("homeagent", "homeagent-sdk")
    link_packages([each for each in closure(needed) if each.name not in own], Path(packages))
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-compile", *wheels)
    return folder / "bin"


def needs(wheel: Path) -> list[str]:
    """Return what a wheel says it needs when it is installed without an extra."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        lines = message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])
    return [line for line in lines if "extra ==" not in line]


def test_each_wheel_holds_its_whole_package_and_nothing_else(wheels: list[Path]) -> None:
    for wheel, folder in zip(wheels, (ROOT / "src", ROOT / "sdk" / "src"), strict=True):
        inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
        sources = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert inside == {name for name in sources if "__pycache__" not in name and "egg-info" not in name}
        assert any(name.endswith("/py.typed") for name in inside)


def test_no_tool_of_ours_comes_with_it(programs: Path) -> None:
    listed = {
        each["name"].lower()
        for each in json.loads(
            run(sys.executable, "-m", "pip", "--python", programs / "python", "list", "--format=json")
        )
    }
    assert {"homeagent", "homeagent-sdk"} <= listed
    assert listed & {"hypothesis", "import-linter", "mypy", "pytest", "ruff"} == set()


def test_the_installed_program_remembers_and_answers(programs: Path, tmp_path: Path) -> None:
    homeagent, home, cache = programs / "homeagent", tmp_path / "home", str(tmp_path / "cache")
    run(homeagent, "--home", home, "ask", TOLD, HOMEAGENT_CACHE=cache)
    answer = run(homeagent, "--home", home, "ask", ASKED, HOMEAGENT_CACHE=cache)
    assert "打雷" in answer
    found = json.loads(run(homeagent, "--home", home, "memory", "search", ASKED, "--json", HOMEAGENT_CACHE=cache))
    assert TOLD in [hit["text"] for hit in found["hits"]]
    assert run(homeagent, "--home", home, "memory", "rebuild", "--verify", "--json", HOMEAGENT_CACHE=cache)
