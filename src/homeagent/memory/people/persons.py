"""Who is who: links between sender ids and persons, as events that can be taken back. Raw never changes by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.errors import NotFoundError
from homeagent.memory import checks
from homeagent.memory.people.identity import People
from homeagent.memory.store.records import IdentityRow

if TYPE_CHECKING:
    from homeagent.memory.store.protocols import LogStore

__all__ = ["Person", "Persons"]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who was here: the senders, as (channel, id), that are this person, and how many turns they said."""

    person: str
    senders: tuple[tuple[str, str], ...]
    turns: int


class Persons:
    """Links senders to persons. The audience of every turn is worked out from the links as they stand now."""

    def __init__(self, log: LogStore) -> None:
        self._log = log

    def link(self, channel: str, sender: str, person: str) -> None:
        """Say that a sender of a channel is this person, from the first turn on."""
        checks.check_name("person", person)
        self._log.add_identity(IdentityRow(0, channel, sender, person, "link"))

    def unlink(self, channel: str, sender: str) -> None:
        """Take `link` back; a sender that is not linked stays as he is."""
        self._log.add_identity(IdentityRow(0, channel, sender, "", "unlink"))

    def undo(self) -> IdentityRow:
        """Take the last change back, as a new event; return it. Done twice, the change holds again.

        Raises `NotFoundError` when there never was one.
        """
        with self._log.transaction():
            rows = self._log.identities()
            if not rows:
                raise NotFoundError("people", "there is nothing to take back", "Use 'homeagent people link' first")
            last = rows[-1]
            before = [row for row in rows[:-1] if (row.channel, row.sender) == (last.channel, last.sender)]
            stood = before[-1] if before and before[-1].action == "link" else None
            person, action = (stood.person, stood.action) if stood is not None else ("", "unlink")
            row = IdentityRow(0, last.channel, last.sender, person, "link" if action == "link" else "unlink")
            self._log.add_identity(row)
        return row

    def who(self, channel: str, sender: str) -> str:
        """Return which person a sender of a channel is now."""
        return People(self._log.identities()).person(channel, sender)

    def linked(self, channel: str, sender: str) -> bool:
        """Whether a sender is linked to a person now."""
        rows = [row for row in self._log.identities() if (row.channel, row.sender) == (channel, sender)]
        return bool(rows) and rows[-1].action == "link"

    def listed(self) -> list[Person]:
        """Return everybody who spoke, was present, or is linked, by name. Reads every turn once."""
        people = People(self._log.identities())
        turns: dict[tuple[str, str], int] = {(row.channel, row.sender): 0 for row in self._log.identities()}
        for turn in self._log.turns():
            for member in turn.members:
                turns.setdefault((turn.place.channel, member), 0)
            key = turn.place.channel, turn.sender
            turns[key] = turns.get(key, 0) + 1
        found: dict[str, list[tuple[str, str]]] = {}
        for channel, sender in turns:
            found.setdefault(people.person(channel, sender), []).append((channel, sender))
        return [
            Person(person, tuple(sorted(senders)), sum(turns[each] for each in senders))
            for person, senders in sorted(found.items())
        ]
