"""Questions to the person of a turn: asked in the chat, answered there with a yes or a no, and not part of memory."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from homeagent.channels.sentences import is_no, is_yes

if TYPE_CHECKING:
    from homeagent.memory import Place

__all__ = ["Questions"]


class Questions:
    """The questions that wait for an answer, one in each chat."""

    def __init__(self) -> None:
        self._waiting: dict[Place, tuple[str, asyncio.Future[bool]]] = {}

    async def wait(self, place: Place, sender: str) -> bool:
        """Return what ``sender`` answers in a chat; any other message of his is a no, and is a message as well."""
        before = self._waiting.pop(place, None)
        if before is not None and not before[1].done():
            before[1].set_result(False)
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[place] = (sender, answer)
        try:
            return await answer
        finally:
            if self._waiting.get(place) == (sender, answer):
                del self._waiting[place]

    def answered(self, place: Place, sender: str, text: str) -> bool:
        """Whether a message is the answer to a question and nothing else; whoever asked goes on."""
        asked, answer = self._waiting.get(place, ("", None))
        if answer is None or answer.done() or asked != sender:
            return False
        answer.set_result(is_yes(text))
        return is_yes(text) or is_no(text)
