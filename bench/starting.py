"""How long the command line takes: whole processes, against a Python that does nothing."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["starting_report", "starting_table"]

_RUNS: Final = 7
_ALLOWED_RATIO: Final = 10.0
_REMEMBERED: Final = (
    "The spare key is under the blue flower pot.",
    "My sister's birthday is on the ninth of May.",
    "我的猫叫豆包，怕打雷。",
    "周三下午四点去看牙医。",
)


def starting_report(program: Sequence[str] = ()) -> dict[str, object]:
    """Return medians of seven in milliseconds, and how many times longer ``--help`` takes than a bare Python.

    ``program`` is the command to measure, by default the installed one. Raises `BenchError` when it fails.
    """
    program = list(program) or _program()
    bare = _median([sys.executable, "-c", "pass"])
    shown = _median([*program, "--help"])
    with tempfile.TemporaryDirectory(prefix="homeagent-bench-") as folder:
        home = ["--home", str(Path(folder) / "home")]
        for words in _REMEMBERED:
            _run([*program, *home, "ask", words, "--json"])
        searched = _median([*program, *home, "memory", "search", "Where is the spare key?", "--json"])
    return {
        "runs": _RUNS,
        "python_pass_ms": round(bare, 1),
        "help_ms": round(shown, 1),
        "help_ratio": round(shown / bare, 2),
        "help_ratio_allowed": _ALLOWED_RATIO,
        "search_ms": round(searched, 1),
        "program": program,
    }


def starting_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{name:<20}{value}" for name, value in report.items())


def _program() -> list[str]:
    """Return the command of the installed program: the one beside this Python, else on the path, else the module."""
    beside = Path(sys.executable).with_name("homeagent")
    found = str(beside) if beside.is_file() else shutil.which("homeagent")
    return [found] if found else [sys.executable, "-m", "homeagent"]


def _median(command: Sequence[str]) -> float:
    """Return the median milliseconds of the whole process, after one run that warms the disk cache."""
    _run(command)
    return statistics.median(_run(command) for _ in range(_RUNS))


def _run(command: Sequence[str]) -> float:
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    milliseconds = 1000 * (time.perf_counter() - started)
    if done.returncode:
        raise BenchError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return milliseconds
