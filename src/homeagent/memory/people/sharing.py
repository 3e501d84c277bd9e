"""Sharing on purpose: a turn shown to a person, or in a chat, that was not there when it was said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.errors import InputError
from homeagent.memory import checks
from homeagent.memory.store.protocols import Shares, chat_key
from homeagent.memory.store.records import ShareRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import TurnRow
    from homeagent.memory.turn import Place

__all__ = ["Sharing", "standing_shares"]


def standing_shares(rows: Iterable[ShareRow]) -> Shares:
    """Return with whom a turn is shared after these events, oldest first."""
    persons: set[str] = set()
    chats: set[int] = set()
    for row in rows:
        shared = row.action == "share"
        if row.place is not None:
            (chats.add if shared else chats.discard)(chat_key(row.place))
        else:
            (persons.add if shared else persons.discard)(row.person)
    return Shares(tuple(sorted(persons)), tuple(sorted(chats)))


class Sharing:
    """Shares turns, each time by one event of the log. What recall may show follows at once."""

    def __init__(self, log: LogStore, derive: Callable[[], None]) -> None:
        self._log = log
        self._derive = derive

    def share(self, turn: TurnRow, *, person: str = "", place: Place | None = None) -> None:
        """Let ``person``, or everybody in the chat ``place``, be shown a turn. Raises `InputError` for neither."""
        self._add(turn, person, place, shared=True)

    def unshare(self, turn: TurnRow, *, person: str = "", place: Place | None = None) -> None:
        """Take `share` back. Raises `InputError` when it is not shared with them."""
        known = standing_shares(self._log.shares(turn.seq))
        if person not in known.persons if place is None else chat_key(place) not in known.chats:
            whom = person if place is None else f"{place.channel}/{place.chat}"
            raise InputError(
                f"turn {turn.turn_id}", f"is not shared with {whom!r}", "See 'homeagent memory share TURN'"
            )
        self._add(turn, person, place, shared=False)

    def shares(self, turn: TurnRow) -> list[ShareRow]:
        """Return with whom a turn is shared now, as the events that said so."""
        standing: dict[tuple[str, Place | None], ShareRow] = {}
        for row in self._log.shares(turn.seq):
            standing[row.person, row.place] = row
        return [row for row in standing.values() if row.action == "share"]

    def _add(self, turn: TurnRow, person: str, place: Place | None, *, shared: bool) -> None:
        if bool(person) == (place is not None):
            raise InputError(
                "sharing", "needs a person or a chat, not both", "Use --with PERSON or --place CHANNEL/CHAT"
            )
        checks.check_name("person", person)
        self._log.add_share(ShareRow(0, turn.seq, person, place, "share" if shared else "unshare"))
        self._derive()
