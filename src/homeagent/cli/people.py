"""``homeagent people ...`` and ``memory share``: who is who, and what is shown to whom on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.errors import InputError
from homeagent.memory import OWNER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.cli.session import Session
    from homeagent.memory import Place
    from homeagent.memory.store.records import ShareRow

__all__ = ["link", "listed", "share", "undo", "unlink", "unshare"]


def link(session: Session) -> int:
    """Say that a sender of a channel is a person."""
    channel, sender, person = session.arguments.channel, session.arguments.sender, session.arguments.person
    with session.memory() as memory:
        known = {each.person for each in memory.people.listed()}
        memory.people.link(channel, sender, person)
    if person not in known and person != OWNER:
        session.terminal.say("person_new", person=person, known=", ".join(sorted(known)) or "-")
    _changed(session, channel, sender, person)
    return 0


def unlink(session: Session) -> int:
    """Say that a sender is a person of his own again."""
    channel, sender = session.arguments.channel, session.arguments.sender
    say = session.terminal.message
    with session.memory() as memory:
        if not memory.people.linked(channel, sender):
            raise InputError(f"{channel} {sender}", say("link_unknown"), say("link_unknown_next"))
        memory.people.unlink(channel, sender)
    _changed(session, channel, sender, "")
    return 0


def undo(session: Session) -> int:
    """Take the last change of links back."""
    with session.memory() as memory:
        row = memory.people.undo()
    _changed(session, row.channel, row.sender, row.person)
    return 0


def _changed(session: Session, channel: str, sender: str, person: str) -> None:
    say = session.terminal.message
    line = (
        say("linked", channel=channel, sender=sender, person=person)
        if person
        else say("unlinked", channel=channel, sender=sender)
    )
    session.terminal.result({"channel": channel, "sender": sender, "person": person or None}, [line])


def listed(session: Session) -> int:
    """List everybody who was here, with the sender ids that are theirs."""
    with session.memory() as memory:
        people = memory.people.listed()
    plain = {
        "people": [
            {
                "person": each.person,
                "senders": [{"channel": channel, "sender": sender} for channel, sender in each.senders],
                "turns": each.turns,
            }
            for each in people
        ]
    }
    say = session.terminal.message
    lines = [
        say(
            "person_line",
            person=each.person,
            senders=", ".join(f"{channel} {sender}" for channel, sender in each.senders),
            turns=each.turns,
        )
        for each in people
    ]
    session.terminal.result(plain, lines or [say("nobody")])
    return 0


def share(session: Session) -> int:
    """Share a turn with a person or a chat; without either, show with whom it is shared."""
    arguments = session.arguments
    with session.memory() as memory:
        turn = memory.find(arguments.turn, source=arguments.source)
        if arguments.person:
            _must_be_known(session, arguments.person, {OWNER, *(each.person for each in memory.people.listed())})
        if arguments.person or arguments.place:
            memory.sharing.share(turn, person=arguments.person, place=_place(session))
        rows = memory.sharing.shares(turn)
    _shared(session, turn.turn_id, rows)
    return 0


def _must_be_known(session: Session, person: str, known: Iterable[str]) -> None:
    """Raise `InputError` for a person nobody is: what is shared with him would be shown to nobody."""
    if person not in known:
        say = session.terminal.message
        raise InputError(repr(person), say("share_unknown"), say("share_unknown_next", known=", ".join(sorted(known))))


def unshare(session: Session) -> int:
    """Take a share back."""
    arguments = session.arguments
    with session.memory() as memory:
        turn = memory.find(arguments.turn, source=arguments.source)
        memory.sharing.unshare(turn, person=arguments.person, place=_place(session))
        rows = memory.sharing.shares(turn)
    _shared(session, turn.turn_id, rows)
    return 0


def _shared(session: Session, turn: str, rows: Iterable[ShareRow]) -> None:
    shares: list[dict[str, object]] = []
    lines: list[str] = []
    for row in rows:
        place = row.place
        whom = row.person if place is None else f"{place.channel}/{place.chat}"
        shares.append({"person": row.person} if place is None else {"channel": place.channel, "chat": place.chat})
        lines.append(session.terminal.message("shared_with", whom=whom))
    session.terminal.result({"turn": turn, "shares": shares}, lines or [session.terminal.message("shared_with_nobody")])


def _place(session: Session) -> Place | None:
    from homeagent.memory import Place

    text: str = session.arguments.place
    if not text:
        return None
    channel, slash, chat = text.partition("/")
    if not (channel and slash and chat):
        say = session.terminal.message
        raise InputError("--place", say("bad_place", text=repr(text)), say("bad_place_next"))
    return Place(channel, chat)
