"""``homeagent memory documents`` and ``document``: what was archived, in short and whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.cli.facts import read_all
from homeagent.cli.search import viewer_of
from homeagent.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory import Document

__all__ = ["listed", "shown"]


def listed(session: Session) -> int:
    """Print the documents, newest first; with words those about them, best first."""
    arguments, terminal = session.arguments, session.terminal
    text, limit, viewer = " ".join(arguments.text), arguments.limit, viewer_of(session)
    if limit < 1:
        raise InputError("--limit", terminal.message("too_few"), "--limit 5")
    with session.memory() as memory:
        read_all(memory, terminal)
        if text:
            found = memory.find_documents(text, viewer=viewer, limit=limit)
        else:
            rows = [row for row in reversed(memory.documents()) if memory.library.may_see(row.document, viewer)]
            found = [memory.document(row.document) for row in rows[:limit]]
    lines = [line for each in found for line in _lines(each, terminal)]
    nothing = terminal.message("no_such_documents" if text else "no_documents")
    terminal.result({"documents": [_object(each) for each in found]}, lines or [nothing])
    return 0


def shown(session: Session) -> int:
    """Print one document in short, or with ``--text`` every word of its turns."""
    arguments, terminal = session.arguments, session.terminal
    with session.memory() as memory:
        read_all(memory, terminal)
        document = memory.document(arguments.document)
        text = memory.document_text(arguments.document) if arguments.text else ""
    plain = _object(document)
    if arguments.text:
        terminal.result(plain | {"text": text}, text.splitlines())
    else:
        names = terminal.message("document_turns", turns=" ".join(document.turns))
        terminal.result(plain, [*_lines(document, terminal), names])
    return 0


def _lines(document: Document, terminal: Terminal) -> Iterator[str]:
    say = terminal.message
    days = [f"{at:%Y-%m-%d}" for at in (document.first, document.last) if at is not None]
    yield say(
        "document_line",
        document=document.document,
        title=f" {document.title!r}" if document.title else "",
        turns=len(document.turns),
        days=" - ".join(dict.fromkeys(days)) or say("unknown_time"),
        channel=document.channel,
        chat=document.chat,
    )
    yield from (f"   {sentence}" for sentence in document.summary)
    if document.tags:
        yield say("document_tags", tags=", ".join(document.tags))
    if document.entities:
        yield say("document_names", names=", ".join(document.entities))
    if document.pending:
        yield say("document_pending")


def _object(document: Document) -> dict[str, object]:
    return {
        "document": document.document,
        "title": document.title,
        "turns": list(document.turns),
        "place": {"channel": document.channel, "chat": document.chat},
        "first": document.first.isoformat() if document.first is not None else None,
        "last": document.last.isoformat() if document.last is not None else None,
        "summary": list(document.summary),
        "tags": list(document.tags),
        "entities": list(document.entities),
        "pending": document.pending,
    }
