"""What is said when a conversation begins: what works now, and what the next step would be."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent.app import App
    from homeagent.cli.session import Session

__all__ = ["welcome"]


def welcome(session: Session, app: App) -> None:
    """Say that it works at once, and in a home without a model how to add one."""
    terminal = session.terminal
    if terminal.json:
        return
    fresh = not app.memory.counts().get("turn")
    if session.config.models:
        first = next(iter(session.config.models.values()))
        terminal.say("welcome_model", name=app.model.name, model=first.model)
    elif fresh:
        terminal.say("welcome_offline", command=_command(session))
    else:
        terminal.say("welcome_back_offline", command=_command(session))


def _command(session: Session) -> str:
    """Return how this program was called for this home."""
    named: str = getattr(session.arguments, "home", "")
    return f"homeagent --home {shlex.quote(named)}" if named else "homeagent"
