"""A plugin checked where it would run: in an environment of its own, held to its permissions."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.errors import HomeAgentError
from homeagent.plugins.environment import prepare_runtime
from homeagent.plugins.installing import put_in
from homeagent.plugins.registry import shared_names
from homeagent_sdk.checking import CheckReport, check_plugin
from homeagent_sdk.errors import DeclarationError, Problem
from homeagent_sdk.manifest_source import find_source
from homeagent_sdk.trying import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent_sdk.checking import Checked

__all__ = ["checked"]


def checked(path: Path, cache: Path, taken: Mapping[str, str]) -> CheckReport:
    """Return what is wrong with the plugin in a file or folder. A copy of it is run, in a process that can be killed.

    Environments with packages in them are kept in ``cache``; what else is made is deleted. ``taken`` are the names that
    its tools can't have, each with the plugin whose tool it is.
    """
    with tempfile.TemporaryDirectory(prefix="homeagent-check-") as folder:
        root = Path(folder)

        def placed(found: Checked) -> tuple[Place, Path]:
            source, told = found
            where = cache if told.dependencies else root
            try:
                code = put_in(where, source, told)
                copy = find_source(code)
                runtime = prepare_runtime(where, copy, told, fetch=True)
            except HomeAgentError as error:
                raise DeclarationError(error.where, error.problem, error.next_step) from error
            if source.path.is_file():
                copies.append((str(code / f"{told.module}.py"), str(source.path)))
                _bring_samples(source.path.parent, code)
            copies.append((str(code), str(source.path.parent if source.path.is_file() else source.path)))
            return Place(runtime.python, runtime.variables, runtime.cleaning), code

        copies: list[tuple[str, str]] = []
        report = check_plugin(path, placed)
        shared = tuple(shared_names((name for name, _ in report.tools), report.name, taken))
        report = replace(report, problems=(*report.problems, *shared))
    return _told_of(report, copies)


def _bring_samples(here: Path, there: Path) -> None:
    """Copy the recorded outputs that lie beside a plugin of one file."""
    for name in ("samples", "tests/samples"):
        for path in (here / name).glob("*.txt"):
            (there / name).mkdir(parents=True, exist_ok=True)
            (there / name / path.name).write_bytes(path.read_bytes())


def _told_of(report: CheckReport, copies: list[tuple[str, str]]) -> CheckReport:
    """Return a report that speaks of the files that were checked, not of their copies."""

    def mended(text: str) -> str:
        for copy, path in copies:
            text = text.replace(copy, path)
        return text

    problems, hints = (
        tuple(Problem(*map(mended, each)) for each in found) for found in (report.problems, report.hints)
    )
    return replace(report, where=mended(report.where), problems=problems, hints=hints, trace=mended(report.trace))
