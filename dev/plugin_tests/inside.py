"""``python inside.py OUT IN PLUGIN PATH...``: run by the interpreter of a plugin's environment, on its tests.

Appends ``PATH...`` to the search path, collects the tests of the folder ``PLUGIN`` and writes to the descriptor ``OUT``
one JSON object a line: what was collected, then one for each report. Between the two it waits for a JSON list on the
descriptor ``IN``: the tests that are wanted. Imports nothing of the repository, which that environment does not have.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

__all__ = ["Reporter", "main"]

_NO_CACHE = ("-p", "no:cacheprovider")
"""Nothing is written into a plugin's folder: another test may be copying it."""
_OPTIONS = (
    "-q",
    "-p",
    "no:cacheprovider",
    "--strict-markers",
    "--import-mode=importlib",
    "--continue-on-collection-errors",
)


class Reporter:
    """A plugin of pytest that tells the process that started this one what happens."""

    def __init__(self, told: int, asked: int, ignored: Sequence[str]) -> None:
        self._told = open(told, "w", encoding="utf-8", buffering=1)  # noqa: SIM115 - a descriptor, until the end
        self._asked = open(asked, encoding="utf-8")  # noqa: SIM115
        self._ignored = frozenset(ignored)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave out what runs in the main environment."""
        return True if collection_path.name in self._ignored else None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Tell of a module that can't be imported."""
        if report.failed:
            self._tell(kind="broken", id=report.nodeid, text=report.longreprtext)
        elif report.skipped and report.nodeid:
            self._tell(kind="left_out", id=report.nodeid, text=_reason(report.longrepr))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Tell what was collected, and keep what is wanted of it."""
        found = [{"id": item.nodeid, "line": item.location[1] or 0} for item in items]
        self._tell(kind="collected", tests=found)
        wanted = json.loads(self._asked.readline() or "[]")
        items[:] = [item for item in items if item.nodeid in wanted]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell how one part of a test went."""
        text = _reason(report.longrepr) if report.skipped else report.longreprtext
        outcome = "xfailed" if report.skipped and hasattr(report, "wasxfail") else report.outcome
        parts = {"kind": "report", "id": report.nodeid, "when": report.when, "outcome": outcome, "text": text}
        self._tell(**parts, sections=[list(each) for each in report.sections] if report.failed else [])

    def _tell(self, **values: object) -> None:
        self._told.write(json.dumps(values) + "\n")


def _reason(told: object) -> str:
    return str(told[2]).removeprefix("Skipped: ") if isinstance(told, tuple) else str(told)


def main(arguments: Sequence[str]) -> int:
    """Run the program; return pytest's exit code."""
    told, asked, plugin, ignored, *paths = arguments
    sys.path += paths
    import pytest

    settings = Path(__file__).with_name("inside.toml")
    os.chdir(plugin)
    options = (*_OPTIONS, "-c", str(settings), "--rootdir", plugin, "--confcutdir", plugin)
    reporter = Reporter(int(told), int(asked), ignored.split(","))
    return int(pytest.main([*options, plugin], plugins=[reporter]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
