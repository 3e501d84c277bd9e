"""Turns that nobody at this terminal began: timers, and what else plugins put in. Shown whole, when they are done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.agent.events import CallRefused, Event, Refused, Said, TurnEnded, TurnFailed, TurnStarted

if TYPE_CHECKING:
    from homeagent.cli.chat.screen import Screen
    from homeagent.memory import Place
    from homeagent_sdk import Injection

__all__ = ["Aside"]


class Aside:
    """A `Ui` for one injected turn, beside the conversation on a screen."""

    def __init__(self, screen: Screen, injection: Injection, here: Place) -> None:
        self._screen = screen
        self._injection = injection
        elsewhere = (injection.channel, injection.chat) != (here.channel, here.chat)
        self._where = f"[{injection.channel}/{injection.chat}] " if elsewhere else ""

    def show(self, event: Event) -> None:
        """Show an event."""
        if self._screen.terminal.json:
            return
        match event:
            case TurnStarted():
                self._screen.aside(f"* {self._where}{self._injection.text}")
            case Said(text=text) | Refused(reason=text) | CallRefused(reason=text):
                self._screen.aside(text)
            case TurnFailed(error=error):
                told = self._screen.terminal.told
                self._screen.aside(f"{told(error.where)}: {told(error.problem)}")
            case TurnEnded():
                pass

    async def ask(self, question: str) -> bool:
        """Ask whoever is at the terminal."""
        return await self._screen.ask(question)
