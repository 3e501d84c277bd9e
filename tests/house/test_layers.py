"""Who may import whom: the contracts of pyproject.toml hold, and each of them can fail."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

from dev.ratchet import ROOT, Module, modules

if TYPE_CHECKING:
    from pathlib import Path

FORBIDDEN = {
    "layers": ("src/homeagent/memory/turn.py", "from homeagent.cli import main"),
    "sdk-alone": ("sdk/src/homeagent_sdk/ansi.py", "import homeagent.paths"),
    "door-mint": ("src/homeagent/memory/policy/book.py", "from homeagent.memory.door.mint import admit"),
    "consumers-see-no-raw": ("src/homeagent/memory/text/fold.py", "from homeagent.memory.store.sqlite import log"),
    "sql-in-the-store": ("src/homeagent/memory/passages.py", "import sqlite3"),
}
"""For each contract an import that it forbids, and the module to write it into."""


def linted(root: Path) -> tuple[int, str]:
    """Run import-linter on the code below ``root``; return its exit code and what it printed."""
    paths = os.pathsep.join(str(root / folder) for folder in ("src", "sdk/src"))
    program = (
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=root,
        env=os.environ | {"PYTHONPATH": paths, "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def contracts() -> dict[str, str]:
    """Return the name of each contract by its id."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return {each["id"]: each["name"] for each in settings["tool"]["importlinter"]["contracts"]}


def foreign(module: Module, *allowed: str) -> list[str]:
    """Return what a module imports that is neither of the standard library nor in one of the allowed packages."""
    found: list[str] = []
    for node in module.nodes():
        match node:
            case ast.Import(names=aliases):
                found += [alias.name for alias in aliases]
            case ast.ImportFrom(module=str(name), level=0):
                found.append(name)
    known = {*sys.stdlib_module_names, *allowed}
    return [name for name in found if not any(name == each or name.startswith(f"{each}.") for each in known)]


def test_every_import_contract_is_kept() -> None:
    code, printed = linted(ROOT)
    assert code == 0, printed


def test_each_contract_is_broken_by_an_import_that_it_forbids(tmp_path: Path) -> None:
    for folder in ("src", "sdk"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path, line in FORBIDDEN.values():
        target = tmp_path / path
        target.write_text(f"{target.read_text('utf-8')}\n{line}\n", "utf-8")
    _, printed = linted(tmp_path)
    broken = {name for name in contracts() if re.search(re.escape(contracts()[name]) + r"\s+BROKEN", printed)}
    assert broken == set(FORBIDDEN) == set(contracts()), printed


def test_the_sdk_imports_only_the_standard_library() -> None:
    code = modules("sdk/src")
    assert code
    assert {module.name: names for module in code if (names := foreign(module, "homeagent_sdk"))} == {}


def test_built_in_plugins_import_only_the_sdk() -> None:
    allowed = ("homeagent_sdk", "homeagent.builtin")
    code = modules("src/homeagent/builtin")
    assert {module.name: names for module in code if (names := foreign(module, *allowed))} == {}


def test_an_import_from_elsewhere_is_found() -> None:
    source = "import os.path\nimport numpy as np\nfrom homeagent.memory import Memory\nfrom homeagent_sdk import tool\n"
    assert foreign(Module("sample.py", source), "homeagent_sdk") == ["numpy", "homeagent.memory"]
