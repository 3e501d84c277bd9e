"""Facts by a model: the one method that is asked of it, and how its answer is checked and remembered.

A model is not asked twice: what it found goes into the log as an outcome. That outcome holds no text, only where in the
raw segments subject, value and evidence stand, so an erasure leaves nothing of it; and at every derivation the places
are looked up in what the door lets through *now*, so what a policy hides is no fact any more.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from homeagent.memory.compute import Span
from homeagent.memory.distil.keys import sender_key, value_key
from homeagent.memory.distil.relations import KIN, RELATIONS
from homeagent.memory.store.graph_records import EntityRef, FactRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.compute import ComputeText
    from homeagent.memory.distil.keys import TurnWords
    from homeagent.memory.store.records import Computed

__all__ = ["MODEL_FACTS", "FactModel", "ModelFact", "facts_of_outcome", "outcome_payload"]

MODEL_FACTS: Final = "model-facts"
"""The kind of outcome that holds what a model found in a turn."""

_CONFIDENCE: Final = {"user": 0.7, "tool": 0.45, "assistant": 0.25, "system": 0.25}

Place = tuple[int, int, int]
"""Segment seq, first and last character of raw."""


@dataclass(frozen=True, slots=True)
class ModelFact:
    """A fact as a model gives it: ``subject`` is a name from the text, or empty for who speaks; texts are verbatim."""

    subject: str
    relation: str
    value: str
    evidence: str
    negative: bool = False


class FactModel(Protocol):
    """What the distiller asks of a model. ``model_id`` is remembered with what it found."""

    @property
    def model_id(self) -> str:
        """Which model it is."""
        ...

    def extract(self, text: ComputeText, relations: Sequence[str]) -> Sequence[ModelFact]:
        """Return the facts that the sender of ``text`` claims, with relations out of ``relations``."""
        ...


def outcome_payload(turn: int, model: FactModel, rows: Iterable[Computed]) -> str:
    """Ask a model about the words of a turn; return what is to be logged.

    A fact is kept only when its relation is known, its evidence stands verbatim in the text and its value and subject
    stand verbatim in the evidence, all in raw.
    """
    found: list[dict[str, object]] = []
    for row in rows:
        if row.role not in ("user", "assistant") or not row.text:
            continue
        for fact in model.extract(row.text, sorted(RELATIONS)):
            places = _places(row.text, fact)
            if places is not None:
                subject, value, evidence = places
                found.append(
                    {"r": fact.relation, "n": fact.negative, "s": subject, "o": value, "e": evidence, "role": row.role}
                )
    return json.dumps({"turn": turn, "model": model.model_id, "facts": found}, separators=(",", ":"))


def facts_of_outcome(turn: TurnWords, rows: Sequence[Computed], payload: str, first: int) -> list[FactRow]:
    """Return those facts of an outcome whose words the door lets through now; positions count from ``first``."""
    texts = {row.segment: row.text for row in rows}
    facts: list[FactRow] = []
    for each in json.loads(payload)["facts"]:
        text = texts.get(each["e"][0])
        if text is None:
            continue
        evidence, value = _at(text, each["e"]), _at(text, each["o"])
        subject = _at(text, each["s"]) if each["s"] else None
        if evidence is None or value is None or (each["s"] and subject is None) or not value_key(value.text):
            continue
        facts.append(_fact(turn, each, (subject, value, evidence), first + len(facts)))
    return facts


def _fact(
    turn: TurnWords,
    said: dict[str, object],
    texts: tuple[ComputeText | None, ComputeText, ComputeText],
    position: int,
) -> FactRow:
    subject, value, evidence = texts
    relation, role = str(said["r"]), str(said["role"])
    about = (
        EntityRef("person", "", sender_key(turn.channel, turn.sender), turn.speaker)
        if subject is None
        else EntityRef("named", "", value_key(subject.text), subject)
    )
    return FactRow(
        source=turn.seq,
        position=position,
        subject=about,
        relation=relation,
        value=value,
        value_key=value_key(value.text),
        object=EntityRef("named", "", value_key(value.text), value) if relation in KIN else None,
        negative=bool(said["n"]),
        mode="stated",
        changed=False,
        confidence=_CONFIDENCE.get(role, 0.25),
        voice="assistant" if role == "assistant" else "self" if subject is None else "user",
        channel=turn.channel,
        sender=turn.sender,
        scope=turn.scope,
        at=turn.at,
        days=(),
        evidence=evidence,
    )


def _places(text: ComputeText, fact: ModelFact) -> tuple[Place | None, Place, Place] | None:
    start = text.text.find(fact.evidence) if fact.evidence else -1
    if fact.relation not in RELATIONS or start < 0 or not fact.value:
        return None
    end = start + len(fact.evidence)
    at = text.text.find(fact.value, start, end)
    if at < 0:
        return None
    subject: Place | None = None
    if fact.subject:
        named = text.text.find(fact.subject, start, end)
        subject = _raw(text, named, named + len(fact.subject)) if named >= 0 else None
        if subject is None:
            return None
    value, evidence = _raw(text, at, at + len(fact.value)), _raw(text, start, end)
    return None if value is None or evidence is None else (subject, value, evidence)


def _raw(text: ComputeText, start: int, end: int) -> Place | None:
    """Return where characters of a compute text stand in raw; None where they come from more than one place."""
    match text.slice(start, end).spans:
        case (Span(segment=segment, raw_start=int(low), raw_end=int(high)),) if high - low == end - start:
            return segment, low, high
        case _:
            return None


def _at(text: ComputeText, place: Sequence[int]) -> ComputeText | None:
    """Return the compute text that stands at a place of raw, whole; None where not all of it is let through."""
    segment, start, end = place
    for span in text.spans:
        if span.segment == segment and span.raw_start is not None and span.raw_end is not None:
            if span.raw_end - span.raw_start != span.end - span.start:
                continue
            if span.raw_start <= start and end <= span.raw_end:
                first = span.start + start - span.raw_start
                return text.slice(first, first + end - start)
    return None
