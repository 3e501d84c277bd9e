"""A turn as a chat sees it: its words as messages, its work as one status line, its questions to the owner."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from homeagent.agent import events
from homeagent.channels.progress import Progress
from homeagent.channels.sentences import failure, say
from homeagent.channels.splitting import split
from homeagent_sdk import Capabilities, Outgoing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType

    from homeagent.agent import Event
    from homeagent.channels.sending import Courier
    from homeagent.channels.sentences import Language
    from homeagent.memory import Place

__all__ = ["ChatUi", "Hearing", "deliver"]

_log = logging.getLogger("homeagent.channels")
_PLAIN: Final = Capabilities()


@dataclass(frozen=True)
class Hearing:
    """Whom a turn speaks to. ``reply_to`` is the message it answers; ``ask`` asks the person, False where nobody may.

    ``pushes`` is False where whoever asked fetches the answer: then nothing is sent.
    """

    place: Place
    language: Language
    ask: Callable[[str], Awaitable[bool]]
    can: Capabilities = _PLAIN
    pushes: bool = True
    reply_to: str = ""
    status_seconds: float = 8.0


async def deliver(courier: Courier, hearing: Hearing, text: str, key: str) -> None:
    """Send a text, in as many messages as it takes; they are on the disk when this returns. ``key`` names it."""
    for number, piece in enumerate(split(text, hearing.can.length)):
        reply_to = "" if number else hearing.reply_to
        message = Outgoing(hearing.place.chat, piece, reply_to=reply_to, key=f"{key}.{number}")
        await courier.queue(hearing.place, message)


class ChatUi:
    """A `Ui` for one turn in a chat. Use it with ``async with``: at its end every word is on its way or on the disk.

    ``replies`` is what was said to the chat in turn ``turn``, ``status`` how that ended.
    """

    def __init__(self, courier: Courier, hearing: Hearing) -> None:
        self._courier = courier
        self._hearing = hearing
        self._progress = Progress(
            courier,
            hearing.place,
            hearing.language,
            edits=hearing.can.edit,
            seconds=hearing.status_seconds,
        )
        self._texts: asyncio.Queue[tuple[str, str] | None] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self.turn = ""
        self._calls: dict[str, int] = {}
        self._count = 0
        self.replies: list[str] = []
        self.status: str = "interrupted"

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._write())]
        if self._hearing.pushes:
            self._tasks.append(asyncio.create_task(self._progress.run()))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        writing, *showing = self._tasks
        for task in showing:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._texts.put_nowait(None)
        try:
            if self._hearing.pushes:
                await self._progress.end(done=self.status == "done")
        finally:
            await writing

    def show(self, event: Event) -> None:
        """Take an event."""
        language = self._hearing.language
        match event:
            case events.TurnStarted(turn=turn):
                self.turn = turn
            case events.Said(text=text):
                self._say(text, str(self._count))
                self._count += 1
            case events.Refused(reason=reason):
                self._say(say("refused", language, reason=reason), "refused")
            case events.TurnFailed(error=error):
                place = self._hearing.place
                _log.warning("%s/%s: %s", place.channel, place.chat, error)
                self._say(failure(error, language), "failed")
            case events.ToolStarted(tool=tool):
                self._calls[tool] = self._calls.get(tool, 0) + 1
                self._progress.doing(self._call(tool))
            case events.ToolProgress(tool=tool, text=text):
                self._progress.doing(f"{self._call(tool)}: {text}")
            case events.ToolFinished():
                self._progress.doing(say("thinking", language))
            case events.TurnEnded(status=status):
                self.status = status

    async def ask(self, question: str) -> bool:
        """Ask the person in the chat."""
        self._progress.doing(say("asking", self._hearing.language))
        self._progress.heard()
        return await self._hearing.ask(question)

    def _call(self, tool: str) -> str:
        count = self._calls.get(tool, 1)
        return say("tool" if count == 1 else "tools", self._hearing.language, tool=tool, count=count)

    def _say(self, text: str, key: str) -> None:
        self._progress.heard()
        if text not in self.replies:  # models repeat themselves; in a chat the same words twice are a nuisance
            self._texts.put_nowait((text, key))
        self.replies.append(text)

    async def _write(self) -> None:
        while (item := await self._texts.get()) is not None:
            text, key = item
            if self._hearing.pushes:
                await deliver(self._courier, self._hearing, text, f"{self.turn}.{key}")
