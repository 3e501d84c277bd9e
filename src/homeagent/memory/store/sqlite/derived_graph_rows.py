"""Between rows of the graph's tables and records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from homeagent.memory.store.graph_records import EntityRef, FactRow
from homeagent.memory.store.records import Moment
from homeagent.memory.store.sqlite.codec import decode, encode
from homeagent.memory.store.sqlite.derived_rows import as_text, packed_spans
from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from homeagent.memory.compute import ComputeText
    from homeagent.memory.store.graph_records import EntityKind, Mode, Voice

__all__ = ["FACT_COLUMNS", "as_fact", "as_feature", "as_mention", "fact_values", "mention_values"]

_SUBJECT = "subject, subject_kind, subject_anchor, subject_key, subject_name, subject_spans"
_OBJECT = "object, object_kind, object_anchor, object_key, object_name, object_spans"
FACT_COLUMNS = (
    f"source, position, fact, {_SUBJECT}, relation, value, value_spans, value_key, {_OBJECT}, negative, mode,"
    " changed, confidence, voice, channel, sender, scope, at_us, offset_minutes, days, evidence, evidence_spans"
)
"""Columns of ``fact``, in the order of its table."""

_NOBODY = ("", "", "", b"", b"", "[]")


def fact_values(row: FactRow) -> tuple[object, ...]:
    """Return a fact as a row of ``fact``."""
    at = row.at
    return (
        row.source, row.position, row.fact, *_entity_values(row.subject), row.relation, encode(row.value.text),
        packed_spans(row.value), encode(row.value_key),
        *(_NOBODY if row.object is None else _entity_values(row.object)),
        row.negative, row.mode, row.changed, row.confidence, row.voice, encode(row.channel), encode(row.sender),
        row.scope, at.microseconds if at else None, at.offset_minutes if at else None, json.dumps(row.days),
        encode(row.evidence.text), packed_spans(row.evidence),
    )  # fmt: skip


def as_fact(row: tuple[object, ...]) -> FactRow:
    """Return a row of ``fact`` as a record."""
    source, position, _, *rest = row
    subject, (relation, value, spans, value_key), target, rest = rest[:6], rest[6:10], rest[10:16], rest[16:]
    negative, mode, changed, confidence, voice, channel, sender, scope, at_us, offset, days, text, text_spans = rest
    return FactRow(
        source=cast("int", source),
        position=cast("int", position),
        subject=_as_entity(subject),
        relation=cast("str", relation),
        value=as_text(value, spans),
        value_key=decode(cast("bytes", value_key)),
        object=_as_entity(target) if target[0] else None,
        negative=bool(negative),
        mode=cast("Mode", mode),
        changed=bool(changed),
        confidence=cast("float", confidence),
        voice=cast("Voice", voice),
        channel=decode(cast("bytes", channel)),
        sender=decode(cast("bytes", sender)),
        scope=cast("int", scope),
        at=None if at_us is None else Moment(cast("int", at_us), cast("int", offset)),
        days=tuple((first, last) for first, last in json.loads(cast("str", days))),
        evidence=as_text(text, text_spans),
    )


def mention_values(entity: EntityRef) -> tuple[object, ...]:
    """Return an entity as the columns entity to name of ``mention``."""
    name = entity.name.text
    return (
        entity.entity, entity.kind, entity.anchor, encode(entity.key), encode(fold_text(name).strip()), encode(name),
    )  # fmt: skip


def as_mention(row: tuple[object, ...]) -> EntityRef:
    """Return (kind, anchor, key, name) as a record; a name looked up so knows no spans."""
    kind, anchor, key, name = row
    return EntityRef(cast("EntityKind", kind), cast("str", anchor), decode(cast("bytes", key)), as_text(name, "[]"))


def as_feature(text: object, spans: object) -> ComputeText:
    """Return a stored piece of a document as compute text."""
    return as_text(text, spans)


def _entity_values(entity: EntityRef) -> tuple[object, ...]:
    return (
        entity.entity, entity.kind, entity.anchor, encode(entity.key), encode(entity.name.text),
        packed_spans(entity.name),
    )  # fmt: skip


def _as_entity(row: list[object]) -> EntityRef:
    _, kind, anchor, key, name, spans = row
    return EntityRef(cast("EntityKind", kind), cast("str", anchor), decode(cast("bytes", key)), as_text(name, spans))
