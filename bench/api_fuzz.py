"""Every operation of a running server's OpenAPI description, with what fits it and what does not (schemathesis).

What is counted: answers of 500 and above, by the server's own log, and answers that are not as they are described
(status, media type, headers, body). Schemathesis is an extra: ``pip install 'homeagent[fuzz]'``.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from bench.errors import BenchError
from bench.load_model import TimedModel
from bench.progress import say
from dev.ratchet import ROOT
from dev.served import Served, plain_environment

__all__ = ["FuzzPlan", "fuzz_report", "fuzz_table"]

_SETTINGS: Final = '[memory]\nembedder = "none"\n[models.timed]\nbase_url = "{url}"\nmodel = "timed"\n'
_CHECKS: Final = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)


@dataclass(frozen=True, slots=True)
class FuzzPlan:
    """How many requests are drawn for each operation besides those that its schema suggests, and the seed of it all."""

    examples: int = 10
    seed: int = 1
    only: str = ""


class _Operations(msgspec.Struct):
    total: int
    tested: int


class _Cases(msgspec.Struct):
    generated: int


class _Failure(msgspec.Struct):
    title: str
    count: int
    operations: list[str]


class _Error(msgspec.Struct):
    title: str
    count: int


class _Result(msgspec.Struct):
    """What is read of schemathesis' report."""

    operations: _Operations
    test_cases: _Cases
    failures: list[_Failure]
    errors: list[_Error]
    complete: bool


def fuzz_report(plan: FuzzPlan) -> dict[str, object]:
    """Fuzz a server of its own and return what came of it; ``ok`` says whether all of it is as it should be."""
    if importlib.util.find_spec("schemathesis") is None:
        raise BenchError("schemathesis is not installed: pip install 'homeagent[fuzz]'")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bench-fuzz-") as name, TimedModel(0.0) as model:
        folder = Path(name)
        home = folder / "home"
        home.mkdir(mode=0o700)
        (home / "config.toml").write_text(_SETTINGS.format(url=model.url))
        with Served(home) as served:
            say("every operation, with what fits it and what does not")
            result = _run(served, plan, folder, model.url)
        statuses = Counter(f"{int(str(line['status'])) // 100}xx" for line in served.logged() if "status" in line)
        unforeseen = [line["message"] for line in served.logged() if line["level"] in ("error", "critical")]
    report: dict[str, object] = {
        "operations": result.operations.total,
        "tested": result.operations.tested,
        "cases": result.test_cases.generated,
        "statuses": dict(sorted(statuses.items())),
        "server_errors": statuses["5xx"] + len(unforeseen),
        "schema_breaks": sum(each.count for each in result.failures),
        "failures": [{"title": each.title, "operations": each.operations} for each in result.failures],
        "errors": [each.title for each in result.errors],
        "seconds": round(time.monotonic() - began, 1),
    }
    wrong = report["server_errors"], report["schema_breaks"], report["errors"]
    report["ok"] = not any(wrong) and result.complete and result.operations.tested > 0
    return report


def fuzz_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{name:<16}{value}" for name, value in report.items())


def _run(served: Served, plan: FuzzPlan, folder: Path, model: str) -> _Result:
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/openapi.json",
        "--header", f"Authorization: Bearer {served.token}",
        "--checks", ",".join(_CHECKS), "--phases", "examples,coverage,fuzzing",
        "--max-examples", str(plan.examples), "--seed", str(plan.seed), "--continue-on-failure", "--no-color",
        "--report", "json", "--report-dir", str(folder),
    ]  # fmt: skip
    command += ["--include-path-regex", plan.only] if plan.only else []
    environment = plain_environment(SCHEMATHESIS_HOOKS="bench.fuzz_hooks", BENCH_MODEL=model)
    environment["PYTHONPATH"] = os.pathsep.join((str(ROOT), environment["PYTHONPATH"]))
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    reports = list(folder.glob("*.json"))
    if not reports:
        raise BenchError(f"schemathesis wrote no report: {(done.stderr or done.stdout)[-2000:]}")
    say(done.stdout if done.returncode else "nothing was found")
    return msgspec.json.decode(reports[0].read_bytes(), type=_Result)
