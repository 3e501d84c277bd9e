"""The facts of one turn, from what the door let through of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from homeagent.memory.distil import chinese, english
from homeagent.memory.distil.keys import sender_key, value_key
from homeagent.memory.distil.modality import corrects, is_idle, is_joke, is_unreal, without_quotes, worth
from homeagent.memory.distil.parts import Focus
from homeagent.memory.distil.tagging import aligned, is_chinese
from homeagent.memory.documents.sentences import sentence_ranges
from homeagent.memory.store.graph_records import EntityRef, FactRow
from homeagent.memory.text.dates import spoken_days
from homeagent.memory.text.speech import is_question

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from homeagent.memory.compute import ComputeText
    from homeagent.memory.distil.keys import TurnWords
    from homeagent.memory.distil.parts import Draft, Party
    from homeagent.memory.store.graph_records import Voice
    from homeagent.memory.store.records import Computed

__all__ = ["Spoken", "entity_of", "facts_of_turn", "spoken"]

_LONGEST: Final = 20_000
"""Characters of a segment that facts are looked for in: a longer one is a listing, not something said."""
_LONGEST_SENTENCE: Final = 600
_SPOKEN_TO: Final = re.compile(r"(?:you|your|yours|yourself)(?![a-z])|[你您]")
_CONFIDENCE: Final[dict[Voice, float]] = {"explicit": 1.0, "self": 0.9, "user": 0.8, "tool": 0.5, "assistant": 0.3}


@dataclass(frozen=True, slots=True)
class Spoken:
    """A draft, the text of the segment it was found in, and the sentence that says it."""

    draft: Draft
    text: ComputeText
    sentence: ComputeText


def facts_of_turn(turn: TurnWords, rows: Sequence[Computed]) -> tuple[list[FactRow], list[EntityRef]]:
    """Return the facts of a turn in order, and the other names that it gives to those they speak of."""
    facts: list[FactRow] = []
    names: list[EntityRef] = []
    for row in rows:
        if row.role == "system":  # instructions, not something said
            continue
        for found in spoken(row.text, owner=row.role == "user"):
            voice = _voice(row.role, found.draft.subject)
            fact = _fact(turn, found, voice, len(facts))
            if fact is None or _is_nobody(fact.subject) or any(_same(fact, other) for other in facts):
                continue
            facts.append(fact)
            if fact.relation in ("name", "called") and not fact.negative:
                names.append(replace(fact.subject, name=fact.value))
    return facts, names


def _is_nobody(subject: EntityRef) -> bool:
    """Whether a subject is whoever is spoken to: a "you" of a reply is anybody, and so is all that is "yours"."""
    return subject.kind == "named" and _SPOKEN_TO.match(subject.key) is not None


def spoken(text: ComputeText, *, owner: bool) -> Iterator[Spoken]:
    """Yield what a text claims; ``owner`` tells whether "I" in it is the sender of the turn."""
    folded = without_quotes(aligned(text.text[:_LONGEST]))
    if is_joke(folded):
        return
    focus = Focus(owner=owner)
    for start, end in sentence_ranges(text.slice(0, _LONGEST)):
        sentence = folded[start:end]
        if len(sentence) > _LONGEST_SENTENCE:
            continue
        if corrects(sentence):
            focus = replace(focus, changed=True)
        if is_unreal(sentence) or is_question(text.slice(start, end)):
            continue
        language = chinese if is_chinese(sentence) else english
        focus = replace(focus, subject=None, relation="", first=focus.subject is None or focus.subject.kind == "me")
        for clause in language.clauses(sentence, start):
            if is_idle(clause.text):
                continue
            reading = language.read(clause, focus)
            focus = reading.focus
            for draft in reading.drafts:
                weighed = replace(draft, weight=draft.weight * worth(sentence))
                yield Spoken(weighed, text, text.slice(start, end))


def entity_of(party: Party, text: ComputeText, turn: TurnWords) -> EntityRef:
    """Return the entity that a party is in a turn."""
    name = text.slice(party.start, party.end)
    match party.kind:
        case "me":
            return EntityRef("person", "", sender_key(turn.channel, turn.sender), turn.speaker)
        case "relative" | "owned":
            anchor = entity_of(party.anchor, text, turn).entity if party.anchor is not None else ""
            key = party.key if party.kind == "relative" else value_key(party.key)
            return EntityRef(party.kind, anchor, key, name)
        case "named":
            return EntityRef("named", "", value_key(party.key), name)


def _voice(role: str, subject: Party) -> Voice:
    if role != "user":
        return "assistant" if role == "assistant" else "tool"
    about = subject.anchor if subject.anchor is not None else subject
    return "self" if about.kind == "me" else "user"


def _fact(turn: TurnWords, found: Spoken, voice: Voice, position: int) -> FactRow | None:
    draft, text = found.draft, found.text
    value = text.slice(draft.start, draft.end)
    key = value_key(value.text)
    if not key:
        return None
    moment = turn.at.datetime() if turn.at is not None else None
    days = spoken_days(found.sentence, moment) if draft.relation in _DATED else ()
    return FactRow(
        source=turn.seq,
        position=position,
        subject=entity_of(draft.subject, text, turn),
        relation=draft.relation,
        value=value,
        value_key=key,
        object=entity_of(draft.object, text, turn) if draft.object is not None else None,
        negative=draft.negative,
        mode=draft.mode,
        changed=draft.changed,
        confidence=round(_CONFIDENCE[voice] * draft.weight, 3),
        voice=voice,
        channel=turn.channel,
        sender=turn.sender,
        scope=turn.scope,
        at=turn.at,
        days=tuple((day.start.isoformat(), day.end.isoformat()) for day in days),
        evidence=found.sentence,
    )


_DATED: Final = frozenset(
    ("birthday", "scheduled", "plans", "lives_in", "works_at", "studies_at", "has", "costs", "value")
)


def _same(one: FactRow, other: FactRow) -> bool:
    return one.fact == other.fact and one.mode == other.mode and one.voice == other.voice
