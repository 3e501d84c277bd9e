"""What of the graph one viewer sees: visible facts, which entities are one, what was said to be wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from homeagent.memory.distil.keys import sender_key
from homeagent.memory.distil.relations import KIN
from homeagent.memory.knowledge.writing import EDIT, MERGE, UNMERGE, hidden_writes
from homeagent.memory.people.identity import People, visible
from homeagent.memory.store.graph_records import entity_id
from homeagent.memory.turn import OWNER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from homeagent.memory.distil.merging import Merges
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.graph_records import FactRow
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.turn import Viewer

__all__ = ["GraphView"]


class GraphView:
    """One question's look at the graph. Visibility comes first: a fact is seen by who may see where it was said."""

    def __init__(
        self,
        log: LogStore,
        derived: DerivedStore,
        viewer: Viewer | None,
        merged: Callable[[Iterable[tuple[int, dict[str, object]]]], Merges],
    ) -> None:
        self._derived = derived
        self._people = People(log.identities())
        self._scopes = dict(derived.scopes())
        seen = visible(viewer, self._scopes.items(), self._people)
        self._seen = None if seen is None else seen.scopes
        self._alone = viewer is not None and {
            self._people.person(viewer.place.channel, person) for person in (viewer.person, *viewer.members)
        } == {OWNER}
        writes = log.writes()
        linked = self._linked(log)
        events = [(row.seq, json.loads(row.payload)) for row in writes if row.kind in (MERGE, UNMERGE)]
        self.merges = merged([*linked, *events])
        self._edits: dict[str, int] = {}
        hidden = hidden_writes(writes, log.forgotten())
        for row in writes:
            if row.kind == EDIT and row.seq not in hidden:
                self._edits[str(json.loads(row.payload)["fact"])] = row.seq

    def seen(self, rows: Iterable[FactRow]) -> list[FactRow]:
        """Return the rows that the viewer may see; a write outside of any turn is the owner's alone."""
        if self._seen is None:
            return list(rows)
        return [row for row in rows if row.scope in self._seen or (row.scope == 0 and self._alone)]

    def retracted(self, row: FactRow) -> bool:
        """Whether somebody said on purpose, after it, that a claim is wrong."""
        return row.source < self._edits.get(row.fact, 0)

    def heard(self, later: FactRow, earlier: FactRow) -> bool:
        """Whether whoever said ``later`` was there when ``earlier`` was said, so that he could mean to correct it."""
        if later.voice == "explicit":
            return True
        speaker = self._people.person(later.channel, later.sender)
        if speaker == self._people.person(earlier.channel, earlier.sender):
            return True
        scope = self._scopes.get(earlier.scope)
        if scope is None:
            return False
        return speaker in {self._people.person(scope.channel, member) for member in scope.members}

    def alike(self, entities: Iterable[str]) -> set[str]:
        """Return these entities with all that they are one with: merged ones, and "my daughter" with her name."""
        found: set[str] = set()
        for entity in entities:
            found |= self.merges.members(entity)
        for row in self.seen(self._derived.facts_naming(found)):
            if row.relation in KIN and self.only(row.subject.entity, row.relation):
                found.add(entity_id("relative", row.subject.entity, row.relation))
        for entity in list(found):
            for ref in self._derived.entity(entity)[:1]:
                if ref.kind == "relative":
                    found |= self.only(ref.anchor, ref.key)
        return found

    def only(self, anchor: str, relation: str) -> frozenset[str]:
        """Return the one person who is that to somebody, nobody when there are several."""
        rows = self.seen(self._derived.facts_about(self.merges.members(anchor), relation))
        named = {row.object.entity for row in rows if row.object is not None and not row.negative}
        return frozenset(named) if len(named) == 1 else frozenset()

    def _linked(self, log: LogStore) -> list[tuple[int, dict[str, object]]]:
        """Return the senders that links make one person, as merges."""
        first: dict[str, str] = {}
        found: list[tuple[int, dict[str, object]]] = []
        for row in log.identities():
            person = self._people.person(row.channel, row.sender)
            sender = entity_id("person", "", sender_key(row.channel, row.sender))
            into = first.setdefault(person, entity_id("person", "", OWNER) if person == OWNER else sender)
            if into != sender and person != f"{row.channel}:{row.sender}":
                found.append((-len(found) - 1, {"into": into, "other": sender}))
        return found
