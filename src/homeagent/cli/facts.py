"""``homeagent memory facts``: what is known, when it held, and the words that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.cli.hits import time_text
from homeagent.cli.messages import MESSAGES
from homeagent.cli.search import moment_of, viewer_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory import Fact, Memory, Saying

__all__ = ["facts", "read_all"]

_SAYINGS: Final = 2
_FEW: Final = 300


def facts(session: Session) -> int:
    """Print what is known: what held at ``--at``, or with ``--all`` everything that was said."""
    terminal, arguments = session.terminal, session.arguments
    with session.memory() as memory:
        session.greet(memory)
        read_all(memory, terminal)
        at, viewer = moment_of(session), viewer_of(session)
        found = memory.graph.history(arguments.about, arguments.relation, at=at, viewer=viewer)
        shown = [each for each in found if arguments.all or each.state in ("holds", "planned")]
        names = {each.entity: each.names for each in memory.graph.entities(viewer=viewer)} if shown else {}
    over = sum(each.state != "later" for each in found) - sum(each.state != "later" for each in shown)
    plain = {"facts": [_object(each) for each in shown], "no_longer": over}
    terminal.result(plain, _lines(shown, names, terminal))
    if over:
        terminal.say("facts_over", count=over)
    return 0


def read_all(memory: Memory, terminal: Terminal) -> None:
    """Make the facts that wait, and say so when that takes a while."""
    waiting = memory.graph.pending
    if waiting > _FEW:
        terminal.say("reading_facts", count=waiting)
    memory.distil()


def _lines(found: Sequence[Fact], names: dict[str, tuple[str, ...]], terminal: Terminal) -> Iterator[str]:
    if not found:
        yield terminal.message("no_facts")
    subjects = dict.fromkeys(each.subject for each in found)
    for subject in subjects:
        yield f"{', '.join(dict.fromkeys(names[subject]))} [{subject}]"
        for each in found:
            if each.subject == subject:
                yield f"  {_line(each, terminal)}"
                yield from _said(each, terminal)


def _line(fact: Fact, terminal: Terminal) -> str:
    say = terminal.message
    marks = [say(f"state_{fact.state}")] if fact.state != "holds" else []
    if fact.since is not None:
        marks.append(say("fact_since", day=time_text(fact.since, terminal)))
    if fact.until is not None:
        marks.append(say("fact_until", day=time_text(fact.until, terminal)))
    if fact.days:
        days = ", ".join(dict.fromkeys(f"{first}" if first == last else f"{first}-{last}" for first, last in fact.days))
        marks.append(say("fact_days", days=days))
    marks.append(say("fact_sure", sure=f"{fact.confidence:.2f}"))
    joint = "，" if terminal.language == "zh" else ", "
    relation = _relation(fact.relation, terminal)
    return say("fact_line", relation=relation, value=fact.value, marks=joint.join(marks), fact=fact.fact)


def _said(fact: Fact, terminal: Terminal) -> Iterator[str]:
    for each in fact.said[-_SAYINGS:]:
        text, at = " ".join(each.text.split()), time_text(each.at, terminal)
        yield terminal.message("fact_said", text=text, by=each.by, at=at, where=_where(each, terminal))
    if len(fact.said) > _SAYINGS:
        yield terminal.message("more_sayings", count=len(fact.said) - _SAYINGS)


def _where(saying: Saying, terminal: Terminal) -> str:
    turn = saying.external_id or saying.turn
    if saying.voice == "explicit":
        return terminal.message("fact_where_written")
    if saying.span is None:
        return terminal.message("fact_where_cleaned", turn=turn)
    start, end = saying.span
    return terminal.message("fact_where", turn=turn, segment=saying.segment, start=start, end=end)


def _relation(relation: str, terminal: Terminal) -> str:
    if terminal.language != "zh":
        return relation
    if f"relation_{relation}" in MESSAGES:
        return terminal.message(f"relation_{relation}")
    from homeagent.memory.distil.relations import KIN_ZH

    return next((word for word, kin in KIN_ZH.items() if kin == relation), relation)


def _object(fact: Fact) -> dict[str, object]:
    return {
        "fact": fact.fact,
        "subject": fact.subject,
        "subject_name": fact.subject_name,
        "relation": fact.relation,
        "value": fact.value,
        "object": fact.object,
        "state": fact.state,
        "current": fact.current,
        "confidence": fact.confidence,
        "since": fact.since.isoformat() if fact.since is not None else None,
        "until": fact.until.isoformat() if fact.until is not None else None,
        "days": [[first.isoformat(), last.isoformat()] for first, last in fact.days],
        "said": [_saying(each) for each in fact.said],
    }


def _saying(saying: Saying) -> dict[str, object]:
    return {
        "turn": saying.turn,
        "external_id": saying.external_id,
        "segment": saying.segment,
        "span": list(saying.span) if saying.span is not None else None,
        "text": saying.text,
        "by": saying.by,
        "voice": saying.voice,
        "at": saying.at.isoformat() if saying.at is not None else None,
    }
