"""The chats that are talked in: one turn at a time in each, its window, and what its last turn recalled and why."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from homeagent.agent.context import Window, view_of
from homeagent.agent.incoming import speaker_of
from homeagent.agent.recalling import Why
from homeagent.agent.rendering import past_messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.agent.context import View
    from homeagent.agent.ports import MemoryPort, PastTurn
    from homeagent.agent.tokens import Count
    from homeagent.memory import Place, Segment, TurnId

__all__ = ["Chat", "Chats"]

_TURNS_AFTER_RESTART = 40


class Chat:
    """One chat. Hold ``lock`` while a turn is under way.

    ``present`` are the segments of the turn under way, or of the last one; ``leaving`` are turns that are out of view
    and still to archive; ``room`` is how many tokens those in view may take. Private turns have a window of their own,
    which begins with the other and is gone with the next turn that is kept. ``before`` is what it goes on from.
    """

    def __init__(self, window: Window) -> None:
        self.lock = asyncio.Lock()
        self.window = window
        self.private: Window | None = None
        self.why = Why("")
        self.leaving: list[TurnId] = []
        self.room = 0
        self.present: list[Segment] = []
        self.stale = False
        self.before: tuple[PastTurn, ...] = ()

    @property
    def has_private_turns(self) -> bool:
        """Whether the newest turn in view is a private one."""
        views = self.private.views if self.private is not None else ()
        return bool(views) and views[-1].turn is None

    def window_for(self, *, private: bool) -> Window:
        """Return the window of the next turn."""
        if not private:
            self.private = None
            return self.window
        if self.private is None:
            self.private = Window(self.window.views)
        return self.private


class Chats:
    """Every chat by its place; one that is new here shows its last turns again, as they are in the log."""

    def __init__(self, memory: MemoryPort, count: Count, result_characters: int) -> None:
        self._memory = memory
        self._count = count
        self._limit = result_characters
        self._chats: dict[Place, Chat] = {}
        self._opening = asyncio.Lock()

    async def at(self, place: Place) -> Chat:
        """Return the chat at a place."""
        async with self._opening:
            if place not in self._chats:
                self._chats[place] = Chat(await asyncio.to_thread(self._reopened, place))
            return self._chats[place]

    async def refresh(self, chat: Chat, place: Place) -> None:
        """Read a chat's window again if it is stale; call it with the chat's lock held."""
        if chat.stale:
            chat.window = await asyncio.to_thread(self._reopened, place, chat.before)
            chat.private, chat.stale = None, False

    def locked(self) -> int:
        """Return in how many chats a turn is under way."""
        return sum(chat.lock.locked() for chat in tuple(self._chats.values()))

    def forget_windows(self) -> None:
        """Show every chat as it is in the log, from its next turn on; a turn under way goes on with what it has."""
        for chat in self._chats.values():
            chat.stale = True

    def _reopened(self, place: Place, before: Sequence[PastTurn] = ()) -> Window:
        return Window(self.views(place, (*before, *self._memory.in_view(place, _TURNS_AFTER_RESTART))))

    def views(self, place: Place, past: Iterable[PastTurn]) -> list[View]:
        """Return turns of the log as they go into the window of the chat at ``place``."""
        past = list(past)
        is_owner = self._memory.knowledge.is_owner
        owners = {sender for sender in {each.sender for each in past} if is_owner(place.channel, sender)}
        return [
            view_of(
                each.turn,
                past_messages(
                    each.segments,
                    speaker_of(place, each.sender, owner=each.sender in owners),
                    injected=each.injected,
                    limit=self._limit,
                ),
                self._count,
                each.at,
            )
            for each in past
        ]
