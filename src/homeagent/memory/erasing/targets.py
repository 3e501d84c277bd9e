"""What is to be forgotten or erased: turns named, by a fact, a person, a stretch of time, or by what they say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.errors import InputError, NotFoundError
from homeagent.memory.compute import QueryText
from homeagent.memory.erasing.traces import terms_of
from homeagent.memory.keeping import the_turn
from homeagent.memory.knowledge.writing import WRITTEN_FACTS, hidden_writes, written_facts
from homeagent.memory.passages import turn_of
from homeagent.memory.people.identity import People
from homeagent.memory.store.records import Doomed, Moment
from homeagent.memory.text.terms import Terms, query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import TurnRow, WriteRow

__all__ = ["FORGOTTEN_FACT", "Chosen", "Target", "Targets"]

FORGOTTEN_FACT: Final = "forgotten-fact"
"""The kind of explicit write that remembers by which fact a turn was forgotten; it goes with the turn."""

_ALL: Final = 2**62
"""No limit on the passages that hold a term."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is meant. One of: ids of turns, a fact's id, a person, a stretch of time, a text.

    ``since`` is inclusive, ``until`` exclusive; either may be left out. ``text`` means the turns that hold all its
    words. ``person`` is who said it: a person of the identity map, or a sender id.
    """

    turns: tuple[str, ...] = ()
    source: str | None = None
    fact: str = ""
    person: str = ""
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a target stands for: turns, oldest first, and explicit writes that were made outside of any turn."""

    turns: tuple[TurnRow, ...]
    writes: tuple[WriteRow, ...] = ()

    @property
    def doomed(self) -> Doomed:
        """The seqs of all that, for an erasure."""
        return Doomed(tuple(row.seq for row in self.turns), (), tuple(row.seq for row in self.writes))


class Targets:
    """Looks up what a target stands for."""

    def __init__(self, log: LogStore, derived: DerivedStore) -> None:
        self._log = log
        self._derived = derived

    def chosen(self, target: Target, *, forgotten: bool = False) -> Chosen:
        """Return what a target stands for, only among forgotten turns if ``forgotten``.

        Raises `NotFoundError` when that is nothing, and `InputError` unless it is meant in exactly one way.
        """
        ways = (target.turns, target.fact, target.person, target.since or target.until, target.text.strip())
        if sum(bool(way) for way in ways) != 1:
            problem = "name turns, or one of --fact, --person, --from/--to, --search"
            raise InputError("what to forget", "is not said in one way", problem)
        writes: list[WriteRow] = []
        if target.turns:
            turns = [the_turn(self._log, name, target.source) for name in target.turns]
        elif target.fact:
            turns, writes = self._of_fact(target.fact, forgotten=forgotten)
        elif target.person:
            turns = self._of_person(target.person)
        elif target.text.strip():
            turns = self._holding(target.text, forgotten=forgotten)
        else:
            turns = self._between(target.since, target.until)
        hidden = self._log.forgotten() if forgotten else None
        rows = {row.seq: row for row in turns if hidden is None or row.seq in hidden}
        if not rows and not writes:
            what = "nothing that is forgotten fits it" if forgotten else "nothing in this home fits it"
            raise NotFoundError(_named(target), what, "Look it up with 'homeagent memory search'")
        return Chosen(tuple(rows[seq] for seq in sorted(rows)), tuple(writes))

    def _of_fact(self, fact: str, *, forgotten: bool) -> tuple[list[TurnRow], list[WriteRow]]:
        if forgotten:
            marks = (row for row in self._log.writes() if row.kind == FORGOTTEN_FACT)
            seqs = [row.turn for row in marks if json.loads(row.payload)["fact"] == fact and row.turn is not None]
            return self._rows(seqs), self._forgotten_writes(fact)
        turns: list[int] = []
        writes: list[WriteRow] = []
        for row in self._derived.facts_claiming(fact):
            written = self._log.write(row.source)
            if written is None:
                turns.append(row.source)
            elif written.turn is not None:
                turns.append(written.turn)
            else:
                writes.append(written)
        return self._rows(turns), writes

    def _forgotten_writes(self, fact: str) -> list[WriteRow]:
        rows = self._log.writes()
        hidden = hidden_writes(rows, ())
        written = [row for row in rows if row.seq in hidden and row.turn is None and row.kind in WRITTEN_FACTS]
        return [row for row in written if any(each.fact == fact for each in written_facts(row, None, 0))]

    def _of_person(self, person: str) -> list[TurnRow]:
        people = People(self._log.identities())
        rows = [(people.person(row.place.channel, row.sender), row) for row in self._log.turns()]
        known = [row for name, row in rows if name == person]
        return known or [row for _, row in rows if row.sender == person]

    def _between(self, since: datetime | None, until: datetime | None) -> list[TurnRow]:
        low = Moment.of(since).microseconds if since is not None else -(2**62)
        high = Moment.of(until).microseconds if until is not None else 2**62
        return [row for row in self._log.turns() if row.at is not None and low <= row.at.microseconds < high]

    def _holding(self, text: str, *, forgotten: bool) -> list[TurnRow]:
        """Return all turns that hold all words of a text: of what is computed, or raw among the forgotten ones."""
        asked = _asked(text)
        wanted = {*asked.words, *asked.bigrams, *asked.symbols}
        if not wanted:
            return []
        if forgotten:
            rows = self._rows(self._log.forgotten())
            texts = {row.seq: [each.segment.text for each in self._log.segments(row.seq)] for row in rows}
        else:
            rows = self._rows(sorted(self._listed(asked)))
            texts = {row.seq: [each.text.text for each in self._derived.computed_of(row.seq)] for row in rows}
        return [row for row in rows if wanted <= terms_of("\n".join(texts[row.seq]))]

    def _listed(self, asked: Terms) -> set[int]:
        """Return every turn under all of these terms in the index, in whichever of its passages each stands."""
        turns: set[int] | None = None
        for column, terms in (("symbols", asked.symbols), ("bigrams", asked.bigrams), ("words", asked.words)):
            for term in dict.fromkeys(terms):
                found = self._derived.postings(column, term, None, _ALL)
                holding = {turn_of(passage) for passage in found.tolist()}
                turns = holding if turns is None else turns & holding
                if not turns:
                    return set()
        return turns or set()

    def _rows(self, seqs: Iterable[int]) -> list[TurnRow]:
        return [row for seq in seqs if (row := self._log.turn(seq)) is not None]


def _asked(text: str) -> Terms:
    """Return the terms that a turn must hold. Chinese goes by its characters: where a word ends is the reader's view.

    (A dictionary cuts 密码 out of one sentence and 密码锁 out of the next; both hold the pair 密码.)
    """
    asked = query_terms(QueryText(text)).content
    pairs = "".join(asked.bigrams)
    return Terms(tuple(word for word in asked.words if not set(word) <= set(pairs)), asked.bigrams, asked.symbols)


def _named(target: Target) -> str:
    if target.fact:
        return f"fact {target.fact!r}"
    if target.person:
        return f"person {target.person!r}"
    return f"text {target.text!r}" if target.text else "this stretch of time"
