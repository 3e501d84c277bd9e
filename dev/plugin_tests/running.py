"""One run of a plugin's tests in its environment: what there is, which are wanted, how each of them went."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dev.plugin_tests.environments import environment_of, pytest_links

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["MAIN", "InsideRun", "Outcome", "RunError"]

MAIN: Final = ("test_whole_run.py",)
"""The files of a plugin's tests that run in the main environment: there the agent is, and the plugin in its own."""

_SILENT_SECONDS: Final = 300
_SHOWN: Final = 4_000


class RunError(Exception):
    """The tests of a plugin could not be run, or ended before their time."""


@dataclass
class Outcome:
    """How one test went: ``passed``, ``failed``, ``skipped`` or ``xfailed``, and what is to be said of it."""

    outcome: str = "passed"
    text: str = ""
    sections: list[tuple[str, str]] = field(default_factory=list)

    def add(self, report: Mapping[str, object]) -> None:
        """Take in the report of one part: setup, call or teardown."""
        outcome = str(report["outcome"])
        if outcome == "passed" or self.outcome == "failed":
            return
        self.outcome, self.text = outcome, str(report["text"])
        sections = report.get("sections")
        if isinstance(sections, list):
            self.sections = [(str(title), str(text)) for title, text in sections]


class InsideRun:
    """The process that runs the tests of one plugin. It is started when something of it is first asked for."""

    def __init__(self, plugin: Path) -> None:
        self.plugin = plugin
        self.wanted: list[str] = []
        self._lines: Iterator[dict[str, object]] = iter(())
        self._process: subprocess.Popen[bytes] | None = None
        self._asks = -1
        self._log = Path()
        self._lines_of: dict[str, int] = {}
        self._broken: dict[str, str] = {}
        self._left_out: dict[str, str] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._begun = False

    def collected(self, file: Path) -> dict[str, int]:
        """Return the tests of a file, by what pytest calls them, each with its line.

        Raises `RunError` when the file can't be collected, and `PluginError` when there is no environment.
        """
        if self._process is None:
            self._start()
        name = file.relative_to(self.plugin).as_posix()
        if name in self._broken:
            raise RunError(self._broken[name])
        return {each: line for each, line in self._lines_of.items() if each.partition("::")[0] == name}

    def left_out(self, file: Path) -> str:
        """Return why a whole file is skipped; empty when it is not."""
        return self._left_out.get(file.relative_to(self.plugin).as_posix(), "")

    def outcome(self, test: str) -> Outcome:
        """Return how a test went; the first time runs all that are wanted, one after the other. Raises `RunError`."""
        if not self._begun:
            self._begun = True
            os.write(self._asks, json.dumps(self.wanted).encode() + b"\n")
        for line in self._lines:
            if line["kind"] != "report":
                continue
            self._outcomes.setdefault(str(line["id"]), Outcome()).add(line)
            if line["id"] == test and line["when"] == "teardown":
                return self._outcomes[test]
        raise RunError(f"the process of the tests ended before {test} was through:\n{self._printed()}")

    def close(self) -> None:
        """End the process; harmless when it has ended."""
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            os.close(self._asks)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._log.unlink(missing_ok=True)

    def _start(self) -> None:
        environment = environment_of(self.plugin)
        (hears, tells), (asked, asks) = os.pipe(), os.pipe()
        number, log = tempfile.mkstemp(prefix="plugin-tests-", suffix=".txt")
        self._log = Path(log)
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        inside = Path(__file__).with_name("inside.py")
        paths = (str(self.plugin), str(self.plugin / "tests"), str(pytest_links()))
        command = (environment.python, "-P", inside, str(tells), str(asked), self.plugin, ",".join(MAIN), *paths)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=number,
            stderr=number,
            pass_fds=(tells, asked),
            env=variables | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONUTF8": "1"},
            start_new_session=True,  # what the tests start is ended with them
        )
        for each in (tells, asked, number):
            os.close(each)
        self._asks = asks
        self._lines = _objects(hears)
        for line in self._lines:
            if line["kind"] == "collected":
                self._take(line["tests"])
                return
            where = self._broken if line["kind"] == "broken" else self._left_out
            where[str(line["id"])] = str(line["text"])
        raise RunError(f"the tests of {self.plugin.name} could not be collected:\n{self._printed()}")

    def _take(self, tests: object) -> None:
        for each in tests if isinstance(tests, list) else ():
            self._lines_of[each["id"]] = each["line"]

    def _printed(self) -> str:
        with contextlib.suppress(OSError):
            return self._log.read_text("utf-8", "replace")[-_SHOWN:]
        return ""


def _objects(descriptor: int) -> Iterator[dict[str, object]]:
    """Yield what comes as JSON, one object a line, until the end. Raises `RunError` after a long silence."""
    with open(descriptor, "rb", buffering=0) as stream:
        for line in _lines(stream.fileno()):
            yield json.loads(line)


def _lines(descriptor: int) -> Iterable[bytes]:
    rest = b""
    while True:
        if not select.select([descriptor], [], [], _SILENT_SECONDS)[0]:
            raise RunError(f"nothing was heard of the tests for {_SILENT_SECONDS} seconds")
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            return
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole
