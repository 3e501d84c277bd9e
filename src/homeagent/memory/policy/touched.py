"""What a change of policy touches: the segments it speaks of, and the replies that repeat one of them.

Hiding takes effect in the transaction that takes note of the change: whatever may have to go is out of compute text,
every index, facts and document features when it ends, and waits in the queue to be derived. What is shown anew only
waits in the queue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.memory.door.copies import Copyable
from homeagent.memory.door.repeats import repeating
from homeagent.memory.policy.book import OUTPUT, PolicyBook
from homeagent.memory.store.protocols import chat_key
from homeagent.memory.store.records import Todo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from homeagent.memory.distilling import Distiller
    from homeagent.memory.door.quotes import Quotes
    from homeagent.memory.policy.book import EffectivePolicy
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import SegmentRow
    from homeagent.memory.turn import Place

__all__ = ["Move", "Touched"]

_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Move:
    """A segment whose policy is another now: ``hides`` when less of it may be computed, ``shows`` when more.

    Neither when only the words for the reason differ. ``place`` is where an output stands; None for people's words,
    which replies may repeat.
    """

    segment: int
    hides: bool
    shows: bool
    place: Place | None = None


class Touched:
    """Finds what changes of policy touch, and takes it out of the computed half."""

    def __init__(self, log: LogStore, derived: DerivedStore, quotes: Quotes, distiller: Distiller) -> None:
        self._log = log
        self._derived = derived
        self._quotes = quotes
        self._distiller = distiller

    def take(self, policy: int) -> None:
        """Take note of the policy event at seq ``policy``. Called in the transaction that does."""
        rows = self._log.policies()
        before = PolicyBook(row for row in rows if row.seq < policy)
        after = PolicyBook(row for row in rows if row.seq <= policy)
        moves = self.moves(before, after)
        hiding = self.hiding_replies(moves)
        self._blank({move.segment for move in moves if move.hides} | hiding, policy)
        wanted = {move.segment for move in moves} | hiding | self.showing_replies(moves)
        self._derived.queue(Todo(seq, "door", f"policy-{policy}") for seq in sorted(wanted))

    def moves(self, before: PolicyBook, after: PolicyBook) -> list[Move]:
        """Return every segment whose policy differs, oldest first."""
        found: list[Move] = []
        for name in self._log.tool_names():
            hides, shows, same = _compared(before.for_tool(name), after.for_tool(name))
            if not same:
                places: dict[int, Place] = {}
                for segment, turn in self._log.segments_of_tools([name]):
                    if turn not in places and (hides or shows) and (row := self._log.turn(turn)) is not None:
                        places[turn] = row.place
                    found.append(Move(segment, hides, shows, places.get(turn)))
        for name in self._log.channels():
            for replies, of in ((False, name), (True, name + OUTPUT)):
                hides, shows, same = _compared(before.for_channel(of), after.for_channel(of))
                if not same:
                    segments = self._log.segments_of_channels([name], replies=replies)
                    found += [Move(segment, hides, shows) for segment in segments]
        return sorted(found, key=lambda move: move.segment)

    def hiding_replies(self, moves: Iterable[Move]) -> set[int]:
        """Return the replies that repeat something of the outputs that ``moves`` hide."""
        found: set[int] = set()
        for place, segments in _by_place(move for move in moves if move.hides).items():
            chat = chat_key(place)
            for sources in self._sources(segments):
                found |= repeating(self._derived, chat, self._quotes.salt(chat), sources)
        return found

    def showing_replies(self, moves: Iterable[Move]) -> set[int]:
        """Return the replies of which something is left out and that may repeat an output that ``moves`` show."""
        places = _by_place(move for move in moves if move.shows)
        quoting = self._derived.quoting_segments() if places else set()
        return {
            seq for place, segments in places.items() for seq in self._log.replies_after(place, segments[0])
        } & quoting

    def changed_reply(self, row: SegmentRow, place: Place) -> set[int]:
        """Return the later replies that what is computed of this one matters to: they may repeat what it still says."""
        chat = chat_key(place)
        source = Copyable((row.segment.text,), ())
        found = repeating(self._derived, chat, self._quotes.salt(chat), [(row.seq, source)])
        quoting = self._derived.quoting_segments()
        return found | (quoting & set(self._log.replies_after(place, row.seq)) if quoting else set())

    def all_replies(self, moves: Sequence[Move]) -> dict[int, Place]:
        """Return every reply that could turn out otherwise for these moves, by seq, with its place."""
        found: dict[int, Place] = {}
        waiting = sorted(self.hiding_replies(moves) | self.showing_replies(moves))
        while waiting:
            seq = waiting.pop()
            row = self._log.segment(seq) if seq not in found else None
            turn = self._log.turn(row.turn) if row is not None else None
            if row is not None and turn is not None:
                found[seq] = turn.place
                waiting += self.changed_reply(row, turn.place)
        return found

    def _sources(self, segments: Iterable[int]) -> Iterator[list[tuple[int, Copyable]]]:
        """Yield what may be copied of these outputs, about `_AT_ONCE` characters at a time."""
        sources: list[tuple[int, Copyable]] = []
        size = 0
        for seq in segments:
            row = self._log.segment(seq)
            if row is None:
                continue
            sources.append((seq, Copyable((row.segment.text, row.segment.arguments or ""), ())))
            size += len(row.segment.text)
            if size > _AT_ONCE:
                yield sources
                sources, size = [], 0
        yield sources

    def _blank(self, segments: set[int], policy: int) -> None:
        turns = self._derived.blank(segments)
        for turn in turns:
            self._distiller.changed(turn)
        self._derived.queue(Todo(turn, "index", f"policy-{policy}") for turn in turns)


def _compared(before: EffectivePolicy, after: EffectivePolicy) -> tuple[bool, bool, bool]:
    """Return whether the second hides, whether it shows, and whether both are the same to the last word."""
    differs = before.fingerprint != after.fingerprint
    return differs and after.treatment != "plain", differs and before.treatment != "plain", before == after


def _by_place(moves: Iterable[Move]) -> dict[Place, Sequence[int]]:
    found: dict[Place, list[int]] = {}
    for move in moves:
        if move.place is not None:
            found.setdefault(move.place, []).append(move.segment)
    return {place: sorted(segments) for place, segments in found.items()}
