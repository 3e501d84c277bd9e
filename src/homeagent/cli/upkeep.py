"""``homeagent memory stats``, ``archive``, ``rebuild`` and ``backup``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.cli.progress import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory.rebuild import RebuildReport

__all__ = ["archive", "backup", "rebuild", "stats"]


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
            "files": {path.name: path.stat().st_size for path in sorted(session.home.root.iterdir()) if path.is_file()},
        }
    session.terminal.result(plain, _flat(plain))
    return 0


def _flat(plain: dict[str, object]) -> Iterator[str]:
    for key, value in plain.items():
        if isinstance(value, dict):
            for name, number in value.items():
                yield f"{key}.{name}: {number}"
        else:
            yield f"{key}: {value}"


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
    """Write a consistent copy of the log to a new file."""
    target = Path(session.arguments.file).expanduser()
    with session.memory() as memory:
        memory.backup(target)
    size = target.stat().st_size
    plain = {"file": str(target), "bytes": size}
    session.terminal.result(plain, [session.terminal.message("backed_up", bytes=size, file=target)])
    return 0
