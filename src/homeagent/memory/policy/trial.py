"""A policy tried out: what would be computed under other policies, worked out through the real door, nothing stored.

A chat at a time, in the order of the log, as deriving does it. What would be hidden anew is kept as hashes in memory,
and only those that a reply which may be concerned holds as well.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from homeagent.masking import masked
from homeagent.memory.door.copies import codes_of, folds, sketch_of
from homeagent.memory.door.door import NOTHING, carried
from homeagent.memory.results import PolicyChange, PolicyExample
from homeagent.memory.store.protocols import chat_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from homeagent.memory.distilling import Distiller
    from homeagent.memory.door.copies import Salt
    from homeagent.memory.door.door import Door, Passed
    from homeagent.memory.door.quotes import CopyIndex, Quotes
    from homeagent.memory.policy.book import PolicyBook
    from homeagent.memory.policy.touched import Touched
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import CopySketch, LogStore
    from homeagent.memory.store.records import Computed, SegmentRow, TurnRow

__all__ = ["Parts", "Trial"]

_SHOWN = 2000
_REPLIES = 3


@dataclass(frozen=True, slots=True)
class Parts:
    """What a trial works with. ``door`` makes the door for a book of policies and what copies are known by."""

    log: LogStore
    derived: DerivedStore
    quotes: Quotes
    touched: Touched
    distiller: Distiller
    door: Callable[[PolicyBook, CopyIndex], Door]


class _Overlay:
    """The sketches as they would be: the stored ones, but for the segments that were passed through the door anew."""

    def __init__(self, derived: DerivedStore, grams: frozenset[int]) -> None:
        self._derived = derived
        self._grams = grams
        self._passed: set[int] = set()
        self._runs: dict[tuple[bool, int], list[tuple[int, int]]] = {}
        self._units: dict[tuple[bool, int], list[int]] = {}

    def put(self, segment: int, sketch: CopySketch, *, own: bool) -> None:
        self._passed.add(segment)
        for gram, context in sketch.pairs():
            if gram in self._grams:
                self._runs.setdefault((own, gram), []).append((context, segment))
        for unit in sketch.units:
            self._units.setdefault((own, unit), []).append(segment)

    def matching_runs(self, chat: int, grams: Sequence[int], before: int, *, own: bool) -> list[tuple[int, int, int]]:
        stored = self._derived.matching_runs(chat, grams, before, own=own)
        new = [(gram, *each) for gram in grams for each in self._runs.get((own, gram), ()) if each[1] < before]
        return [row for row in stored if row[2] not in self._passed] + new

    def matching_units(self, chat: int, units: Sequence[int], before: int, *, own: bool) -> set[int]:
        stored = self._derived.unit_holders(chat, units, own=own)
        found = {unit for unit, segment in stored if segment < before and segment not in self._passed}
        return found | {unit for unit in units if any(seg < before for seg in self._units.get((own, unit), ()))}


@dataclass(slots=True)
class _Tally:
    """What is counted on the way."""

    segments: int = 0
    before: int = 0
    after: int = 0
    replies: int = 0
    reply_before: int = 0
    reply_after: int = 0
    going: int = 0
    coming: int = 0
    outputs: list[PolicyExample] = field(default_factory=list)
    quoting: list[PolicyExample] = field(default_factory=list)


@dataclass(slots=True)
class _Turn:
    """A turn that is looked at: what is computed of it now, and what would be."""

    row: TurnRow
    before: list[Computed]
    after: dict[int, Computed]


class Trial:
    """Works out what a change of policy would do."""

    def __init__(self, parts: Parts, examples: int) -> None:
        self._parts = parts
        self._examples = examples
        self._forgotten = parts.log.forgotten()
        self._pins = parts.log.pins()
        self._tally = _Tally()

    def run(self, before: PolicyBook, after: PolicyBook, progress: Callable[[int, int], None]) -> PolicyChange:
        """Return what would come and go if ``after`` were in force; ``progress`` is told (done, still to do)."""
        moves = [move for move in self._parts.touched.moves(before, after) if move.hides or move.shows]
        replies = self._parts.touched.all_replies(moves)
        groups: dict[int, list[int]] = {}
        for seq, place in (*((move.segment, move.place) for move in moves), *replies.items()):
            groups.setdefault(chat_key(place) if place is not None else 0, []).append(seq)
        done, total = 0, len(moves) + len(replies)
        for chat, seqs in groups.items():
            salt = self._parts.quotes.salt(chat)
            grams = frozenset(self._grams(sorted(replies.keys() & set(seqs)), salt))
            overlay = _Overlay(self._parts.derived, grams)
            door = self._parts.door(after, overlay)
            for _ in self._passed(sorted(seqs), door, overlay, salt):
                done += 1
                progress(done, total - done)
        return self._result()

    def _passed(self, seqs: Sequence[int], door: Door, overlay: _Overlay, salt: Salt) -> Iterator[None]:
        """Pass these segments of one chat through the door, oldest first."""
        open_turns: dict[int, _Turn] = {}
        for seq in seqs:
            for turn in [turn for turn, of in open_turns.items() if of.before[-1].segment < seq]:
                self._count_facts(open_turns.pop(turn))
            row = self._parts.log.segment(seq)
            turn_row = self._parts.log.turn(row.turn) if row is not None else None
            old = self._parts.derived.computed(seq)
            if row is not None and turn_row is not None:
                passed = self._carried(row, door.admit(row, turn_row, self._pins.get(seq, ())), old)
                overlay.put(seq, sketch_of(passed.copyable, salt), own=passed.own)
                if old is not None:
                    new = self._said(turn_row, passed)
                    self._count(row, turn_row, old, new)
                    if turn_row.seq not in open_turns:
                        rows = self._parts.derived.computed_of(turn_row.seq)
                        open_turns[turn_row.seq] = _Turn(turn_row, rows, {})
                    open_turns[turn_row.seq].after[seq] = new
            yield
        for of in open_turns.values():
            self._count_facts(of)

    def _carried(self, row: SegmentRow, passed: Passed, old: Computed | None) -> Passed:
        if old is None or not passed.gone or old.fingerprint != passed.computed.fingerprint:
            return passed
        return carried(passed, row.segment, old)

    def _said(self, turn: TurnRow, passed: Passed) -> Computed:
        if turn.seq not in self._forgotten:
            return passed.computed
        return replace(passed.computed, decision="forgotten", reason="forgotten by its owner", text=NOTHING)

    def _grams(self, replies: Iterable[int], salt: Salt) -> Iterator[int]:
        """Yield every gram of these replies as they are looked up: only these can make a difference."""
        for seq in replies:
            row = self._parts.log.segment(seq)
            if row is not None:
                for folded in folds(row.segment.text):
                    yield from salt.grams(codes_of(folded.text)).tolist()

    # -- counting ------------------------------------------------------------------------------------------------

    def _count(self, row: SegmentRow, turn: TurnRow, old: Computed, new: Computed) -> None:
        tally = self._tally
        examples, most = tally.outputs, self._examples
        if row.segment.role != "assistant":
            tally.segments += 1
            tally.before += len(old.text)
            tally.after += len(new.text)
        elif old.text != new.text:
            tally.replies += 1
            tally.reply_before += len(old.text)
            tally.reply_after += len(new.text)
            examples, most = tally.quoting, _REPLIES
        if len(examples) < most and old.text != new.text:
            examples.append(
                PolicyExample(
                    turn.turn_id, turn.external_id, row.position, row.segment.role, row.segment.tool,
                    new.decision, new.reason, _shown(old), _shown(new),
                )
            )  # fmt: skip

    def _count_facts(self, of: _Turn) -> None:
        after = [of.after.get(row.segment, row) for row in of.before]
        if after == of.before or of.row.closed is None:
            return
        then = Counter(fact.fact for fact in self._parts.distiller.facts(of.row, of.before)[0])
        now = Counter(fact.fact for fact in self._parts.distiller.facts(of.row, after)[0])
        self._tally.going += (then - now).total()
        self._tally.coming += (now - then).total()

    def _result(self) -> PolicyChange:
        tally = self._tally
        return PolicyChange(
            segments=tally.segments,
            characters_before=tally.before,
            characters_after=tally.after,
            replies=tally.replies,
            reply_characters_before=tally.reply_before,
            reply_characters_after=tally.reply_after,
            facts_going=tally.going,
            facts_coming=tally.coming,
            examples=(*tally.outputs, *tally.quoting),
        )


def _shown(row: Computed) -> str:
    """Return the beginning of what is computed of a segment, secrets of a known shape masked, none of them cut off."""
    return masked(row.text.text[: 2 * _SHOWN], said=False)[:_SHOWN]
