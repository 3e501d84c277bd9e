"""What says the same as what is to be erased, and stays: twins in other turns, and echoes that quote or cite it."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from homeagent.memory.erasing.finding import Finder
from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from homeagent.memory.erasing.targets import Chosen
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import SegmentRow
    from homeagent.memory.turn import Segment, TurnId

__all__ = ["Survivor", "survivors"]

Why = Literal["same words", "cites it", "quotes it"]
"""Why something is listed."""

_PAGE = 500
_TWIN = 12
"""Bytes: a shorter text is said so often that it means nothing (好的, ok); of the assistant's, characters."""
_QUOTED = 12
"""Folded characters that a line, or a whole text, must have to be looked for inside others."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A place that stays. ``segment`` is its position in the turn; None with ``turn`` empty is an explicit write.

    ``twin``: it says the very same words. ``echo``: it cites the erased turn, or a line of it stands inside.
    """

    kind: Literal["twin", "echo"]
    turn: TurnId | str
    external_id: str
    segment: int | None
    why: Why


def survivors(log: LogStore, chosen: Chosen) -> list[Survivor]:
    """Return every segment and explicit write that stays and says, quotes or cites what is to be erased.

    Reads the whole log once.
    """
    sought = _Sought.of(log, chosen)
    found: list[Survivor] = []
    segments = (row for row in log.all_segments() if row.turn not in sought.turns)
    while page := list(itertools.islice(segments, _PAGE)):
        found += sought.among(page, log)
    writes = {row.seq for row in chosen.writes}
    for written in log.writes():
        if written.turn not in sought.turns and written.seq not in writes:
            keys = [_key(text) for text in _strings(json.loads(written.payload))]
            if any(key in sought.said or any(line in key for line in sought.quoted) for key in keys):
                found.append(Survivor("echo", "", f"{written.kind} {written.seq}", None, "quotes it"))
    return found


@dataclass(frozen=True, slots=True)
class _Sought:
    """What is looked for: whole texts, and lines that may stand inside others; both folded."""

    turns: frozenset[int]
    ids: frozenset[TurnId]
    said: frozenset[str]
    quoted: frozenset[str]
    finder: Finder

    @staticmethod
    def of(log: LogStore, chosen: Chosen) -> _Sought:
        segments = [each.segment for row in chosen.turns for each in log.segments(row.seq)]
        texts = [text for segment in segments for text in _texts(segment)]
        texts += [text for row in chosen.writes for text in _strings(json.loads(row.payload))]
        replies = {_key(segment.text) for segment in segments if segment.role == "assistant"}
        said = {key for text in texts if len((key := _key(text)).encode("utf-8", "surrogatepass")) >= _TWIN}
        said -= {key for key in replies if len(key) < _TWIN}
        quoted = {key for text in texts for line in text.splitlines() if len(key := _key(line)) >= _QUOTED}
        quoted |= {key for key in said if len(key) >= _QUOTED}
        return _Sought(
            frozenset(row.seq for row in chosen.turns),
            frozenset(row.turn_id for row in chosen.turns),
            frozenset(said),
            frozenset(quoted),
            Finder(key.encode("utf-8", "surrogatepass") for key in said | quoted),
        )

    def among(self, page: Sequence[SegmentRow], log: LogStore) -> Iterator[Survivor]:
        """Yield those of some segments that survive; one look at all of them tells which keys to compare at all."""
        joined = _key("\0".join(text for row in page for text in _texts(row.segment)))
        maybe = {
            key.decode("utf-8", "surrogatepass") for key in self.finder.found(joined.encode("utf-8", "surrogatepass"))
        }
        for row in page:
            why = self._why(row, maybe)
            turn = log.turn(row.turn) if why is not None else None
            if turn is not None and why is not None:
                kind: Literal["twin", "echo"] = "twin" if why == "same words" else "echo"
                yield Survivor(kind, turn.turn_id, turn.external_id, row.position, why)

    def _why(self, row: SegmentRow, maybe: set[str]) -> Why | None:
        keys = [_key(text) for text in _texts(row.segment)] if maybe else []
        if any(key in self.said for key in keys):
            return "same words"
        if self.ids.intersection(row.segment.cites):
            return "cites it"
        lines = maybe & self.quoted
        return "quotes it" if any(line in key for key in keys for line in lines) else None


def _texts(segment: Segment) -> list[str]:
    return [text for text in (segment.text, segment.arguments) if text]


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from _strings(each)
        case list():
            for each in value:
                yield from _strings(each)
        case _:
            pass


def _key(text: str) -> str:
    return " ".join(fold_text(text).split())
