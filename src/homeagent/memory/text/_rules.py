"""What a rule of `dates` is: a pattern and how its match reads as days."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.memory.text._calendar import DayRange

if TYPE_CHECKING:
    from datetime import date

__all__ = ["Reading", "Rule", "rule"]

Reading = Sequence[DayRange | None] | DayRange | None
"""What a rule makes of a match: days, several readings of them, or nothing when the numbers are no date."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A time expression. ``read`` gets the match and today, or None where the moment of speaking is unknown."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], date | None], Reading]

    def ranges(self, match: re.Match[str], today: date | None) -> list[DayRange]:
        """Return the days a match speaks of; none when it turns out to be no date."""
        reading = self.read(match, today)
        if reading is None:
            return []
        several = [reading] if isinstance(reading, DayRange) else reading
        return [found for found in several if found is not None]


def rule(pattern: str) -> Callable[[Callable[[re.Match[str], date | None], Reading]], Rule]:
    """Make a `Rule` of the decorated reader; the pattern ignores letter case."""
    return lambda read: Rule(re.compile(pattern, re.IGNORECASE), read)
