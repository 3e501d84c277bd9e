"""Find the time expressions of a text and say which days they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.memory.text import _dates_en, _dates_zh
from homeagent.memory.text._calendar import DayRange
from homeagent.memory.text.fold import shape_text

if TYPE_CHECKING:
    from datetime import date

__all__ = ["MOST", "Mention", "mentions"]

MOST = 32  # expressions read in one text
_LONGEST = 20_000  # characters read: a longer text is a document or a listing, and its dates are not appointments

# A moment with seconds was written by a machine. (The few people who say seconds do without the date.)
_LOGGED = re.compile(
    r"\d{4}[-/.]\d\d[-/.]\d\d[T ,]{1,2}\d\d?:\d\d:\d\d[\d.,]*(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d\d[-/.]\d\d[-/.]\d{4}[T ,]{1,2}\d\d?:\d\d:\d\d[\d.,]*"
    r"|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} \d\d:\d\d:\d\d(?: [A-Z]{3,5})?(?: \d{4})?"
    r"|\d{1,2}/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d\S*"
    r"|https?://\S+"
)
_HAN = re.compile("[一-鿿]")
_LATIN = re.compile("[A-Za-z]{2}")
_JOINED = frozenset(("到", "至", "-", "~", "to", "through", "until", "till", "thru"))


@dataclass(frozen=True, slots=True)
class Mention:
    """A time expression: its place in the shaped text, and its readings, the likelier first."""

    start: int
    end: int
    days: tuple[DayRange, ...]


def mentions(text: str, today: date | None) -> tuple[str, list[Mention]]:
    """Return the shaped text and its time expressions in order, at most `MOST`, none overlapping."""
    shaped = _LOGGED.sub(lambda found: "\x1f" * len(found[0]), shape_text(text[:_LONGEST]))
    rules = list(_dates_en.DIGIT_RULES)
    if _HAN.search(shaped):
        rules += _dates_zh.RULES
    if _LATIN.search(shaped):
        rules += _dates_en.RULES
    taken = bytearray(len(shaped))
    found: list[Mention] = []
    for rule in rules:
        for match in rule.pattern.finditer(shaped):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            days = rule.ranges(match, today)
            if days:
                taken[start:end] = b"\x01" * (end - start)
                found.append(Mention(start, end, tuple(days)))
    found.sort(key=lambda mention: mention.start)
    return shaped, _joined(shaped, found[: 2 * MOST])[:MOST]


def _joined(text: str, found: list[Mention]) -> list[Mention]:
    """Return the mentions with "from A to B" made one."""
    joined: list[Mention] = []
    for mention in found:
        last = joined[-1] if joined else None
        if last is not None and len(last.days) == len(mention.days) == 1:
            between = text[last.end : mention.start].strip().lower()
            low, high = last.days[0], mention.days[0]
            bridged = between in _JOINED or (
                between in ("and", "和") and text[: last.start].rstrip().lower().endswith(("between", "在"))
            )
            if bridged and low.start < high.end:
                joined[-1] = Mention(last.start, mention.end, (DayRange(low.start, max(low.end, high.end)),))
                continue
        joined.append(mention)
    return joined
