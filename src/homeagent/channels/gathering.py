"""Messages that one sender sends in quick succession: they wait a moment for each other and become one turn."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from homeagent.channels.exchange import Exchange
    from homeagent.channels.spool import Received
    from homeagent.memory import Place

__all__ = ["Gathering", "Group"]

_LONGEST: Final = 8
"""At most so many times the pause between two messages is waited for all of them."""


@dataclass(eq=False)
class Group:
    """Messages of one sender that belong together, and the exchange that answers them."""

    sender: str
    parts: list[Received]
    exchange: Exchange
    until: float
    timer: asyncio.TimerHandle | None = None


class Gathering:
    """Groups of messages by chat. ``made`` gives the exchange of some parts, ``ready`` takes a complete group."""

    def __init__(self, made: Callable[[list[Received]], Exchange], ready: Callable[[Place, Group], None]) -> None:
        self._made = made
        self._ready = ready
        self._groups: dict[Place, Group] = {}

    def add(self, place: Place, sender: str, received: Received, seconds: float) -> Group:
        """Add a message and return its group.

        That is complete when ``seconds`` have passed without another message, or when somebody else speaks.
        """
        group = self._groups.get(place)
        if group is not None and group.sender != sender:
            self._complete(place)
            group = None
        loop = asyncio.get_running_loop()
        if group is None:
            parts: list[Received] = []
            group = self._groups[place] = Group(sender, parts, self._made(parts), loop.time() + seconds * _LONGEST)
        group.parts.append(received)
        if group.timer is not None:
            group.timer.cancel()
        group.timer = loop.call_at(min(loop.time() + seconds, group.until), self._complete, place)
        return group

    def stop(self) -> None:
        """Call nobody any more; what waits is on the disk."""
        for group in self._groups.values():
            if group.timer is not None:
                group.timer.cancel()
        self._groups.clear()

    def _complete(self, place: Place) -> None:
        group = self._groups.pop(place, None)
        if group is not None:
            if group.timer is not None:
                group.timer.cancel()
            self._ready(place, group)
