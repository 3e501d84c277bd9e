"""Who waits for an answer, by chat: a question of another agent is a turn here, and its answer comes by a stage."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Exchange", "Waiter"]

_SILENT_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 1.0


class Waiter:
    """One question that waits. ``said`` are the messages that went to its chat meanwhile."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.heard = time.monotonic()
        self._answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def answered(self, text: str) -> None:
        """Take the answer; the first one counts."""
        if not self._answer.done():
            self._answer.set_result(text)

    async def answer(self) -> str:
        """Wait for the answer. A turn that failed has none, only what it said; then nothing is heard of it any more."""
        while not self._answer.done():
            await asyncio.wait({self._answer}, timeout=_LOOK_SECONDS)
            if self.said and time.monotonic() - self.heard > _SILENT_SECONDS:
                self.answered("\n".join(self.said))
        return self._answer.result()


class Exchange:
    """All who wait. Used in the event loop only."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[Waiter]] = {}

    @contextlib.contextmanager
    def waiting(self, chat: str) -> Iterator[Waiter]:
        """Wait for an answer in a chat, as long as it is entered."""
        waiter = Waiter()
        self._waiting.setdefault(chat, []).append(waiter)
        try:
            yield waiter
        finally:
            self._waiting[chat].remove(waiter)
            if not self._waiting[chat]:
                del self._waiting[chat]

    def is_waiting(self, chat: str) -> bool:
        """Whether anybody waits for an answer in a chat."""
        return chat in self._waiting

    def answered(self, chat: str, text: str) -> None:
        """Give the answer to all who wait in a chat: messages that come quickly are answered in one turn."""
        for waiter in self._waiting.get(chat, []):
            waiter.answered(text)

    def said(self, chat: str, text: str) -> None:
        """Take note of a message to a chat."""
        for waiter in self._waiting.get(chat, []):
            waiter.said.append(text)
            waiter.heard = time.monotonic()

    def alive(self, chat: str) -> None:
        """Take note that an answer is still being made."""
        for waiter in self._waiting.get(chat, []):
            waiter.heard = time.monotonic()
