"""``homeagent token``: who may speak to the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.server import Tokens

if TYPE_CHECKING:
    from homeagent.cli.session import Session

__all__ = ["listed", "new", "revoke"]


def new(session: Session) -> int:
    """Make a token and print it, this once."""
    session.home.prepare()
    token, value = Tokens(session.home.root).new(session.arguments.person, session.arguments.name)
    plain = {"id": token.id, "person": token.person, "name": token.name, "made": token.made, "token": value}
    session.terminal.result(plain, [f"token: {value}"])
    session.terminal.say("token_made", person=token.person, id=token.id)
    return 0


def listed(session: Session) -> int:
    """Print every token without its value."""
    tokens = Tokens(session.home.root).listed()
    plain = [{"id": each.id, "person": each.person, "name": each.name, "made": each.made} for each in tokens]
    say = session.terminal.message
    lines = [say("token_line", id=each.id, person=each.person, made=each.made, name=each.name) for each in tokens]
    session.terminal.result({"tokens": plain}, lines or [say("token_none")])
    return 0


def revoke(session: Session) -> int:
    """Let a token hold no longer."""
    token = Tokens(session.home.root).revoke(session.arguments.token)
    line = session.terminal.message("token_revoked", id=token.id, person=token.person)
    session.terminal.result({"id": token.id, "person": token.person, "revoked": True}, [line])
    return 0
