"""Days in text: which days a passage speaks of, which a question asks about, and index terms for both.

``tomorrow`` is resolved once, against the moment and zone in which it was said: weeks later nothing else connects it
with a date. What can be read in two ways (a bare weekday) keeps both readings in a passage. Dates written by machines
(with seconds), versions and addresses are not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from homeagent.memory.text import _cues
from homeagent.memory.text._calendar import DayRange
from homeagent.memory.text._scan import MOST, Mention, mentions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.compute import ComputeText, QueryText

__all__ = [
    "DayRange", "Direction", "Window", "alternative_days", "asked_days", "day_terms", "query_window", "spoken_days",
    "turn_day_terms",
]  # fmt: skip

_MOST_TERMS = 64
_SINGLE_DAYS = 14


class Direction(StrEnum):
    """How a question looks at time."""

    EXACT = "exact"
    BEFORE = "before"
    AFTER = "after"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Window:
    """The days a question is about: from ``start`` up to, not including, ``end``; None is open.

    ``BEFORE`` with both open asks for the older value ("what was it before?"), ``LATEST`` for the newest one.
    """

    start: date | None
    end: date | None
    direction: Direction

    @property
    def days(self) -> DayRange | None:
        """The same as a `DayRange` (for `day_terms`), or None when a side is open."""
        if self.start is None or self.end is None:
            return None
        return DayRange(self.start, self.end - timedelta(days=1))

    def holds(self, day: date) -> bool:
        """Tell whether ``day`` lies in the window."""
        return (self.start is None or self.start <= day) and (self.end is None or day < self.end)


def spoken_days(text: ComputeText | QueryText, at: datetime | None) -> tuple[DayRange, ...]:
    """Return the days that ``text`` speaks of, sorted, at most 32; relative ones count from ``at`` in its own zone.

    Without ``at`` only complete dates are read. A day and month without a year mean the nearest such day.
    """
    _, found = mentions(text.text, at.date() if at else None)
    return tuple(sorted({days for mention in found for days in mention.days})[:MOST])


def asked_days(text: QueryText, at: datetime | None) -> tuple[DayRange, ...]:
    """Return the days that a question speaks of; those from a day until ``at`` where it asks what came after it.

    Only as far as `day_terms` gives single days: of a longer time the day it began says more than its months.
    """
    window = query_window(text, at)
    if at is not None and window is not None and window.direction is Direction.AFTER and window.start is not None:
        length = (at.date() - window.start).days
        if 0 <= length < _SINGLE_DAYS:
            return (DayRange(window.start, at.date()),)
    return spoken_days(text, at)


def day_terms(days: Iterable[DayRange]) -> tuple[str, ...]:
    """Return index terms for days, at most 64: ``d20260503``, ``m202605``, ``y2026``; ``w3`` for single Wednesdays.

    Up to two weeks give their days, up to half a year the months, anything its years (ten at most).
    """
    terms: dict[str, None] = {}
    for found in days:
        terms |= dict.fromkeys(_range_terms(found))
    return tuple(terms)[:_MOST_TERMS]


def alternative_days(days: Sequence[DayRange]) -> frozenset[str]:
    """Return the finest terms of days of which any one is meant: those of a week, of either Friday.

    None of a single day, nor where a single day is named beside a longer time: that day says which is meant.
    """
    single = [each.start for each in days if each.days == 1]
    either = len(single) == len(days) == 2 and abs((single[1] - single[0]).days) == 7
    if single and not either:
        return frozenset()
    found: set[str] = set()
    for each in days:
        terms = _range_terms(each)
        found |= {term for term in terms if term[0] == terms[0][0]}
    return frozenset(found)


def _range_terms(found: DayRange) -> list[str]:
    """Return the terms of one range, the most exact first."""
    each = [found.start + timedelta(days=at) for at in range(found.days if found.days <= _SINGLE_DAYS else 0)]
    terms = [f"d{day:%Y%m%d}" if day.year > 999 else f"d{day.year:04}{day:%m%d}" for day in each]
    first, last = (day.year * 12 + day.month - 1 for day in (found.start, found.end))
    if last - first < 6:
        terms += [f"m{month // 12:04}{month % 12 + 1:02}" for month in range(first, last + 1)]
    terms += [f"y{year:04}" for year in range(found.start.year, min(found.end.year, found.start.year + 9) + 1)]
    if found.days == 1:
        terms.append(f"w{found.start.isoweekday()}")
    return terms


def turn_day_terms(at: datetime | None) -> tuple[str, ...]:
    """Return the index terms of the day a turn happened on, in its own zone; the same form as `day_terms`."""
    return day_terms((DayRange(at.date(), at.date()),)) if at else ()


def query_window(text: QueryText, at: datetime | None) -> Window | None:
    """Return the days that a question is about, or None when it has no bounds in time (also when it asks "when")."""
    today = at.date() if at else None
    shaped, found = mentions(text.text, today)
    if not found:
        return _undated(shaped)
    direction = _direction(shaped, found[0])
    picked = [_reading(shaped, mention, today) for mention in found]
    start, end = min(days.start for days in picked), max(days.end for days in picked)
    try:
        following = end + timedelta(days=1)
    except OverflowError:
        following = end
    match direction:
        case _cues.Side.BEFORE:
            return Window(None, start, Direction.BEFORE)
        case _cues.Side.UNTIL:
            return Window(None, following, Direction.BEFORE)
        case _cues.Side.AFTER:
            return Window(following, None, Direction.AFTER)
        case _cues.Side.SINCE:
            return Window(start, None, Direction.AFTER)
    return Window(start, following, Direction.EXACT)


def _undated(shaped: str) -> Window | None:
    """Return the window of a question without a date: the older value, the newest one, or none."""
    shaped = " ".join(shaped.split())
    older, newest = _cues.asks_older(shaped), _cues.asks_newest(shaped)
    if older == newest:  # neither, or both: "is it still what it was before"
        return None
    return Window(None, None, Direction.BEFORE if older else Direction.LATEST)


def _direction(shaped: str, first: Mention) -> _cues.Side:
    """Return on which side of its date the question looks."""
    return _cues.side(shaped[: first.start], shaped[first.end :])


def _reading(shaped: str, mention: Mention, today: date | None) -> DayRange:
    """Return the one reading a question means: what is over when it speaks of the past, else what is to come."""
    if len(mention.days) == 1 or today is None:
        return mention.days[0]
    over = [days for days in mention.days if days.end <= today]
    coming = [days for days in mention.days if days.end > today]
    wanted = over if _cues.speaks_of_past(shaped) else coming
    return (wanted or list(mention.days))[0]
