"""The dates of the measuring sets, each as its source writes it. None of them has a zone: they are taken as UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["latest", "parse_date"]

_MONTHS: Final = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_CLOCK_FIRST = re.compile(r"(\d{1,2}):(\d{2}) ([ap])m on (\d{1,2}) ([A-Za-z]+),? (\d{4})")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}), (\d{1,2}):(\d{2}):(\d{2})")
_CHINESE = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日\s*(?:周.|星期.)?\s*(\d{1,2}):(\d{2})")
_MONTH_FIRST = re.compile(r"([A-Za-z]+)-(\d{1,2})-(\d{4})")


def parse_date(text: str) -> datetime | None:
    """Return the moment a set's ``date`` names, in UTC, or None when it is empty or of another form.

    ``1:56 pm on 8 May, 2023`` (LoCoMo), ``29.12.2023, 00:51:12`` (REALTALK), ``2024年04月01日 周一 08:30`` (MemDaily),
    ``March-15-2024`` (BEAM: a day, so its beginning).
    """
    text = text.strip()
    try:
        if found := _CLOCK_FIRST.fullmatch(text):
            hour = int(found[1]) % 12 + (12 if found[3] == "p" else 0)
            return datetime(int(found[6]), _month(found[5]), int(found[4]), hour, int(found[2]), tzinfo=UTC)
        if found := _DOTTED.fullmatch(text):
            day, month, year, hour, minute, second = map(int, found.groups())
            return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        if found := _CHINESE.fullmatch(text):
            year, month, day, hour, minute = map(int, found.groups())
            return datetime(year, month, day, hour, minute, tzinfo=UTC)
        if found := _MONTH_FIRST.fullmatch(text):
            return datetime(int(found[3]), _month(found[1]), int(found[2]), tzinfo=UTC)
    except ValueError:
        return None
    return None


def latest(dates: Iterable[str]) -> datetime | None:
    """Return the last moment that any of the dates names, or None when none names one."""
    return max((moment for date in dates if (moment := parse_date(date)) is not None), default=None)


def _month(name: str) -> int:
    """Return 1 to 12. Raises `ValueError` for a word that is no month."""
    return _MONTHS.index(name.lower()) + 1
