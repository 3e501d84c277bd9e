"""The graph as it is asked: facts with the time they held, who is who in it, and what is written on purpose."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import TYPE_CHECKING

from homeagent.errors import InputError, NotFoundError
from homeagent.masking import masked
from homeagent.memory.distil.keys import value_key
from homeagent.memory.distil.merging import live_merges, suggestions
from homeagent.memory.distil.model import MODEL_FACTS, outcome_payload
from homeagent.memory.distil.relations import checked_relation
from homeagent.memory.distil.timeline import LOOSE, intervals, names_part_of
from homeagent.memory.handing import masked_fact
from homeagent.memory.knowledge.asking import wanted
from homeagent.memory.knowledge.naming import Naming
from homeagent.memory.knowledge.results import Entity, Fact, Saying
from homeagent.memory.knowledge.view import GraphView
from homeagent.memory.knowledge.writing import EDIT, FACT, MERGE, UNMERGE, me, subject_payload
from homeagent.memory.store.graph_records import claim_id
from homeagent.memory.store.records import Moment
from homeagent.memory.turn import OWNER, Viewer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from homeagent.memory.compute import QueryText
    from homeagent.memory.distil.merging import Suggestion
    from homeagent.memory.distil.model import FactModel
    from homeagent.memory.distil.timeline import Interval
    from homeagent.memory.knowledge.results import State
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.graph_records import FactRow
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import TurnRow
    from homeagent.memory.turn import TurnId

__all__ = ["Graph"]


class Graph:
    """Facts of one home. Reads what was distilled; every write is one event of the log."""

    def __init__(self, log: LogStore, derived: DerivedStore, derive: Callable[[], None], clock: Callable[[], datetime]):
        self._log = log
        self._derived = derived
        self._derive = derive
        self._clock = clock

    # -- asking --------------------------------------------------------------------------------------------------

    def facts(
        self,
        *,
        subject: str | None = None,
        relation: str | None = None,
        at: datetime | None = None,
        viewer: Viewer | None = None,
    ) -> list[Fact]:
        """Return what held at ``at`` (now by default), the best known first.

        ``subject`` is an entity id, a name, "me" (the viewer, the owner without one) or words such as "my mother" and
        我妈妈; None asks about everything the viewer may see. Raises `InputError` for a relation that there is not.
        """
        found = self._asked(subject, relation, at, viewer)
        return sorted((fact for fact in found if fact.current), key=_surest)

    def history(
        self,
        subject: str | None = None,
        relation: str | None = None,
        *,
        at: datetime | None = None,
        viewer: Viewer | None = None,
    ) -> list[Fact]:
        """Return everything that was ever said of a subject, oldest first: what held before, what was denied too.

        ``current`` of each tells whether it held at ``at`` (now by default).
        """
        return self._asked(subject, relation, at, viewer)

    def before(self, subject: str, relation: str, *, viewer: Viewer | None = None) -> Fact | None:
        """Return the value that the present one took the place of, or None."""
        over = [
            fact
            for fact in self.history(subject, relation, viewer=viewer)
            if not fact.negative and not fact.current and not fact.retracted and fact.mode != "planned"
        ]
        return max(over, key=lambda fact: fact.until.timestamp() if fact.until else 0.0, default=None)

    def evidence_for(self, text: QueryText, *, at: datetime, viewer: Viewer | None) -> dict[int, bool]:
        """Return the turns (their seq) that say what a question asks for, and whether that holds at ``at``.

        Empty when the question asks for no fact, or for none that is known.
        """
        asked = wanted(text)
        if not asked.relations and not asked.pairs:
            return {}
        view = self._view(viewer)
        naming = self._naming(viewer, view)
        pairs = [(frozenset(naming.meant(subject)), relation) for subject, relation in asked.pairs]
        named = {entity for name in asked.names for entity in naming.called(name)}
        pairs += [(frozenset((entity,)), relation) for entity in named for relation in asked.relations]
        moment = Moment.of(at).microseconds
        found: dict[int, bool] = {}
        for entities, relation in dict.fromkeys(pairs):
            rows = view.seen(self._derived.facts_about(view.alike(entities), relation))
            kept = [row for row in rows if not view.retracted(row) and not row.negative]
            for span in intervals(kept, self._others(kept, view), view):
                for row in span.rows:
                    found[row.source] = found.get(row.source, False) or span.holds(moment)
        return found

    def around(
        self, turns: Iterable[TurnId], *, at: datetime | None = None, viewer: Viewer | None = None
    ) -> list[Fact]:
        """Return what now holds of the matters that these turns speak of, wherever it was said, in the turns' order.

        A turn that gives an old address leads to the address of today. Turns that are gone are passed over.
        """
        view = self._view(viewer)
        seqs = [row.seq for turn in turns for row in self._log.find(turn) if row.turn_id == turn]
        said = sorted(view.seen(self._derived.facts_in(seqs)), key=lambda row: seqs.index(row.source))
        matters = dict.fromkeys((view.merges.root(row.subject.entity), row.relation) for row in said)
        found: list[Fact] = []
        for root, relation in matters:
            rows = view.seen(self._derived.facts_about(view.merges.members(root), relation))
            found += sorted((fact for fact in self._dated(rows, at, view) if fact.current), key=_surest)
        return found

    def entities(self, name: str | None = None, *, viewer: Viewer | None = None) -> list[Entity]:
        """Return who and what the facts speak of, those called ``name`` or all; one for each that were merged."""
        view = self._view(viewer)
        rows = view.seen(self._derived.facts_in(None))
        known = {ref.entity for row in rows for ref in (row.subject, row.object) if ref is not None}
        wanted = known if name is None else known & view.alike(self._naming(viewer, view).meant(name))
        roots = sorted({view.merges.root(entity) for entity in wanted})
        return [entity for root in roots if (entity := self._entity(root, view)) is not None]

    def suggestions(self, most: int = 50) -> list[Suggestion]:
        """Return pairs of entities that may be one, the surest first. Nothing is merged by itself."""
        return suggestions(self._derived.mentions(), self._view(None).merges, most)

    def claim(self, fact: str) -> str:
        """Return a fact in words: subject, relation, value; secrets masked. Raises `NotFoundError`."""
        rows = self._claimed(fact)
        return masked(f"{rows[-1].subject.name.text} - {rows[-1].relation} - {rows[-1].value.text}")

    @property
    def pending(self) -> int:
        """How many turns and documents still wait to be distilled."""
        return self._derived.pending_graph()

    # -- writing on purpose --------------------------------------------------------------------------------------

    def commit_fact(self, subject: str, relation: str, value: str, *, turn: TurnRow | None = None) -> str:
        """Write a fact into the memory; return its id. In a ``turn`` it is seen by who is there, else by the owner.

        ``subject`` is read as in `facts`; "me" is the turn's sender. Raises `InputError` for a relation that there is
        not, for no value, and when several go by that name.
        """
        checked_relation(relation)
        if not value_key(value):
            raise InputError("a fact", "has no value", "Say what it is")
        about = self._naming(_there(turn)).written(subject)
        self._write(FACT, {"subject": subject_payload(about), "relation": relation, "value": value}, turn)
        return claim_id(about.entity, relation, value_key(value), negative=False)

    def edit_fact(self, fact: str, value: str | None, *, turn: TurnRow | None = None) -> str | None:
        """Say that a fact is wrong, and what is right, if anything; what was said before it no longer counts.

        Returns the id of the new fact, or None without ``value``. Raises `NotFoundError` when there is no such fact.
        """
        rows = self._claimed(fact)
        payload: dict[str, object] = {"fact": fact}
        if value is not None:
            if not value_key(value):
                raise InputError("a fact", "has no value", "Say what it is, or leave the value out")
            payload |= {"subject": subject_payload(rows[-1].subject), "relation": rows[-1].relation, "value": value}
        self._write(EDIT, payload, turn)
        if value is None:
            return None
        return claim_id(rows[-1].subject.entity, rows[-1].relation, value_key(value), negative=False)

    def merge_entities(self, into: str, other: str, *, viewer: Viewer | None = None) -> int:
        """Say that two entities, by id or name, are one; return the event, by which `unmerge` takes it back.

        Facts stay as they are. Raises `NotFoundError` for a name that nobody has, `InputError` for that of several.
        """
        one, two = (name if self._derived.entity(name) else self._naming(viewer).one(name) for name in (into, other))
        if one == two:
            raise InputError(f"entity {into!r}", "is itself already", "Name two entities")
        return self._write(MERGE, {"into": one, "other": two}, None)

    def unmerge(self, event: int) -> None:
        """Take `merge_entities` back. Raises `NotFoundError` when ``event`` is no merge."""
        row = self._log.write(event)
        if row is None or row.kind != MERGE:
            raise NotFoundError(f"merge {event}", "is not in this home", "Use the number that merge_entities gave")
        self._write(UNMERGE, {"merge": event}, None)

    def extract(self, model: FactModel, limit: int = 16, turns: Iterable[TurnRow] | None = None) -> int:
        """Ask a model about up to ``limit`` turns that it was not asked about; return how many. Logged, never twice.

        ``turns`` are those to look at, all by default; no more of them are taken than are needed.
        """
        done = 0
        for turn in self._log.turns() if turns is None else turns:
            if turn.closed is not None and not self._derived.extracted(turn.seq):
                rows = self._derived.computed_of(turn.seq)
                if any(row.text for row in rows):
                    self._log.add_outcome(MODEL_FACTS, outcome_payload(turn.seq, model, rows))
                    done += 1
            if done >= limit:
                break
        if done:
            self._derive()
        return done

    # -- inside --------------------------------------------------------------------------------------------------

    def _write(self, kind: str, payload: dict[str, object], turn: TurnRow | None) -> int:
        now = Moment.of(self._clock())
        said = json.dumps(payload | {"at": [now.microseconds, now.offset_minutes]}, ensure_ascii=False)
        seq = self._log.add_write(kind, said, turn.seq if turn is not None else None)
        self._derive()
        return seq

    def _claimed(self, fact: str) -> list[FactRow]:
        rows = self._derived.facts_claiming(fact)
        if not rows:
            raise NotFoundError(f"fact {fact!r}", "is not in this home", "List them with 'homeagent memory facts'")
        return rows

    def _view(self, viewer: Viewer | None) -> GraphView:
        return GraphView(self._log, self._derived, viewer, live_merges)

    def _asked(
        self, subject: str | None, relation: str | None, at: datetime | None, viewer: Viewer | None
    ) -> list[Fact]:
        if relation is not None:
            checked_relation(relation)
        view = self._view(viewer)
        if subject is None:
            rows = self._derived.facts_of_relation(relation) if relation else self._derived.facts_in(None)
        else:
            rows = self._derived.facts_about(view.alike(self._naming(viewer, view).meant(subject)), relation)
        return self._dated(view.seen(rows), at, view)

    def _dated(self, rows: Iterable[FactRow], at: datetime | None, view: GraphView) -> list[Fact]:
        """Return the facts that these rows make, with the time each held, oldest first."""
        moment = Moment.of(at or self._clock()).microseconds
        groups: dict[tuple[str, str], list[FactRow]] = {}
        for row in rows:
            groups.setdefault((view.merges.root(row.subject.entity), row.relation), []).append(row)
        found: list[Fact] = []
        for (root, _), said in groups.items():
            kept = [row for row in said if not view.retracted(row)]
            wrong = [row for row in said if view.retracted(row)]
            spans = intervals(kept, self._others(kept, view), view)
            found += [self._fact(root, span, moment, view) for span in spans]
            found += [self._fact(root, span, moment, view, retracted=True) for span in intervals(wrong, (), view)]
        return sorted(found, key=lambda fact: (fact.said[0].at.timestamp() if fact.said[0].at else 0.0, fact.fact))

    def _others(self, rows: Sequence[FactRow], view: GraphView) -> list[FactRow]:
        """Return what was said of similarly named things that may end these facts: 周六的羽毛球取消了."""
        if not rows or rows[0].relation not in (*LOOSE, "plans"):
            return []
        wanted = "scheduled" if rows[0].relation == "plans" else rows[0].relation
        own = {row.subject.entity for row in rows}
        said = [row for row in view.seen(self._derived.facts_of_relation(wanted)) if row.subject.entity not in own]
        if rows[0].relation == "plans":
            keys = [row.value_key for row in rows]
            return [each for each in said if each.negative and any(each.subject.key in key for key in keys)]
        key = rows[0].subject.key
        return [each for each in said if (each.changed or each.negative) and names_part_of(each.subject.key, key)]

    def _naming(self, viewer: Viewer | None, view: GraphView | None = None) -> Naming:
        speaker = me(viewer.place.channel, viewer.person) if viewer is not None else me("", OWNER)
        return Naming(self._derived, view or self._view(viewer), speaker)

    def _entity(self, root: str, view: GraphView) -> Entity | None:
        refs = [ref for entity in sorted(view.merges.members(root)) for ref in self._derived.entity(entity)]
        if not refs:
            return None
        first = next((ref for ref in refs if ref.entity == root), refs[0])
        return Entity(root, first.kind, tuple(dict.fromkeys(ref.name.text for ref in [first, *refs])))

    def _fact(self, root: str, span: Interval, at: int, view: GraphView, *, retracted: bool = False) -> Fact:
        row = max(span.rows, key=lambda each: (each.confidence, each.source))
        doubt = 1.0
        for each in {(each.sender, each.voice, each.source): each for each in span.rows}.values():
            doubt *= 1 - each.confidence * (1.0 if each.voice != "assistant" else 0.1)
        return masked_fact(
            Fact(
                fact=row.fact,
                subject=root,
                subject_name=row.subject.name.text,
                relation=row.relation,
                value=row.value.text,
                object=view.merges.root(row.object.entity) if row.object is not None else "",
                negative=row.negative,
                mode=row.mode,
                confidence=round(max(row.confidence, 1 - doubt), 3),
                since=_when(span.start, row),
                until=_when(span.end, row),
                current=not retracted and span.holds(at),
                state=_state(span, at, retracted=retracted),
                retracted=retracted,
                days=tuple((date.fromisoformat(first), date.fromisoformat(last)) for first, last in row.days),
                said=tuple(self._sayings(span.rows)),
            )
        )

    def _sayings(self, rows: Iterable[FactRow]) -> Iterable[Saying]:
        for row in rows:
            turn = self._log.turn(row.source)
            spans = row.evidence.spans
            place = spans[0] if spans else None
            exact = place is not None and place.raw_start is not None and place.raw_end is not None
            yield Saying(
                turn=turn.turn_id if turn is not None else None,
                external_id=turn.external_id if turn is not None else "",
                segment=place.segment if place is not None else None,
                span=(place.raw_start or 0, place.raw_end or 0) if exact and place is not None else None,
                text=row.evidence.text,
                by=row.sender,
                voice=row.voice,
                at=row.at.datetime() if row.at is not None else None,
            )


def _surest(fact: Fact) -> float:
    return -fact.confidence


def _state(span: Interval, at: int, *, retracted: bool) -> State:
    row = span.rows[0]
    if retracted:
        return "wrong"
    if span.start is not None and span.start > at:
        return "later"
    if row.negative:
        return "denied"
    if row.mode == "planned" and (span.end is None or span.end > at):
        return "planned"
    return "holds" if span.holds(at) else "over"


def _there(turn: TurnRow | None) -> Viewer | None:
    return Viewer(turn.sender, turn.place, turn.members) if turn is not None else None


def _when(moment: int | None, row: FactRow) -> datetime | None:
    if not moment:
        return None
    return Moment(moment, row.at.offset_minutes if row.at is not None else 0).datetime()
