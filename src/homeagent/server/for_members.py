"""What a member is told of a turn: not which models the owner has, what they cost and said, nor how much others keep.

Names of sources, their addresses, what their servers said when they failed and prices are the owner's settings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from homeagent.agent import events
from homeagent.models.errors import ModelError

if TYPE_CHECKING:
    from homeagent.agent import Event

__all__ = ["as_told", "waiting"]


def waiting(count: int, *, is_owner: bool) -> int:
    """Return how much waits as somebody is told of it: a member 1 for any amount, for it is that of the whole home."""
    return count if is_owner else min(count, 1)


def as_told(event: Event) -> Event | None:
    """Return an event as a member is told of it, None when they are not."""
    match event:
        case events.TurnFailed(error=ModelError()):
            return events.TurnFailed(ModelError("the model", "gave no answer", "Try again later, or tell the owner"))
        case events.StatusLine(kind="note"):
            return None  # which source stands in for which
        case events.StatusLine(kind="no_recall"):
            return events.StatusLine("nothing could be recalled", "no_recall")
        case events.Recalled(why=why):
            return replace(event, why=replace(why, pending=waiting(why.pending, is_owner=False)))
        case events.TurnEnded():
            return replace(event, cost=None, currency="", source="", model="")
    return event
