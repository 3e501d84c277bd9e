"""``homeagent memory stats``, ``archive``, ``rebuild``, ``backup`` and ``restore``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.cli.progress import shown
from homeagent.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory.rebuild import RebuildReport

__all__ = ["archive", "backup", "rebuild", "restore", "stats"]


def stats(session: Session) -> int:
    """Print how much is kept, the raw digest, what is pending, and the sizes of the files in bytes."""
    with session.memory() as memory:
        session.greet(memory)
        plain: dict[str, object] = {
            "home": str(session.home.root),
            "raw_digest": memory.digest(),
            "counts": memory.counts(),
            "pending": memory.pending(),
            "embedder": memory.embedder.model_id,
            "room": memory.retention.room(),
            "files": {path.name: path.stat().st_size for path in sorted(session.home.root.iterdir()) if path.is_file()},
        }
    session.terminal.result(plain, _flat(plain))
    return 0


def _flat(plain: dict[str, object], before: str = "") -> Iterator[str]:
    for key, value in plain.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}: {value}"


def archive(session: Session) -> int:
    """Put every finished turn that is in no document yet into one, a document a chat."""
    with session.memory() as memory:
        documents = memory.archive()
    plain = {"documents": [{"document": each.document, "turns": len(each.turns)} for each in documents]}
    say = session.terminal.message
    lines = [say("archived_one", document=each.document, turns=len(each.turns)) for each in documents]
    session.terminal.result(plain, [say("archived", count=len(documents)), *lines])
    return 0


def rebuild(session: Session) -> int:
    """Derive everything again; with ``--verify`` only compare, and leave with 1 when it differs."""
    verify: bool = session.arguments.verify
    with session.memory() as memory, shown(session.terminal) as progress:
        report = memory.rebuild(verify=verify, progress=lambda step, done, left: progress(step, done, done + left))
    plain = {
        "equal": report.equal,
        "rows": report.rows,
        "differences": list(report.differences),
        "recomputed": report.recomputed,
    }
    session.terminal.result(plain, _rebuilt(report, session.terminal))
    return 1 if verify and not report.equal else 0


def _rebuilt(report: RebuildReport, terminal: Terminal) -> Iterator[str]:
    match report.equal:
        case None:
            yield terminal.message("rebuilt")
        case True:
            yield terminal.message("equal")
        case False:
            yield terminal.message("unequal")
            yield from report.differences
    for table, count in report.rows.items():
        yield terminal.message("rows", table=table, count=count)


def backup(session: Session) -> int:
    """Write a consistent copy of the log to a new file, or set the rule by which copies are made in the home."""
    arguments, say = session.arguments, session.terminal.message
    if arguments.off or arguments.every is not None:
        return _backup_rule(session)
    if arguments.file is None:
        raise InputError("memory backup", say("backup_nothing"), say("backup_nothing_next"))
    target = Path(arguments.file).expanduser()
    with session.memory() as memory:
        memory.backup(target)
    size = target.stat().st_size
    plain = {"file": str(target), "bytes": size}
    session.terminal.result(plain, [say("backed_up", bytes=size, file=target)])
    return 0


def _backup_rule(session: Session) -> int:
    from homeagent.memory.upkeep.backups import BackupRule

    arguments, say = session.arguments, session.terminal.message
    rule = None if arguments.off else BackupRule(arguments.every, arguments.keep)
    with session.memory() as memory:
        memory.backups.set_rule(rule)
        memory.backups.make_due()
        made = [str(path) for path in memory.backups.made()]
    line = (
        say("backup_rule_off")
        if rule is None
        else say("backup_rule", hours=f"{rule.hours:g}", keep=rule.keep, folder=session.home.backups)
    )
    shown = None if rule is None else {"hours": rule.hours, "keep": rule.keep}
    session.terminal.result({"rule": shown, "backups": made}, [line, *made])
    return 0


def restore(session: Session) -> int:
    """Put a backup in the place of this home's log; what is here is kept as a copy, everything is derived again."""
    from homeagent.memory.upkeep.restoring import restore as restored

    arguments, say = session.arguments, session.terminal.message
    done = restored(session.home, Path(arguments.file).expanduser(), replace=arguments.yes)
    with session.memory():  # derives everything again
        pass
    plain = {
        "file": str(arguments.file),
        "turns": done.turns,
        "erased_again": done.erased,
        "aside": str(done.aside) if done.aside is not None else None,
    }
    lines = [say("restored", turns=done.turns, file=arguments.file)]
    if done.erased:
        lines.append(say("restored_erased", count=done.erased))
    if done.aside is not None:
        lines.append(say("restored_aside", file=done.aside))
    session.terminal.result(plain, lines)
    return 0
