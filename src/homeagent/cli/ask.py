"""``homeagent ask``: one turn. Without a model what is said is kept, and a question is answered from memory."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Final

from homeagent.cli.attachments import attachment
from homeagent.cli.ending import Ending
from homeagent.cli.model_errors import problem_of, step_of
from homeagent.cli.replies import Record, reply_object
from homeagent.cli.running import run_until_done
from homeagent.errors import InputError

if TYPE_CHECKING:
    from homeagent.agent import Incoming, Ui
    from homeagent.app import App
    from homeagent.cli.session import Session

__all__ = ["CHANNEL", "ask"]

CHANNEL: Final = "cli"
"""The channel of whatever is said at this command line."""


def ask(session: Session) -> int:
    """Say one thing and print the answer; the turn is open until the reply is kept, and closed whatever happens."""
    from homeagent.agent import Incoming
    from homeagent.agent.recalling import asks
    from homeagent.memory import Place

    arguments = session.arguments
    text = " ".join(arguments.text)
    if not text.strip():
        raise InputError("TEXT", session.terminal.message("empty_text"), 'homeagent ask "..."')
    files = tuple(attachment(name, session.terminal) for name in arguments.attach)
    place = Place(CHANNEL, arguments.chat)
    incoming = Incoming(text, place, arguments.person, attachments=files, at=session.now())
    with session.app() as app:
        session.greet(app.memory)
        if (asks(text) or session.config.models) and (left := session.settle(app.memory, whole=False)):
            session.terminal.say("pending", count=left)
        record, code = run_until_done(_asked(session, app, incoming))
    if code:
        return _ended(session, code)
    if record.error is not None:
        error, terminal = record.error, session.terminal
        terminal.failed(error.where, problem_of(error, terminal), step_of(error, terminal))
        return 1
    plain = {"kind": "question" if asks(text) else "statement"} | reply_object(record)
    plain.pop("error")
    if session.terminal.json:
        session.terminal.result(plain, ())
    return 0


async def _asked(session: Session, app: App, incoming: Incoming) -> tuple[Record, int]:
    """Return what came of the turn, and the exit code when it was ended by a signal, else 0."""
    record = Record(_shown(session))
    async with app:
        turn = asyncio.ensure_future(app.agent.respond(incoming, record))
        with Ending(turn.cancel) as ending:
            try:
                await turn
            except asyncio.CancelledError:
                if not ending.code:
                    raise
    return record, ending.code


def _ended(session: Session, code: int) -> int:
    terminal = session.terminal
    if terminal.json:
        terminal.failed(signal.Signals(code - 128).name, terminal.message("interrupted"), "")
    else:
        terminal.say("interrupted")
    return code


def _shown(session: Session) -> Ui | None:
    """Return what shows the turn; nothing for JSON, which is given at its end."""
    if session.terminal.json:
        return None
    from homeagent.cli.chat.lines import Lines
    from homeagent.cli.chat.screen import Screen

    return Screen(session.terminal, Lines(), fails=False)
