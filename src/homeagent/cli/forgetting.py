"""``homeagent memory forget``, ``undo`` and ``erase``: take turns back, for now or for good."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from homeagent.cli.hits import time_text
from homeagent.errors import InputError
from homeagent.masking import masked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory import Memory
    from homeagent.memory.erasing.forgetting import Erased
    from homeagent.memory.erasing.survivors import Survivor
    from homeagent.memory.erasing.targets import Chosen, Target
    from homeagent.memory.store.records import TurnRow

__all__ = ["erase", "forget", "undo"]

_SHOWN: Final = 20
_WIDTH: Final = 60


def forget(session: Session) -> int:
    """Hide turns from computation and recall; print which, and what says the same and stays."""
    target = _target(session)
    with session.memory() as memory:
        chosen = memory.forgetting.forget(target)
        left = memory.forgetting.survivors(chosen)
        say = session.terminal.message
        lines = [*_turn_lines(memory, chosen, session.terminal), say("forgotten", count=len(chosen.turns))]
    plain = {
        "forgotten": _names(chosen.turns),
        "writes": len(chosen.writes),
        "survivors": _survivor_objects(left),
    }
    session.terminal.result(plain, [*lines, *_survivor_lines(left, session.terminal)])
    return 0


def undo(session: Session) -> int:
    """Bring forgotten turns back; print which."""
    with session.memory() as memory:
        chosen = memory.forgetting.undo(_target(session))
        lines = [*_turn_lines(memory, chosen, session.terminal)]
    say = session.terminal.message
    plain = {"restored": _names(chosen.turns), "writes": len(chosen.writes)}
    session.terminal.result(plain, [*lines, say("brought_back", count=len(chosen.turns))])
    return 0


def erase(session: Session) -> int:
    """Delete turns for good: list them, ask unless ``--yes``, delete, and with ``--prove`` scan every file."""
    terminal, arguments = session.terminal, session.arguments
    with session.memory() as memory:
        chosen = memory.forgetting.chosen(_target(session))
        left = memory.forgetting.survivors(chosen)
        if not arguments.yes and not _confirmed(memory, chosen, left, terminal):
            terminal.result({"erased": []}, [terminal.message("erase_not")])
            return 0
        done = memory.forgetting.erase(chosen, prove=arguments.prove)
    terminal.result(_erased_object(chosen, left, done), _erased_lines(chosen, left, done, terminal))
    return 1 if done.proof is not None and done.proof.found else 0


def _confirmed(memory: Memory, chosen: Chosen, left: list[Survivor], terminal: Terminal) -> bool:
    if terminal.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        problem = terminal.message("erase_needs_yes", count=len(chosen.turns))
        raise InputError("memory erase", problem, terminal.message("erase_needs_yes_next"))
    terminal.say("would_erase")
    for line in (*_turn_lines(memory, chosen, terminal), *_survivor_lines(left, terminal)):
        terminal.note(line)
    sys.stderr.write(terminal.message("erase_ask"))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("yes", "是", "确定")


def _target(session: Session) -> Target:
    from homeagent.memory.erasing.targets import Target

    arguments = session.arguments
    return Target(
        turns=tuple(arguments.turns),
        source=arguments.source,
        fact=arguments.fact or "",
        person=arguments.person or "",
        since=_moment(session, "--from", arguments.since),
        until=_moment(session, "--to", arguments.until, end=True),
        text=arguments.search or "",
    )


def _moment(session: Session, option: str, text: str | None, *, end: bool = False) -> datetime | None:
    """Return the moment that an option names; a day without a time is its beginning, or its ``end``."""
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        problem = session.terminal.message("bad_time", text=repr(text))
        raise InputError(option, problem, session.terminal.message("bad_time_next")) from error
    if end and len(text) <= len("2026-05-03"):
        at += timedelta(days=1)
    return at if at.tzinfo is not None else at.astimezone()


def _names(rows: Iterable[TurnRow]) -> list[dict[str, object]]:
    return [{"turn": row.turn_id, "source": row.source, "external_id": row.external_id} for row in rows]


def _survivor_objects(left: Iterable[Survivor]) -> list[dict[str, object]]:
    return [
        {
            "kind": each.kind,
            "turn": each.turn,
            "external_id": each.external_id,
            "segment": each.segment,
            "why": each.why,
        }
        for each in left
    ]


def _erased_object(chosen: Chosen, left: list[Survivor], done: Erased) -> dict[str, object]:
    plain: dict[str, object] = {
        "erased": _names(chosen.turns),
        "writes": done.writes,
        "copies": done.copies,
        "survivors": _survivor_objects(left),
    }
    if done.proof is not None:
        plain |= {
            "found": done.proof.found,
            "where": list(done.proof.where),
            "own_files": list(done.proof.own_files),
            "scanned": {"files": done.proof.files, "bytes": done.proof.size},
        }
    return plain


def _erased_lines(chosen: Chosen, left: list[Survivor], done: Erased, terminal: Terminal) -> Iterator[str]:
    say = terminal.message
    yield say("erased", turns=len(done.turns), names=", ".join(row.external_id or row.turn_id for row in chosen.turns))
    if done.copies:
        yield say("erased_copies", copies=done.copies)
    yield from _survivor_lines(left, terminal)
    if done.proof is not None:
        yield say("proved", files=done.proof.files, bytes=done.proof.size, found=done.proof.found)
        yield from (say("proof_where", place=place) for place in done.proof.where)
        yield from (say("proof_own", file=file) for file in done.proof.own_files)
    yield say("erased_outside")


def _turn_lines(memory: Memory, chosen: Chosen, terminal: Terminal) -> Iterator[str]:
    for row in chosen.turns[:_SHOWN]:
        words = " / ".join(each.segment.text for each in memory.segments(row))
        yield terminal.message(
            "turn_line",
            turn=row.external_id or row.turn_id,
            at=time_text(row.at.datetime() if row.at is not None else None, terminal),
            sender=row.sender,
            channel=row.place.channel,
            chat=row.place.chat,
            text=masked(" ".join(words[: 4 * _WIDTH].split()))[:_WIDTH],
        )
    if len(chosen.turns) > _SHOWN:
        yield terminal.message("and_more", count=len(chosen.turns) - _SHOWN)
    for written in chosen.writes:
        yield terminal.message("write_line", kind=written.kind, seq=written.seq)


def _survivor_lines(left: list[Survivor], terminal: Terminal) -> Iterator[str]:
    say = terminal.message
    if left:
        yield say("survivors")
    for each in left[:_SHOWN]:
        name = each.external_id or each.turn
        segment = "-" if each.segment is None else each.segment
        if each.kind == "twin":
            yield say("survivor_twin", name=name, segment=segment)
        else:
            why = say("why_cites") if each.why == "cites it" else say("why_quotes")
            yield say("survivor_echo", why=why, name=name, segment=segment)
    if len(left) > _SHOWN:
        yield say("and_more", count=len(left) - _SHOWN)
