"""Talking in a person's own chats: which chat is meant, what a chat goes on from, and the turn that comes of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import secrets
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from homeagent.agent import Incoming, PastTurn
from homeagent.app import past_turn
from homeagent.errors import NotFoundError
from homeagent.memory import OWNER, Segment
from homeagent.server.access import CHANNEL, own_place
from homeagent.server.chat_index import ChatIndex, Exchange, Match, step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from homeagent.memory import Memory
    from homeagent.memory.store.records import TurnRow
    from homeagent.server.chat_index import Step
    from homeagent.server.daemon import Daemon
    from homeagent.server.desk import Running, TurnView

__all__ = ["Talks"]

_MOST_CHATS: Final = 500
_MOST_TURNS: Final = 500
_FILE: Final = "chats.json"
_log = logging.getLogger("homeagent.server")


class Talks:
    """The chats of everybody who talks over the network."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._indexes: dict[str, ChatIndex] = {}
        self._opening = asyncio.Lock()
        self._begun = _Begun(daemon.settings.home.root / _FILE)
        self._seeded: set[str] = set()

    async def meant(self, person: str, history: Sequence[Exchange], text: str, chat: str = "") -> Match:
        """Return where a message goes: into the chat that is named, else into the one that began with ``history``."""
        index = await self._index(person)
        if chat:
            foreign = () if index.knows(chat) else tuple(history)
            return Match(chat, text, foreign=foreign, again=index.says_again(chat, history, text))
        return index.match(history, text)

    async def begin(
        self, person: str, match: Match, incoming: Incoming, *, streaming: bool = False, answering: bool = False
    ) -> Running:
        """Begin the turn of a message that goes where ``match`` says; ``incoming`` has that place."""
        place = incoming.place
        index = await self._index(person)
        agent = self._daemon.app.agent
        if person != OWNER:
            incoming = replace(incoming, tools=self._daemon.app.hub.options(CHANNEL).guest_tools)
        if match.again and await agent.take_back(place) is not None:
            index.drop_last(match.chat)
        await self._go_on(person, match)
        running = self._daemon.desk.start(incoming, streaming=streaming, answering=answering, person=person)
        if not incoming.private:
            running.task.add_done_callback(lambda _: self._note(person, match.chat, incoming.text, running.view))
        return running

    async def undo(self, person: str, chat: str, *, private: bool = False) -> str | None:
        """Take the last turn of a chat back; return its id, empty for a private one, None when there is none."""
        taken = await self._daemon.app.agent.take_back(own_place(person, chat), private=private)
        if taken:
            (await self._index(person)).drop_last(chat)
        return taken

    async def open(self, person: str, chat: str) -> None:
        """Let a chat go on from what it was begun with, after a restart of the server too."""
        await self._go_on(person, Match(chat, ""))

    # -- inside --------------------------------------------------------------------------------------------------

    async def _go_on(self, person: str, match: Match) -> None:
        place = own_place(person, match.chat)
        if match.before:
            self._begun.put(place.chat, match.before)
            (await self._index(person)).put(match.chat, await asyncio.to_thread(self._steps_of, match.before))
        before = match.before or self._begun.of(place.chat)
        if place.chat in self._seeded and not match.before:
            return
        self._seeded.add(place.chat)
        past = [*_foreign(match.foreign, person), *(await asyncio.to_thread(self._past, before))]
        if past:
            await self._daemon.app.agent.go_on_from(place, past)

    def _note(self, person: str, chat: str, said: str, view: TurnView) -> None:
        if view.turn:
            self._indexes[person].add(chat, step(view.turn, said, view.answer))

    async def _index(self, person: str) -> ChatIndex:
        async with self._opening:
            if person not in self._indexes:
                self._indexes[person] = await asyncio.to_thread(self._read, person)
            return self._indexes[person]

    def _read(self, person: str) -> ChatIndex:
        """Read a person's chats from the log, the newest of them."""
        memory, index, beginning = self._daemon.app.memory, ChatIndex(), f"{person}/"
        own = [row for row in memory.timeline.chats(None) if row.place.channel == CHANNEL]
        own = [row for row in own if row.place.chat.startswith(beginning)]
        for row in reversed(own[:_MOST_CHATS]):
            turns = [each for each in islice(memory.turns(row.place), _MOST_TURNS) if each.closed is not None]
            steps = (_step(memory, each) for each in reversed(turns))
            name = row.place.chat.removeprefix(beginning)
            index.put(name, [*self._steps_of(self._begun.of(row.place.chat)), *steps])
        return index

    def _steps_of(self, turns: Iterable[str]) -> list[Step]:
        memory = self._daemon.app.memory
        return [_step(memory, row) for row in self._rows(turns)]

    def _past(self, turns: Iterable[str]) -> list[PastTurn]:
        memory = self._daemon.app.memory
        hidden = memory.timeline.forgotten()
        return [past_turn(memory, row) for row in self._rows(turns) if row.seq not in hidden]

    def _rows(self, turns: Iterable[str]) -> list[TurnRow]:
        found: list[TurnRow] = []
        for turn in turns:
            with contextlib.suppress(NotFoundError):  # it was erased since
                found.append(self._daemon.app.memory.find(turn))
        return found


def _step(memory: Memory, row: TurnRow) -> Step:
    segments = [each.segment for each in memory.segments(row)]
    said = next((each.text for each in segments if each.role == "user"), "")
    reply = "\n\n".join(each.text for each in segments if each.role == "assistant" and each.text)
    return step(row.turn_id, said, reply)


def _foreign(history: Sequence[Exchange], person: str) -> list[PastTurn]:
    """Return what was said elsewhere as the window shows it: it is seen in this chat, and it is not kept."""
    return [
        PastTurn(None, person, False, (Segment("user", each.said), Segment("assistant", each.reply)))
        for each in history
    ]


class _Begun:
    """Which turns a chat was begun with that are those of another chat; by their ids, in a small file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            read = json.loads(path.read_text("utf-8"))
            self._chats = {str(chat): tuple(map(str, turns)) for chat, turns in read.items()}
        except FileNotFoundError:
            self._chats = {}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            _log.warning("%s can't be read, chats that went on from others begin anew: %s", path, error)
            self._chats = {}

    def of(self, chat: str) -> tuple[str, ...]:
        """Return the turns that a chat goes on from."""
        return self._chats.get(chat, ())

    def put(self, chat: str, turns: tuple[str, ...]) -> None:
        """Say what a chat goes on from."""
        self._chats[chat] = turns
        part = self._path.with_name(f".{_FILE}.{secrets.token_hex(4)}.part")
        try:
            with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
                json.dump(self._chats, file)
            part.replace(self._path)
        except OSError as error:
            _log.warning("%s can't be written: %s", self._path, error)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
