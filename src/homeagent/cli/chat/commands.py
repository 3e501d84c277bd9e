"""What a person may type besides messages: ``/new``, ``/undo`` and the like."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from homeagent.agent import Incoming
from homeagent.cli.attachments import attachment
from homeagent.cli.chat.why import why_lines
from homeagent.cli.turns import explained_lines
from homeagent.errors import HomeAgentError, InputError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from homeagent.cli.chat.talk import Talk
    from homeagent.memory import TurnId

__all__ = ["Commands"]

_HELP: Final = ("new", "undo", "retry", "private", "tool", "attach", "why", "memory", "help", "quit")


class Commands:
    """The commands of one conversation."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._say = talk.screen.terminal.message
        self._known: dict[str, Callable[[str], Awaitable[None]]] = {
            "new": self._new,
            "undo": self._undo,
            "retry": self._retry,
            "private": self._private,
            "attach": self._attach,
            "why": self._why,
            "memory": self._memory,
            "help": self._help,
        }

    @staticmethod
    def is_command(line: str) -> bool:
        """Whether a line is meant for us: ``/word``. ``/tool`` is a turn, and ``/etc/hosts`` is no command."""
        word = line.split()[0]
        return bool(re.fullmatch(r"/[a-z]+", word)) and word != "/tool"

    async def run(self, line: str) -> bool:
        """Do what a line says; return whether to go on."""
        word, _, rest = line.strip().partition(" ")
        name = word.removeprefix("/")
        if name in ("quit", "exit", "bye"):
            return False
        command = self._known.get(name)
        if command is None:
            self._note(self._say("no_such_command", name=word))
            return True
        try:
            await command(rest.strip())
        except HomeAgentError as error:
            self._talk.screen.clear()
            told = self._talk.screen.terminal.told
            self._note(self._say("error", where=told(error.where), problem=told(error.problem)))
            if error.next_step:
                self._note(self._say("next_step", next_step=told(error.next_step)))
        return True

    async def _new(self, _rest: str) -> None:
        count = await self._talk.app.agent.start_anew(self._talk.place)
        self._talk.last = None
        self._note(self._say("began_anew", count=count))

    async def _undo(self, _rest: str) -> None:
        taken = await self._take_back()
        if taken is None:
            self._note(self._say("nothing_to_take_back"))
        else:
            self._note(self._say("taken_back", turn=taken) if taken else self._say("taken_back_private"))

    async def _retry(self, _rest: str) -> None:
        """Say the last message again, in place of its turn."""
        again = self._talk.sent
        taken = await self._take_back()
        if again is None and taken:
            again = await self._from_log(taken)
        if again is None:
            self._note(self._say("nothing_to_retry"))
            return
        self._note(self._say("retrying", text=again.text))
        await self._talk.send(replace(again, at=self._talk.session.now()))

    async def _take_back(self) -> TurnId | None:
        taken = await self._talk.app.agent.take_back(self._talk.place, private=self._talk.private)
        self._talk.last, self._talk.sent = None, None
        return taken

    async def _from_log(self, turn: TurnId) -> Incoming | None:
        """Return what a turn of an earlier start began with."""
        segments = [row.segment for row in self._talk.app.memory.raw(turn)]
        if not segments or segments[0].role != "user":
            return None
        person = self._talk.session.arguments.person
        return Incoming(segments[0].text, self._talk.place, person, attachments=segments[0].attachments)

    async def _private(self, _rest: str) -> None:
        self._talk.private = not self._talk.private
        self._note(self._say("private_on" if self._talk.private else "private_off"))

    async def _attach(self, rest: str) -> None:
        if not rest:
            raise InputError("/attach", self._say("attach_nothing"), "/attach photo.jpg")
        try:
            name = " ".join(shlex.split(rest))
        except ValueError:
            name = rest
        found = attachment(name, self._talk.screen.terminal)
        self._talk.attached.append(found)
        self._note(self._say("attached", name=found.name, media_type=found.media_type, bytes=len(found.data)))

    async def _why(self, _rest: str) -> None:
        why = await self._talk.app.agent.why(self._talk.place)
        self._lines(why_lines(why, self._talk.screen.terminal))

    async def _memory(self, rest: str) -> None:
        if rest not in ("last", ""):
            raise InputError("/memory", self._say("memory_last_only"), "/memory last")
        last = self._talk.last
        if last is not None and last.ended is not None and not last.turn:
            self._note(self._say("private_leaves_nothing"))
            return
        turn = last.turn if last is not None and last.turn else self._newest()
        if not turn:
            self._note(self._say("no_turn_yet"))
            return
        self._lines(explained_lines(self._talk.app.memory.explain(turn), self._talk.screen.terminal))

    def _newest(self) -> str:
        rows = (row for row in self._talk.app.memory.turns(self._talk.place) if row.closed is not None)
        return next((row.turn_id for row in rows), "")

    async def _help(self, _rest: str) -> None:
        self._lines([self._say(f"chat_help_{name}") for name in _HELP])

    def _note(self, text: str) -> None:
        self._talk.screen.note(text)

    def _lines(self, lines: object) -> None:
        texts = [str(line) for line in lines] if hasattr(lines, "__iter__") else []
        if self._talk.screen.terminal.json:
            for text in texts:
                self._note(text)
        else:
            self._talk.screen.lines(texts)
