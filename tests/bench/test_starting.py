"""Measuring how long whole processes take."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench.errors import BenchError
from bench.starting import starting_report


def test_a_program_that_does_nothing_takes_as_long_as_python() -> None:
    report = starting_report([sys.executable, "-c", "pass"])
    assert 0.3 < report["help_ratio"] < 3
    assert (report["runs"], report["help_ratio_allowed"]) == (7, 10)
    assert {"python_pass_ms", "help_ms", "search_ms", "program"} <= set(report)


def test_a_program_that_fails_is_a_sentence_with_what_it_said() -> None:
    with pytest.raises(BenchError, match="ended with 3: broken"):
        starting_report([sys.executable, "-c", "import sys; print('broken', file=sys.stderr); sys.exit(3)"])


def test_the_help_of_the_bench_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from bench.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'onnxruntime', 'rjieba', 'msgspec', 'homeagent.memory'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for command in ("import", "recall", "noise", "abstain", "crash", "cli"):
        assert command in done.stdout
