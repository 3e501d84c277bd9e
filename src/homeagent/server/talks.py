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
from weakref import WeakValueDictionary

from homeagent.agent import Incoming, PastTurn
from homeagent.app import past_turn
from homeagent.errors import NotFoundError
from homeagent.memory import INJECTED, OWNER, Place, Segment
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
        self._entering = WeakValueDictionary[Place, asyncio.Lock]()

    async def meant(
        self, person: str, history: Sequence[Exchange], text: str, chat: str = "", *, private: bool = False
    ) -> Match:
        """Return where a message goes: into the chat that is named, else into the one that began with ``history``."""
        index = await self._index(person)
        if chat:
            foreign = () if index.knows(chat) else tuple(history)
            return Match(chat, text, foreign=foreign, instead=index.says_again(chat, history, text, private=private))
        return index.match(history, text, private=private)

    async def begin(
        self, person: str, match: Match, incoming: Incoming, *, streaming: bool = False, answering: bool = False
    ) -> Running:
        """Begin the turn of a message that goes where ``match`` says; ``incoming`` has that place.

        Those of one chat begin in the order in which they came.
        """
        index = await self._index(person)
        if person != OWNER:
            incoming = replace(incoming, tools=self._daemon.app.hub.options(CHANNEL).guest_tools)
        async with self._entering.setdefault(incoming.place, asyncio.Lock()):
            if match.instead is not None:
                await self._daemon.app.agent.set_aside(incoming.place, match.instead, private=incoming.private)
                if not incoming.private:
                    index.drop(match.chat, match.instead)
            await self._go_on(person, match, private=incoming.private)
            running = self._daemon.desk.start(incoming, streaming=streaming, answering=answering, person=person)
        running.task.add_done_callback(lambda _: self._note(index, match, incoming, running.view))
        return running

    async def undo(self, person: str, chat: str, *, private: bool = False) -> str | None:
        """Take the last turn of a chat back; return its id, empty for a private one, None when there is none."""
        taken = await self._daemon.app.agent.take_back(own_place(person, chat), private=private)
        if taken is not None:
            (await self._index(person)).drop(chat, taken)
        return taken

    async def open(self, person: str, chat: str) -> None:
        """Let a chat go on from what it was begun with, after a restart of the server too."""
        await self._go_on(person, Match(chat, ""))

    # -- inside --------------------------------------------------------------------------------------------------

    async def _go_on(self, person: str, match: Match, *, private: bool = False) -> None:
        place = own_place(person, match.chat)
        if match.before:
            self._begun.put(place.chat, match.before)
        if not private:  # of a private turn not even that it was there is on the disk
            self._begun.save(place.chat)
            if match.before:
                (await self._index(person)).put(match.chat, await asyncio.to_thread(self._steps_of, match.before))
        before = match.before or self._begun.of(place.chat)
        if place.chat in self._seeded and not match.before:
            return
        self._seeded.add(place.chat)
        past = [*_foreign(match.foreign, person), *(await asyncio.to_thread(self._past, before))]
        if past:
            await self._daemon.app.agent.go_on_from(place, past)

    def _note(self, index: ChatIndex, match: Match, incoming: Incoming, view: TurnView) -> None:
        new = step(view.turn, incoming.text, view.answer)
        if incoming.private:
            index.add_private(match.chat, new, match.instead)
        elif view.turn:
            index.add(match.chat, new)

    async def _index(self, person: str) -> ChatIndex:
        async with self._opening:
            if person not in self._indexes:
                self._indexes[person] = await asyncio.to_thread(self._read, person)
            return self._indexes[person]

    def _read(self, person: str) -> ChatIndex:
        """Read a person's chats from the log, the newest of them."""
        memory, index, beginning = self._daemon.app.memory, ChatIndex(), f"{person}/"
        hidden = memory.timeline.forgotten()
        own = [row for row in memory.timeline.chats(None) if row.place.channel == CHANNEL]
        own = [row for row in own if row.place.chat.startswith(beginning)]
        for row in reversed(own[:_MOST_CHATS]):
            rows = [each for each in islice(memory.turns(row.place), _MOST_TURNS) if _was_said(each)]
            turns = [(_step(memory, each), each.seq in hidden) for each in reversed(rows)]
            name = row.place.chat.removeprefix(beginning)
            index.put(name, [*self._steps_of(self._begun.of(row.place.chat)), *_without_replaced(turns)])
        return index

    def _steps_of(self, turns: Iterable[str]) -> list[Step]:
        memory = self._daemon.app.memory
        return [replace(_step(memory, row), own=False) for row in self._rows(turns)]

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


def _was_said(row: TurnRow) -> bool:
    """Whether a turn is one that a client shows: it has ended, and no timer or other plugin put it in."""
    return row.closed is not None and row.source != INJECTED


def _without_replaced(turns: Sequence[tuple[Step, bool]]) -> list[Step]:
    """Return the steps of a chat without those whose place another took, given with whether each was forgotten."""
    after = [*turns[1:], None]
    return [
        each for (each, hidden), next_one in zip(turns, after, strict=True)
        if not (hidden and next_one is not None and next_one[0].said == each.said)
    ]  # fmt: skip


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
        self._saved: set[str] = set()
        try:
            read = json.loads(path.read_text("utf-8"))
            self._chats = {str(chat): tuple(map(str, turns)) for chat, turns in read.items()}
            self._saved.update(self._chats)
        except FileNotFoundError:
            self._chats = {}
        except (OSError, ValueError, AttributeError, TypeError) as error:
            _log.warning("%s can't be read, chats that went on from others begin anew: %s", path, error)
            self._chats = {}

    def of(self, chat: str) -> tuple[str, ...]:
        """Return the turns that a chat goes on from."""
        return self._chats.get(chat, ())

    def put(self, chat: str, turns: tuple[str, ...]) -> None:
        """Say what a chat goes on from; it is on the disk when `save` was called."""
        self._chats[chat] = turns
        self._saved.discard(chat)

    def save(self, chat: str) -> None:
        """Write down what a chat goes on from, once; nothing of one that goes on from nothing."""
        if chat in self._saved or chat not in self._chats:
            return
        self._saved.add(chat)
        part = self._path.with_name(f".{_FILE}.{secrets.token_hex(4)}.part")
        try:
            with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
                json.dump({each: turns for each, turns in self._chats.items() if each in self._saved}, file)
            part.replace(self._path)
        except OSError as error:
            _log.warning("%s can't be written: %s", self._path, error)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
