"""Where a sentence stands in raw, and what became of it: for those who wonder why it is not remembered."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.server.forms import plain

if TYPE_CHECKING:
    from datetime import datetime

    from homeagent.memory import Memory, Viewer
    from homeagent.memory.store.records import Computed, SegmentRow

__all__ = ["Spot", "look_up"]

_MOST: Final = 10
_AROUND: Final = 120


@dataclass(frozen=True, slots=True)
class Spot:
    """A segment in which the words stand. ``inside``: they are computed too.

    ``before`` and ``after`` are what stands about them.
    """

    turn: str
    at: datetime | None
    segment: SegmentRow
    computed: Computed | None
    inside: bool
    before: str
    words: str
    after: str


def look_up(memory: Memory, viewer: Viewer | None, words: str) -> list[Spot]:
    """Return where words stand in raw that ``viewer`` may see, newest first, ten at most; white space is all the same.

    Reads raw from its end, so that what was said lately is found quickly.
    """
    wanted = re.compile(r"\s+".join(map(re.escape, words.split())), re.IGNORECASE)
    sight = memory.timeline.sight(viewer)
    found: list[Spot] = []
    before: int | None = None
    while len(found) < _MOST:
        page = memory.timeline.page(None, before=before, limit=200)
        for row in page.turns:
            hits = [each for each in memory.segments(row) if wanted.search(each.segment.text)]
            if not hits or not sight.sees(row):
                continue
            computed = {each.segment: each for each in memory.computed(row.turn_id)}
            at = row.at.datetime() if row.at is not None else None
            found += [_spot(row.turn_id, at, each, computed.get(each.seq), wanted) for each in hits]
        if page.next is None:
            break
        before = page.next
    return found[:_MOST]


def _spot(
    turn: str, at: datetime | None, segment: SegmentRow, computed: Computed | None, wanted: re.Pattern[str]
) -> Spot:
    raw = segment.segment.text
    match = wanted.search(raw)
    start, end = match.span() if match is not None else (0, 0)
    before = ("…" if start > _AROUND else "") + raw[max(0, start - _AROUND) : start]
    after = raw[end : end + _AROUND] + ("…" if end + _AROUND < len(raw) else "")
    inside = computed is not None and wanted.search(computed.text.text) is not None
    return Spot(turn, at, segment, computed, inside, plain(before), plain(raw[start:end]), plain(after))
