"""Nodes and hooks of pytest that show the tests of each plugin as if they ran here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dev.plugin_tests.environments import PLUGINS
from dev.plugin_tests.running import MAIN, InsideRun, Outcome, RunError
from homeagent.errors import HomeAgentError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "InsideFile",
    "InsideItem",
    "pytest_collection_finish",
    "pytest_pycollect_makemodule",
    "pytest_sessionfinish",
]

_RUNS: pytest.StashKey[dict[Path, InsideRun]] = pytest.StashKey()


class InsideFailedError(Exception):
    """A test failed inside; what pytest said there is shown here."""


class InsideFile(pytest.File):
    """A file of tests that runs in the environment of its plugin."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield its tests, asked of the process that will run them."""
        run = _run_of(self.config, self.path)
        try:
            tests = run.collected(self.path)
        except (RunError, HomeAgentError) as error:
            raise self.CollectError(str(error)) from error
        if reason := run.left_out(self.path):
            pytest.skip(reason)
        for test, line in tests.items():
            yield InsideItem.from_parent(self, name=test.partition("::")[2], test=test, line=line)


class InsideItem(pytest.Item):
    """One test that runs in the environment of its plugin."""

    def __init__(self, *, test: str, line: int, **node: object) -> None:
        super().__init__(**node)  # type: ignore[arg-type]  # pytest's own: name and parent
        self.test = test
        self.line = line

    def runtest(self) -> None:
        """Wait for how it went."""
        found = _run_of(self.config, self.path).outcome(self.test)
        match found:
            case Outcome("skipped", text):
                pytest.skip(text)
            case Outcome("xfailed", text):
                pytest.xfail(text)
            case Outcome("failed", text):
                for title, words in found.sections:
                    self.add_report_section("call", title, words)
                raise InsideFailedError(text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Return what was said inside."""
        if isinstance(excinfo.value, InsideFailedError | RunError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, style=style))  # type: ignore[arg-type]

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where it stands."""
        return self.path, self.line, self.name


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Hand the files of plugins' tests to their environments; those of whole runs stay here."""
    if module_path.name in MAIN or _plugin_of(module_path) is None:
        return None
    return InsideFile.from_parent(parent, path=module_path)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tell each run which of its tests are wanted; one of which none is wanted ends."""
    runs = session.config.stash.get(_RUNS, {})
    for run in runs.values():
        run.wanted = []
    for item in session.items:
        if isinstance(item, InsideItem):
            _run_of(session.config, item.path).wanted.append(item.test)
    for run in runs.values():
        if not run.wanted or session.config.option.collectonly:
            run.close()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End every process."""
    for run in session.config.stash.get(_RUNS, {}).values():
        run.close()


def _run_of(config: pytest.Config, path: Path) -> InsideRun:
    plugin = _plugin_of(path)
    if plugin is None:
        raise RunError(f"{path} belongs to no plugin")
    runs = config.stash.setdefault(_RUNS, {})
    return runs.setdefault(plugin, InsideRun(plugin))


def _plugin_of(path: Path) -> Path | None:
    parts = path.relative_to(PLUGINS).parts if path.is_relative_to(PLUGINS) else ()
    return PLUGINS / parts[0] if len(parts) > 1 else None
