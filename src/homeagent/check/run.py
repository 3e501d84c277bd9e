"""Running cases: keep the turns, do the steps, ask the questions, say for each check whether it holds."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent.check.case import SOURCE, read_case
from homeagent.check.checks import Checker
from homeagent.check.haystack import haystack
from homeagent.check.report import CaseResult, CheckResult, Report
from homeagent.errors import HomeAgentError, InputError
from homeagent.memory import Memory
from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from homeagent.check.case import Case, Step
    from homeagent.memory.embed import Embedder

__all__ = ["case_files", "run"]

_PAUSE: Final = timedelta(minutes=1)


def run(
    paths: Iterable[Path],
    *,
    embedder: Embedder,
    kinds: Sequence[str] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """Run the cases in files and folders, only those of ``kinds`` when any are given; return what came of each.

    A file that holds no well-formed case counts as a failed case, whatever its kind would have been. ``progress`` is
    told (name, done, still to do). Raises `InputError` for a path that is not there.
    """
    found = case_files(paths)
    results: list[CaseResult] = []
    for number, path in enumerate(found):
        result = _case_result(path, embedder, kinds)
        if result is not None:
            results.append(result)
        if progress is not None:
            progress(path.stem, number + 1, len(found) - number - 1)
    return Report(tuple(results))


def case_files(paths: Iterable[Path]) -> list[Path]:
    """Return the case files that ``paths`` name: files as they are, of folders every ``*.json`` in order."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(path.glob("*.json"))
        elif path.exists():
            found.append(path)
        else:
            raise InputError(str(path), "is not there", "Name a case file, or a folder of them")
    return found


def _case_result(path: Path, embedder: Embedder, kinds: Sequence[str]) -> CaseResult | None:
    """Return what a case gave, None when it is of another kind than those wanted."""
    try:
        case = read_case(path)
    except InputError as error:
        return CaseResult(path.stem, str(path), "", (CheckResult("form", passed=False, why=str(error)),))
    if kinds and case.kind not in kinds:
        return None
    return CaseResult(case.name, str(path), case.kind, tuple(_checked(case, embedder)))


def _checked(case: Case, embedder: Embedder) -> list[CheckResult]:
    found: list[CheckResult] = []
    try:
        with (
            tempfile.TemporaryDirectory(prefix="homeagent-check-") as folder,
            Memory.open(Path(folder) / "home", embedder=embedder) as memory,
        ):
            before, after = haystack(case)
            _prepare(memory, case)
            for turn in (*before, *case.turns, *after):
                memory.keep(turn)
            memory.settle()
            for step in case.steps:
                missing = _done(memory, step)
                if missing:
                    found.append(CheckResult(step.kind, passed=False, why=missing))
            memory.settle()
            times = [turn.at for turn in (*before, *case.turns, *after) if turn.at is not None]
            checker = Checker(memory, case, max(times) + _PAUSE if times else None)
            found += [checker.result(check) for check in case.checks]
    except (HomeAgentError, SdkError, OSError) as error:
        found.append(CheckResult("run", passed=False, why=f"{type(error).__name__}: {error}"))
    return found


def _prepare(memory: Memory, case: Case) -> None:
    """Declare the case's policies, and say who is the same person in several channels."""
    if case.policies:
        memory.declare_policies(case.policies)
    channels: dict[str, set[str]] = {}
    for turn in case.turns:
        channels.setdefault(turn.sender, set()).add(turn.place.channel)
    for person, places in channels.items():
        if len(places) > 1:
            for channel in sorted(places):
                memory.link(channel, person, person)


def _done(memory: Memory, step: Step) -> str:
    """Do a step; return why it can't be done, or nothing."""
    match step.kind:
        case "set_policy":
            memory.set_policies(step.policies or {})
        case "archive":
            memory.archive()
        case "rebuild":
            memory.rebuild()
        case "remove_tool":
            memory.remove_tool(step.name)
        case "rename_tool":
            memory.rename_tool(step.name, step.to)
        case "forget":
            memory.forget(step.name, source=SOURCE)
        case "erase":
            memory.erase(step.name, source=SOURCE)
        case _:
            action: Callable[[], object] | None = getattr(memory, step.kind, None)
            if action is None:
                return f"needs {step.kind}, which this version does not have"
            action()
    return ""
