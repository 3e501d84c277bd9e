"""Asking for help loads nothing heavy: no numbers, no words, no model, no network client."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = [
    "numpy",
    "rjieba",
    "onnxruntime",
    "onnx",
    "tokenizers",
    "openai",
    "turbovec",
    "Stemmer",
    "opencc",
    "sqlite3",
]
"""Each of these takes longer to import than the help takes to print."""

PROGRAM = """
import json, sys
from homeagent.cli import main
sys.argv = ["homeagent", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
print()
print(json.dumps(sorted(sys.modules)))
"""


def loaded_by(*words: str) -> set[str]:
    """Return the modules that are loaded when ``homeagent`` has run with these words."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("words", [("--help",), ("memory", "--help"), ("ask", "--help")])
def test_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    assert sorted(loaded_by(*words) & set(HEAVY)) == []


def test_the_check_sees_a_module_that_is_loaded() -> None:
    assert {"json", "homeagent.cli"} <= loaded_by("--help")
