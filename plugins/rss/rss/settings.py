"""The settings of the plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

__all__ = ["RssSettings"]


@dataclass(frozen=True)
class RssSettings:
    """How often feeds are looked at, and what becomes of what they bring."""

    minutes: Annotated[float, "how often a feed is looked at where nobody says, in minutes"] = 60.0
    shortest_minutes: Annotated[float, "no feed is looked at more often than this"] = 5.0
    remember_items: Annotated[bool, "whether new items are remembered; they are always kept and shown"] = False
    allow_private: Annotated[bool, "whether feeds of this machine and of the home's network may be read"] = False

    def __post_init__(self) -> None:
        """Refuse what would look at feeds without a pause."""
        if not 0 < self.shortest_minutes <= self.minutes:
            raise ValueError("shortest_minutes must be more than 0 and not more than minutes")
