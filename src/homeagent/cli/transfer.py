"""``homeagent memory import`` and ``export``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.cli.progress import shown
from homeagent.errors import InputError

if TYPE_CHECKING:
    from homeagent.cli.session import Session

__all__ = ["export_turns", "import_turns"]


def import_turns(session: Session) -> int:
    """Keep every turn of a file, or none of them, and make their vectors."""
    from homeagent.memory.transfer import import_file

    file: str = session.arguments.file
    with session.memory() as memory:
        with shown(session.terminal) as progress:
            report = import_file(memory, file, source=session.arguments.source, progress=progress)
        session.terminal.say("imported", kept=report.kept, known=report.known)
        if report.changed:
            session.terminal.say("import_changed", count=report.changed)
        for error in report.skipped.values():
            told = session.terminal.told
            session.terminal.say("import_skipped", where=told(error.where), problem=told(error.problem))
        pending = session.settle(memory, whole=True)
    plain = {"file": file, "kept": report.kept, "known": report.known, "changed": report.changed}
    plain |= {"skipped": [{"where": error.where, "problem": error.problem} for error in report.skipped.values()]}
    plain["pending"] = pending
    session.terminal.result(plain, ())
    return 0


def export_turns(session: Session) -> int:
    """Write every turn to a file, or to standard output."""
    from homeagent.memory.transfer import export_file, export_to

    terminal = session.terminal
    file: str = session.arguments.file
    if file == "-" and terminal.json:
        raise InputError("-", terminal.message("json_and_stdout"), terminal.message("json_and_stdout_next"))
    with session.memory() as memory:
        count = export_to(memory, sys.stdout.buffer) if file == "-" else export_file(memory, Path(file).expanduser())
    terminal.say("exported", count=count, file=file)
    terminal.say("export_lacks")
    terminal.result({"file": file, "turns": count}, ())
    return 0
