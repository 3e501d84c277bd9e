"""Between rows of ``derived.db`` and records: the one place where admitted text is read back as compute text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import msgspec

from homeagent.memory.compute import ComputeText, Span
from homeagent.memory.door.mint import admit
from homeagent.memory.store.records import (
    Computed,
    IndexedTurn,
    Moment,
    OutputCues,
    Passage,
    PassageSize,
    TurnCues,
    TurnOutline,
)
from homeagent.memory.store.sqlite.codec import decode
from homeagent.memory.turn import Place, TurnId

if TYPE_CHECKING:
    from homeagent.memory.store.records import Decision, PassageKind
    from homeagent.memory.turn import Role, Status

__all__ = [
    "as_computed",
    "as_embedded",
    "as_outline",
    "as_passage",
    "as_size",
    "as_text",
    "as_turn",
    "flags_of",
    "output_flags",
    "packed_spans",
]


_UNSAID = tuple(OutputCues(bool(flags & 1), bool(flags & 2), bool(flags & 4), bool(flags & 8)) for flags in range(16))
"""The cues of pieces with nobody's name in front, by their bits: shared, there are as many as pieces of outputs."""


def packed_spans(text: ComputeText) -> str:
    """Return the spans of a compute text as JSON."""
    return json.dumps(
        [[span.start, span.end, span.segment, span.raw_start, span.raw_end] for span in text.spans],
        separators=(",", ":"),
    )


def as_text(text: object, spans: object) -> ComputeText:
    """Return text that was admitted before, read back with its spans."""
    return admit(decode(cast("bytes", text)), [Span(*span) for span in msgspec.json.decode(cast("str", spans))])


def as_computed(row: tuple[object, ...]) -> Computed:
    """Return a row of ``computed`` as a record; columns in the order of the table."""
    segment, turn, position, role, tool, decision, reason, raw_length, text, spans, cuts, fingerprint = row
    return Computed(
        segment=cast("int", segment),
        turn=cast("int", turn),
        position=cast("int", position),
        role=cast("Role", role),
        tool=None if tool is None else decode(cast("bytes", tool)),
        decision=cast("Decision", decision),
        reason=cast("str", reason),
        raw_length=cast("int", raw_length),
        text=as_text(text, spans),
        cuts=tuple((start, end) for start, end in msgspec.json.decode(cast("str", cuts))),
        fingerprint=cast("str", fingerprint),
    )


def as_passage(row: tuple[object, ...]) -> Passage:
    """Return (passage, turn, kind, text, spans) as a record."""
    passage, turn, kind, text, spans = row
    return Passage(cast("int", passage), cast("int", turn), cast("PassageKind", kind), as_text(text, spans))


def as_embedded(text: bytes) -> ComputeText:
    """Return the text that is embedded for a passage; its spans are the passage's."""
    return admit(decode(text))


def as_turn(row: tuple[object, ...]) -> IndexedTurn:
    """Return a row of ``turn`` joined with its chat as a record."""
    seq, turn_id, source, external, channel, chat_name, sender, at_us, offset, status, scope, chat, *cues = row
    return IndexedTurn(
        seq=cast("int", seq),
        turn_id=TurnId(cast("str", turn_id)),
        source=cast("str", source),
        external_id=cast("str", external),
        place=Place(decode(cast("bytes", channel)), decode(cast("bytes", chat_name))),
        sender=decode(cast("bytes", sender)),
        at=None if at_us is None else Moment(cast("int", at_us), cast("int", offset)),
        status=cast("Status", status),
        scope=cast("int", scope),
        chat=cast("int", chat),
        cues=_cues(cues),
    )


def as_outline(row: tuple[int, int, bytes, int | None, float, float, int]) -> TurnOutline:
    """Return (seq, scope, sender, at_us, words, asks, flags) as a record."""
    return TurnOutline(row[0], row[1], decode(row[2]), row[3], _cues(list(row[4:])))


def flags_of(cues: TurnCues) -> int:
    """Return the yes-or-no cues as bits."""
    bits = (cues.first_person, cues.time, cues.number, cues.people, cues.assistant)
    return sum(1 << place for place, bit in enumerate(bits) if bit)


def as_size(row: tuple[int, int, int, int, int, str, int, bytes]) -> PassageSize:
    """Return (passage, turn, scope, words, bigrams, kind, flags, said_by) as a record."""
    passage, turn, scope, words, bigrams, kind, flags, said_by = row
    cues = _UNSAID[flags] if not said_by else replace(_UNSAID[flags], said_by=decode(said_by))
    return PassageSize(passage, turn, scope, words, bigrams, kind == "output", cues)


def output_flags(cues: OutputCues) -> int:
    """Return the yes-or-no cues of a piece of an output as bits."""
    bits = (cues.asks, cues.first_person, cues.time, cues.number)
    return sum(1 << place for place, bit in enumerate(bits) if bit)


def _cues(row: list[object]) -> TurnCues:
    words, asks, flags = cast("float", row[0]), cast("float", row[1]), cast("int", row[2])
    return TurnCues(words, asks, *(bool(flags >> place & 1) for place in range(5)))
