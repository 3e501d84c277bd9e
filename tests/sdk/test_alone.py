"""The SDK alone: in an environment with its wheel and pytest, and nothing else, a plugin is written, checked, tested."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from dev.ratchet import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path) -> str:
    clean = {
        name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    }
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_a_plugin_is_written_checked_and_tested_with_the_sdk_and_pytest_alone(tmp_path: Path) -> None:
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, ROOT / "sdk", cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    run(sys.executable, "-m", "venv", tmp_path / "alone", cwd=tmp_path)
    python = tmp_path / "alone" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel, "pytest", cwd=tmp_path)
    listed = run(python, "-m", "pip", "list", "--format=freeze", cwd=tmp_path)
    names = {line.partition("==")[0].lower() for line in listed.splitlines()}
    assert "homeagent" not in names
    assert {"homeagent-sdk", "pytest"} <= names
    run(python, "-m", "homeagent_sdk", "new", "weather2", cwd=tmp_path)
    assert "weather2 0.1.0 is in order" in run(python, "-m", "homeagent_sdk", "check", "weather2", cwd=tmp_path)
    assert "3 passed" in run(python, "-m", "pytest", "-q", cwd=tmp_path / "weather2")


def test_new_and_check_import_nothing_but_the_standard_library(tmp_path: Path) -> None:
    names = "{name.partition('.')[0] for name in sys.modules}"
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import homeagent_sdk.__main__, homeagent_sdk.declaring\n"
        f"print(sorted({names} - set(sys.stdlib_module_names) - {{name.partition('.')[0] for name in before}}))\n"
    )
    assert run_here(program, tmp_path) == "['homeagent_sdk']"


def run_here(program: str, cwd: Path) -> str:
    command = [sys.executable, "-c", program]
    env = os.environ | {"PYTHONPATH": str(ROOT / "sdk" / "src")}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
