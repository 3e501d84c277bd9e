"""``homeagent check``: run cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.cli.progress import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.check import Report
    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal

__all__ = ["check"]


def check(session: Session) -> int:
    """Run the cases in files and folders; leave with 0 only when there were some and all passed."""
    from homeagent.check import run

    arguments = session.arguments
    with shown(session.terminal) as progress:
        report = run(
            [Path(path) for path in arguments.paths],
            embedder=session.embedder(),
            kinds=arguments.kind,
            progress=lambda _name, done, left: progress("cases", done, done + left),
        )
    session.terminal.result(report.plain(), ())
    if not session.terminal.json:
        for line in _lines(report, session.terminal):
            session.terminal.note(line)
    return 0 if report.passed else 1


def _lines(report: Report, terminal: Terminal) -> Iterator[str]:
    for case in report.cases:
        yield f"{'+' if case.passed else '-'} {Path(case.file).stem} [{case.kind}]"
        for one in case.checks:
            if not one.passed:
                yield f"    {one.check}: {one.why}"
    good = sum(case.passed for case in report.cases)
    yield terminal.message("cases_passed", passed=good, failed=len(report.cases) - good)
