"""The conversation: a line comes in, a turn or a command comes of it, until the person leaves."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import TYPE_CHECKING, Final

from homeagent.agent import Incoming
from homeagent.cli.ask import CHANNEL
from homeagent.cli.chat.asides import Aside
from homeagent.cli.chat.commands import Commands
from homeagent.cli.ending import Ending
from homeagent.cli.replies import Record, reply_object
from homeagent.errors import HomeAgentError
from homeagent.memory import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.app import App
    from homeagent.cli.chat.lines import Lines
    from homeagent.cli.chat.screen import Screen
    from homeagent.cli.session import Session
    from homeagent.memory import Attachment

__all__ = ["Talk"]

_TICK_SECONDS: Final = 1.0


class Talk:
    """One conversation at this terminal.

    ``attached`` goes with the next message. ``private`` turns leave nothing on disk. ``last`` is the last turn, None
    before the first; ``replies`` are all of them as plain values, for JSON; ``failed`` says whether one of them did;
    ``ending`` whether the conversation was ended from outside.
    """

    def __init__(self, session: Session, app: App, screen: Screen, lines: Lines) -> None:
        self.session = session
        self.app = app
        self.screen = screen
        self.place = Place(CHANNEL, session.arguments.chat)
        self.private: bool = session.arguments.private
        self.attached: list[Attachment] = []
        self.last: Record | None = None
        self.sent: Incoming | None = None
        self.replies: list[dict[str, object]] = []
        self.failed = False
        self.ending = Ending(self._leave)
        self._lines = lines
        self._turn: asyncio.Task[str] | None = None
        self._seen = session.settings_stamp()
        self._commands = Commands(self)

    async def run(self) -> None:
        """Talk until the person leaves."""
        async with self.app:
            beside = [asyncio.create_task(self._answer_injections()), asyncio.create_task(self._tick())]
            try:
                with self._interrupts(), self.ending:
                    await self._talk()
                    if not self.ending.code:
                        await self.app.settle_few()
            finally:
                for task in beside:
                    task.cancel()
                await asyncio.gather(*beside, return_exceptions=True)

    async def _talk(self) -> None:
        while not self.ending.code and (line := await self._lines.next(self._prompt())) is not None:
            if not line.strip():
                continue
            if self._commands.is_command(line):
                if not await self._commands.run(line):
                    return
            else:
                await self.say(line)
        if self._lines.interactive:
            self.screen.terminal.note("")  # the prompt's line ends here

    async def say(self, text: str) -> None:
        """Run one turn with this text and what is attached."""
        incoming = Incoming(
            text,
            self.place,
            self.session.arguments.person,
            attachments=tuple(self.attached),
            at=self.session.now(),
            private=self.private,
        )
        self.attached = []
        await self.send(incoming)

    async def send(self, incoming: Incoming) -> None:
        """Run one turn; Ctrl+C stops it."""
        await self._look_at_settings()
        self.session.private = incoming.private
        json = self.screen.terminal.json
        self.sent, self.last = incoming, Record(None if json else self.screen)
        self._turn = asyncio.create_task(self.app.hub.respond(incoming, self.last))
        try:
            await self._turn
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                raise
            self.screen.note(self.screen.terminal.message("turn_stopped"))
        finally:
            self._turn = None
            self.screen.busy = False
        self.failed = self.failed or self.last.error is not None
        if json:
            self.replies.append(reply_object(self.last))

    def _prompt(self) -> str:
        return self.screen.terminal.message("prompt_private") if self.private else "> "

    # -- beside the conversation ----------------------------------------------------------------------------------

    async def _answer_injections(self) -> None:
        """Answer timers and whatever else plugins put in."""
        await self.app.answer_injections(lambda injection: Aside(self.screen, injection, self.place))

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self.screen.status.tick()

    async def _look_at_settings(self) -> None:
        """Go by the settings as they are now, when the file has changed."""
        stamp = self.session.settings_stamp()
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            await self.session.reload(self.app)
        except HomeAgentError as error:
            self.screen.clear()
            terminal = self.screen.terminal
            terminal.note(
                terminal.message("error", where=terminal.told(error.where), problem=terminal.told(error.problem))
            )
            terminal.say("settings_stay")
        else:
            self.screen.terminal.say("settings_read", model=self.app.model.name)

    def _stop_turn(self) -> bool:
        """Whether there was a turn under way; it is being stopped."""
        if self._turn is None or self._turn.done():
            return False
        self._turn.cancel()
        return True

    def _leave(self) -> None:
        self._stop_turn()
        self._lines.leave()

    @contextlib.contextmanager
    def _interrupts(self) -> Iterator[None]:
        """While entered, Ctrl+C stops the turn under way, and with none under way ends the conversation."""
        loop = asyncio.get_running_loop()

        def interrupted() -> None:
            if not self._stop_turn():
                self._lines.leave()

        loop.add_signal_handler(signal.SIGINT, interrupted)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)
