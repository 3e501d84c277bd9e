"""Forms of what the memory hands out: hits, segments raw beside computed, documents, facts."""

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from homeagent.server.for_members import waiting
from homeagent.server.forms import PlaceForm, TurnForm, iso, place_form, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.memory import Document, Entity, Fact, Hit, Recall
    from homeagent.memory.store.records import Computed, SegmentRow

__all__ = [
    "AttachmentForm",
    "DocumentForm",
    "EntityForm",
    "FactForm",
    "Found",
    "HitForm",
    "SegmentForm",
    "SpanForm",
    "WholeTurn",
    "document_form",
    "entity_form",
    "fact_form",
    "found_form",
    "segment_forms",
]


class NeighbourForm(BaseModel):
    """A turn beside a hit, -1 before and 1 after it."""

    turn: str
    offset: int
    text: str
    at: str | None


class HitForm(BaseModel):
    """One remembered turn by its best passage, and what speaks for it."""

    turn: str
    external_id: str
    source: str
    text: str
    score: float
    why: list[str]
    segment: int
    span: tuple[int, int] | None
    place: PlaceForm
    sender: str
    at: str | None
    superseded: bool
    neighbours: list[NeighbourForm]


class Found(BaseModel):
    """What is remembered, best first. ``answerable`` is the probability that the memory holds an answer."""

    hits: list[HitForm]
    answerable: float
    nothing: bool
    pending: int


class SpanForm(BaseModel):
    """Characters of the computed text, and the characters of raw they are; None where a cleaner rewrote them."""

    start: int
    end: int
    raw_start: int | None
    raw_end: int | None


class AttachmentForm(BaseModel):
    """A file that came along."""

    name: str
    media_type: str
    bytes: int


class SegmentForm(BaseModel):
    """One segment: raw as it was said, beside what is computed of it and why.

    ``cuts`` are the ranges of raw that were left out as quotations. ``left_out`` are all ranges of raw of which nothing
    is computed, None where a cleaner rewrote the text so that no range corresponds.
    """

    position: int
    role: Literal["user", "assistant", "tool", "system"]
    tool: str | None
    call_id: str | None
    plugin: str
    arguments: str | None
    error: bool
    no_memory: bool
    raw: str
    computed: str
    decision: str | None
    reason: str
    fingerprint: str
    spans: list[SpanForm]
    cuts: list[tuple[int, int]]
    left_out: list[tuple[int, int]] | None
    cites: list[str]
    attachments: list[AttachmentForm]


class WholeTurn(TurnForm):
    """A turn with every segment."""

    segments: list[SegmentForm]


class DocumentForm(BaseModel):
    """A document in short."""

    document: str
    title: str
    turns: list[str]
    channel: str
    chat: str
    first: str | None
    last: str | None
    summary: list[str]
    tags: list[str]
    entities: list[str]
    pending: bool


class SayingForm(BaseModel):
    """One time that a fact was said, in what words."""

    turn: str | None
    external_id: str
    span: tuple[int, int] | None
    text: str
    by: str
    voice: str
    at: str | None


class FactForm(BaseModel):
    """A claim and the time it held, with its evidence."""

    fact: str
    subject: str
    subject_name: str
    relation: str
    value: str
    object: str
    negative: bool
    mode: str
    confidence: float
    since: str | None
    until: str | None
    current: bool
    state: str
    retracted: bool
    said: list[SayingForm]


class EntityForm(BaseModel):
    """Somebody or something that facts speak of."""

    entity: str
    kind: str
    names: list[str]


def found_form(found: "Recall", *, is_owner: bool) -> Found:
    """Return what recall found, as the owner or a member is told of it."""
    return Found(
        hits=[_hit(each) for each in found.hits],
        answerable=float(found.answerable),
        nothing=bool(found.nothing),
        pending=waiting(found.pending, is_owner=is_owner),
    )


def _hit(hit: "Hit") -> HitForm:
    return HitForm(
        turn=hit.turn,
        external_id=plain(hit.external_id),
        source=plain(hit.source),
        text=plain(hit.text),
        score=float(hit.score),
        why=[plain(each) for each in hit.why],
        segment=hit.segment,
        span=hit.span,
        place=place_form(hit.place),
        sender=plain(hit.sender),
        at=iso(hit.at),
        superseded=hit.superseded,
        neighbours=[
            NeighbourForm(turn=each.turn, offset=each.offset, text=plain(each.text), at=iso(each.at))
            for each in hit.neighbours
        ],
    )


def segment_forms(rows: "Sequence[SegmentRow]", computed: "Sequence[Computed]") -> list[SegmentForm]:
    """Return segments raw beside computed."""
    by_segment = {each.segment: each for each in computed}
    return [_segment(row, by_segment.get(row.seq)) for row in rows]


def _segment(row: "SegmentRow", computed: "Computed | None") -> SegmentForm:
    segment = row.segment
    spans = [each for each in computed.text.spans if each.segment == row.seq] if computed is not None else []
    return SegmentForm(
        position=row.position,
        role=segment.role,
        tool=None if segment.tool is None else plain(segment.tool),
        call_id=None if segment.call_id is None else plain(segment.call_id),
        plugin=plain(segment.plugin),
        arguments=None if segment.arguments is None else plain(segment.arguments),
        error=segment.error,
        no_memory=segment.no_memory,
        raw=plain(segment.text),
        computed=plain(computed.text.text) if computed is not None else "",
        decision=computed.decision if computed is not None else None,
        reason=plain(computed.reason) if computed is not None else "waits in the queue",
        fingerprint=computed.fingerprint if computed is not None else "",
        spans=[
            SpanForm(start=each.start, end=each.end, raw_start=each.raw_start, raw_end=each.raw_end) for each in spans
        ],
        cuts=list(computed.cuts) if computed is not None else [],
        left_out=_left_out(len(segment.text), computed, [(each.raw_start, each.raw_end) for each in spans]),
        cites=list(segment.cites),
        attachments=[
            AttachmentForm(name=plain(each.name), media_type=plain(each.media_type), bytes=len(each.data))
            for each in segment.attachments
        ],
    )


def _left_out(
    length: int, computed: "Computed | None", ranges: "Sequence[tuple[int | None, int | None]]"
) -> list[tuple[int, int]] | None:
    """Return the ranges of raw of which nothing is computed."""
    if computed is None:
        return None
    known = sorted((start, end) for start, end in ranges if start is not None and end is not None)
    if len(known) < len(ranges) or (computed.text.text and not known):
        return None
    found: list[tuple[int, int]] = []
    at = 0
    for start, end in known:
        if start > at:
            found.append((at, start))
        at = max(at, end)
    return [*found, *([(at, length)] if at < length else [])]


def document_form(document: "Document") -> DocumentForm:
    """Return a document in short."""
    return DocumentForm(
        document=document.document,
        title=plain(document.title),
        turns=list(document.turns),
        channel=plain(document.channel),
        chat=plain(document.chat),
        first=iso(document.first),
        last=iso(document.last),
        summary=[plain(each) for each in document.summary],
        tags=[plain(each) for each in document.tags],
        entities=[plain(each) for each in document.entities],
        pending=document.pending,
    )


def fact_form(fact: "Fact") -> FactForm:
    """Return a fact with its evidence."""
    return FactForm(
        fact=fact.fact,
        subject=fact.subject,
        subject_name=plain(fact.subject_name),
        relation=fact.relation,
        value=plain(fact.value),
        object=fact.object,
        negative=fact.negative,
        mode=fact.mode,
        confidence=fact.confidence,
        since=iso(fact.since),
        until=iso(fact.until),
        current=fact.current,
        state=fact.state,
        retracted=fact.retracted,
        said=[
            SayingForm(
                turn=each.turn,
                external_id=plain(each.external_id),
                span=each.span,
                text=plain(each.text),
                by=plain(each.by),
                voice=each.voice,
                at=iso(each.at),
            )
            for each in fact.said
        ],
    )


def entity_form(entity: "Entity") -> EntityForm:
    """Return an entity."""
    return EntityForm(entity=entity.entity, kind=entity.kind, names=[plain(each) for each in entity.names])
