"""``homeagent ask``: what is said is kept; a question is answered from memory, for as long as there is no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.cli.hits import hit_object, source_line
from homeagent.errors import InputError

if TYPE_CHECKING:
    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory import Hit, Memory, Recall, Viewer

__all__ = ["ask"]

_CHANNEL: Final = "cli"
_LOOK_AT: Final = 5
"""So many times as many hits are looked at as are shown: some are earlier questions, which answer nothing."""


def ask(session: Session) -> int:
    """Keep what the person says and reply; the turn is open until the reply is kept, and closed whatever happens."""
    from homeagent.memory import Place, Segment, Turn, Viewer

    text = " ".join(session.arguments.text)
    if not text.strip():
        raise InputError("TEXT", session.terminal.message("empty_text"), 'homeagent ask "..."')
    viewer = Viewer(session.arguments.person, Place(_CHANNEL, session.arguments.chat))
    with session.memory() as memory:
        session.greet(memory)
        turn = memory.begin(Turn(viewer.place, viewer.person, (Segment("user", text),), at=session.now()))
        try:
            found = _recalled(session, memory, text, viewer)
            hits = _answers(found)[: session.config.memory.recall_limit]
            reply = _reply(found, hits, session.terminal)
            # It only repeats what is remembered: computed again, it would crowd out where it comes from.
            cites = tuple(hit.turn for hit in hits)
            memory.append(turn, Segment("assistant", reply, cites=cites, no_memory=True))
        except KeyboardInterrupt:
            memory.close(turn, "interrupted")
            raise
        except BaseException:
            memory.close(turn, "failed")
            raise
        memory.close(turn)
    plain = {
        "turn": turn,
        "kind": "statement" if found is None else "question",
        "reply": reply,
        "hits": [hit_object(hit) for hit in hits],
        "answerable": float(found.answerable) if found is not None else 0.0,
        "nothing": bool(found.nothing) if found is not None else False,
        "pending": found.pending if found is not None else 0,
    }
    session.terminal.result(plain, reply.splitlines())
    return 0


def _recalled(session: Session, memory: Memory, text: str, viewer: Viewer) -> Recall | None:
    """Return what is remembered about a question; None when it is none."""
    from homeagent.memory.compute import QueryText
    from homeagent.memory.text.speech import is_question

    if not is_question(QueryText(text)):
        return None
    left = session.settle(memory, whole=False)
    if left:
        session.terminal.say("pending", count=left)
    limit = session.config.memory.recall_limit * _LOOK_AT
    return memory.recall(text, viewer=viewer, at=session.now(), limit=limit)


def _answers(found: Recall | None) -> list[Hit]:
    """Return the hits that may answer: none when nothing fits, and no earlier question, which only asked the same."""
    from homeagent.memory.compute import QueryText
    from homeagent.memory.text.speech import is_question

    if found is None or found.nothing:
        return []
    return [hit for hit in found.hits if not is_question(QueryText(hit.text))]


def _reply(found: Recall | None, hits: list[Hit], terminal: Terminal) -> str:
    if found is None:
        return terminal.message("kept")
    if not hits:
        return terminal.message("knows_nothing")
    lines = [terminal.message("remembers")]
    for hit in hits:
        lines.append(f"- {' '.join(hit.text.split())}")
        lines.append(f"  ({source_line(hit, terminal)})")
    return "\n".join(lines)
