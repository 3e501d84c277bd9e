"""Turns and chats in the order of time, newest first, and whether somebody may see one: the same rule as recall's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from homeagent.memory.keeping import named_turns, the_one
from homeagent.memory.people.identity import People
from homeagent.memory.people.sharing import standing_shares
from homeagent.memory.store.protocols import chat_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import ChatRow, TurnRow
    from homeagent.memory.turn import Place, Viewer

__all__ = ["Page", "Sight", "Timeline"]

_NEWEST: Final = 2**62
_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Page:
    """Some turns, newest first. ``next`` is what to ask for the older ones with, None when there are none."""

    turns: tuple[TurnRow, ...]
    next: int | None


class Sight:
    """What one viewer may see, asked turn by turn; without a viewer it is the owner's view of everything."""

    def __init__(self, log: LogStore, viewer: Viewer | None) -> None:
        self._log = log
        self._viewer = viewer
        self._people = People(log.identities())
        self._present: set[str] = set()
        if viewer is None:
            return
        channel = viewer.place.channel
        self._present = {self._people.person(channel, sender) for sender in (viewer.person, *viewer.members)}
        if not viewer.members:
            for row in log.turns_at(viewer.place):
                self._present |= self._audience(row)

    def sees(self, row: TurnRow) -> bool:
        """Whether the viewer may see a turn."""
        viewer = self._viewer
        if viewer is None or row.place == viewer.place:
            return True
        shared = standing_shares(self._log.shares(row.seq))
        if chat_key(viewer.place) in shared.chats:
            return True
        return self._present <= self._audience(row) | set(shared.persons)

    def said_it(self, row: TurnRow) -> bool:
        """Whether the viewer said it himself; for the owner's view of everything it is always so."""
        viewer = self._viewer
        if viewer is None:
            return True
        own = self._people.person(viewer.place.channel, viewer.person)
        return self._people.person(row.place.channel, row.sender) == own

    def _audience(self, row: TurnRow) -> set[str]:
        return {self._people.person(row.place.channel, sender) for sender in (row.sender, *row.members)}


class Timeline:
    """The turns of one home by time."""

    def __init__(self, log: LogStore) -> None:
        self._log = log

    def sight(self, viewer: Viewer | None) -> Sight:
        """Return what a viewer may see, as things stand now."""
        return Sight(self._log, viewer)

    def find(self, name: str, viewer: Viewer | None, *, source: str | None = None) -> TurnRow:
        """Return the turn with this id or external id among those that ``viewer`` may see.

        Raises `NotFoundError`, also when several of them have the name; those of others are as if they were not there.
        """
        sight = self.sight(viewer)
        return the_one([row for row in named_turns(self._log, name, source) if sight.sees(row)], name)

    def page(
        self, viewer: Viewer | None, *, before: int | None = None, limit: int = 50, place: Place | None = None
    ) -> Page:
        """Return up to ``limit`` turns that ``viewer`` may see, newest first, of one chat or of all.

        ``before`` is the `Page.next` of the page before; None begins with the newest.
        """
        sight = self.sight(viewer)
        found: list[TurnRow] = []
        for row in self._before(before or _NEWEST, place):
            if len(found) == limit:
                return Page(tuple(found), found[-1].seq)
            if sight.sees(row):
                found.append(row)
        return Page(tuple(found), None)

    def chats(self, viewer: Viewer | None) -> list[ChatRow]:
        """Return the chats of which ``viewer`` may see the newest turn, the one spoken in last first.

        Each as far as he may see it: how many turns there are besides tells of what others said.
        """
        sight = self.sight(viewer)
        newest = ((row, self._log.turn(row.last)) for row in self._log.chats())
        found = [row for row, turn in newest if turn is not None and sight.sees(turn)]
        return found if viewer is None else [self._seen(row, sight) for row in found]

    def _seen(self, chat: ChatRow, sight: Sight) -> ChatRow:
        seen = [row.seq for row in self._log.turns_at(chat.place) if sight.sees(row)]
        return replace(chat, turns=len(seen), first=seen[-1], last=seen[0])

    def words(self, turn: int) -> str:
        """Return what was said first in a turn, by its seq; empty where nobody said anything."""
        return next((row.segment.text for row in self._log.segments(turn) if row.segment.role == "user"), "")

    def forgotten(self) -> frozenset[int]:
        """Return the seqs of the turns that are forgotten now."""
        return self._log.forgotten()

    def _before(self, before: int, place: Place | None) -> Iterator[TurnRow]:
        while rows := self._log.newest(before, _AT_ONCE, place):
            yield from rows
            before = rows[-1].seq
