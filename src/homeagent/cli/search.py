"""``homeagent memory search``: what is remembered about something."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from homeagent.cli.hits import hit_lines, hit_object
from homeagent.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory import Recall, Viewer

__all__ = ["moment_of", "search", "viewer_of"]


def search(session: Session) -> int:
    """Search the memory and print the hits; the owner's view of everything unless ``--as`` names a person."""
    terminal, arguments = session.terminal, session.arguments
    limit: int = arguments.limit if arguments.limit is not None else session.config.memory.recall_limit
    if limit < 1:
        raise InputError("--limit", terminal.message("too_few"), "--limit 5")
    at = moment_of(session)
    with session.memory() as memory:
        session.greet(memory)
        session.settle(memory, whole=arguments.wait)
        found = memory.recall(" ".join(arguments.text), viewer=viewer_of(session), at=at, limit=limit)
    plain = {
        "hits": [hit_object(hit) for hit in found.hits],
        "answerable": float(found.answerable),
        "nothing": bool(found.nothing),
        "pending": found.pending,
    }
    terminal.result(plain, _lines(found, terminal))
    if found.pending:
        terminal.say("pending", count=found.pending)
    return 0


def _lines(found: Recall, terminal: Terminal) -> Iterator[str]:
    if not found.hits:
        yield terminal.message("no_hits")
    elif found.nothing:
        yield terminal.message("doubtful")
    for number, hit in enumerate(found.hits, 1):
        yield from hit_lines(number, hit, terminal)


def moment_of(session: Session) -> datetime:
    """Return the moment that ``--at`` names, now without it. Raises `InputError`."""
    text: str | None = session.arguments.at
    if text is None:
        return session.now()
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        terminal = session.terminal
        problem = terminal.message("bad_time", text=repr(text))
        raise InputError("--at", problem, terminal.message("bad_time_next")) from error
    return at if at.tzinfo is not None else at.astimezone()


def viewer_of(session: Session) -> Viewer | None:
    """Return the person that ``--as`` names, in ``--channel`` and ``--chat``; None, who sees everything, without."""
    from homeagent.memory import Place, Viewer

    arguments = session.arguments
    if arguments.person is None:
        return None
    return Viewer(arguments.person, Place(arguments.channel, arguments.chat))
