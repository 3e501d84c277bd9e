"""``bench plugins``: calls, restarts and reloads are measured, and what they leave behind is counted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench.cli import main
from bench.plugins import plugins_table

ROOT = Path(__file__).resolve().parents[2]


def test_calls_restarts_and_reloads_are_measured_and_nothing_is_left_behind() -> None:
    # In a process of its own: what other tests of this one left behind is not counted.
    command = [sys.executable, "-m", "bench", "plugins", "--json", "--calls", "20", "--kills", "1", "--reloads", "4"]
    report = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    here, there, restart = (report[name] for name in ("in_process_ms", "worker_ms", "restart_ms"))
    assert isinstance(here, dict)
    assert isinstance(there, dict)
    assert isinstance(restart, dict)
    assert 0 < here["p50"] <= here["p95"]
    assert 0 < there["p50"] <= there["p95"]
    assert restart["p50"] > 1000  # the pause before it is started again is part of it
    before, after = report["before"], report["after"]
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert before["processes"] == after["processes"] == 1
    assert before["descriptors"] == after["descriptors"]
    assert "worker_ms.p95" in plugins_table(report).replace(" ", "")


def test_the_command_prints_one_object(capsys) -> None:
    assert main(["plugins", "--json", "--calls", "5", "--kills", "0", "--reloads", "1"]) in (0, 1)
    report = json.loads(capsys.readouterr().out)
    assert report["reloads"] == 1
    assert report["restart_ms"] == {}
    assert set(report["growth"]) == {"processes", "descriptors", "memory_kib"}
