"""``homeagent chat``: a conversation at the terminal, or one line after the other from a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.cli.attachments import attachment
from homeagent.cli.chat.lines import Lines
from homeagent.cli.chat.screen import Screen
from homeagent.cli.chat.talk import Talk
from homeagent.cli.chat.welcome import welcome
from homeagent.cli.running import run_until_done

if TYPE_CHECKING:
    from homeagent.cli.session import Session

__all__ = ["chat"]


def chat(session: Session) -> int:
    """Talk until the person leaves; return 1 when a turn failed and nobody was there to see it.

    128 and the number of the signal when it was ended by one.
    """
    files = [attachment(name, session.terminal) for name in session.arguments.attach]
    lines = Lines(prompts=not session.terminal.json)
    screen = Screen(session.terminal, lines)
    with session.app() as app:
        welcome(session, app)
        talk = Talk(session, app, screen, lines)
        talk.attached += files
        with lines.terminal_kept():
            run_until_done(talk.run())
    if session.terminal.json:
        session.terminal.result({"replies": talk.replies}, ())
    if talk.ending.code:
        return talk.ending.code
    return 1 if talk.failed and not lines.interactive else 0
