"""What a chat sees of a turn that takes long: "typing" where the platform has it, and one line that is edited.

The first words come after some seconds of silence. Where a line can be edited it is the only one; elsewhere a further
one comes each time four times as long has passed. None of it is memory.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

from homeagent.channels.sentences import say

if TYPE_CHECKING:
    from homeagent.channels.sending import Courier
    from homeagent.channels.sentences import Language
    from homeagent.memory import Place

__all__ = ["Progress"]

_TYPING_SECONDS: Final = 5.0
_LOOKS: Final = 4
_GROWTH: Final = 4
_LONGEST: Final = 200


class Progress:
    """The status line of one turn; ``edits``: the platform can change a message; ``seconds`` of silence come first."""

    def __init__(self, courier: Courier, place: Place, language: Language, *, edits: bool, seconds: float) -> None:
        self._courier = courier
        self._place = place
        self._language = language
        self._edits = edits
        self._seconds = seconds
        self._started = self._heard = time.monotonic()
        self._typed = 0.0
        self._gap = seconds
        self._what = say("thinking", language)
        self._shown = ""
        self._line: str | None = None

    def doing(self, what: str) -> None:
        """Take note of what is being done now."""
        self._what = " ".join(what.split())[:_LONGEST]

    def heard(self) -> None:
        """Take note that the chat was just told something."""
        self._heard = time.monotonic()

    async def run(self) -> None:
        """Show what there is to show, until cancelled."""
        while True:
            now = time.monotonic()
            if now - self._typed >= _TYPING_SECONDS:
                self._typed = now
                await self._courier.typing(self._place)
            if now - self._heard >= self._gap:
                await self._show("status", what=self._what)
            await asyncio.sleep(self._seconds / _LOOKS)

    async def end(self, *, done: bool) -> None:
        """Let the line say that it is over, where it can be changed."""
        if self._line and self._edits:
            await self._show("status_done" if done else "status_failed")

    async def _show(self, key: str, **values: object) -> None:
        self._heard = time.monotonic()
        text = say(key, self._language, seconds=round(self._heard - self._started), **values)
        if text == self._shown:
            return
        self._shown = text
        if not self._edits:
            self._gap *= _GROWTH
        line = await self._courier.aside(self._place, text, edits=self._line or "")
        self._line = self._line or line
