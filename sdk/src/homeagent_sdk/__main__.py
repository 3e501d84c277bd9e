"""``python -m homeagent_sdk new NAME`` and ``check PATH...``: write a plugin and check it, without HomeAgent."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from homeagent_sdk.checking import check_plugin
from homeagent_sdk.errors import SdkError
from homeagent_sdk.template import write_new

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from homeagent_sdk.checking import CheckReport

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: 0, 1 when something is wrong, 2 for a wrong command line."""
    parser = argparse.ArgumentParser(
        "python -m homeagent_sdk", description="Write a plugin for HomeAgent, and check it."
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    new = commands.add_parser("new", help="write a small plugin that works, with a test")
    new.add_argument("name", metavar="NAME", help="small letters, digits, _ and -")
    check = commands.add_parser("check", help="say what is wrong with plugins; their code is loaded, in this Python")
    check.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="the file or folder of a plugin")
    check.add_argument("--json", action="store_true", help="write one JSON object")
    given = parser.parse_args(arguments)
    try:
        if given.command == "new":
            return _new(given.name)
        return _check(given.paths, as_json=given.json)
    except SdkError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _new(name: str) -> int:
    for file in write_new(name, Path(name)):
        sys.stdout.write(f"Written: {file}\n")
    return 0


def _check(paths: Sequence[Path], *, as_json: bool) -> int:
    reports = {str(path): check_plugin(path) for path in paths}
    ok = all(report.ok for report in reports.values())
    if as_json:
        plain = [{"path": path, **report.as_plain()} for path, report in reports.items()]
        sys.stdout.write(json.dumps({"ok": ok, "plugins": plain}, ensure_ascii=False) + "\n")
    else:
        for path, report in reports.items():
            sys.stdout.writelines(f"{line}\n" for line in _lines(path, report))
    return 0 if ok else 1


def _lines(path: str, report: CheckReport) -> Iterator[str]:
    for each in report.problems:
        yield f"{path}: {each.field}: {each.reason}"
        if each.hint:
            yield f"  {each.hint}"
    for each in report.hints:
        yield f"{path}: hint: {each.field}: {each.reason}. {each.hint}"
    if report.trace:
        yield report.trace.rstrip()
    if report.ok:
        yield f"{path}: {report.name} {report.version} is in order; tools: {len(report.tools)}"


if __name__ == "__main__":
    sys.exit(main())
