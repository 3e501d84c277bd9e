"""What was recalled for a turn, and why, as lines to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.agent.recalling import BEYOND, FAR_BEHIND, IN_VIEW, NO_ROOM, NOTHING_FITS, ONLY_ASKS
from homeagent.cli.hits import source_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.agent import Why
    from homeagent.cli.terminal import Terminal

__all__ = ["why_lines"]

_REASONS: Final = {
    IN_VIEW: "left_in_view",
    NO_ROOM: "left_no_room",
    ONLY_ASKS: "left_only_asks",
    NOTHING_FITS: "left_nothing_fits",
    BEYOND: "left_beyond",
    FAR_BEHIND: "left_far_behind",
}
_MOST_SHOWN: Final = 12
_LONGEST: Final = 200


def why_lines(why: Why, terminal: Terminal) -> Iterator[str]:
    """Yield what was recalled for a message, what of it was used, and what matched."""
    if not why.question:
        yield terminal.message("no_turn_yet")
        return
    yield terminal.message("why_question", question=_short(why.question))
    if not why.passages:
        yield terminal.message("why_nothing")
        return
    yield terminal.message("why_answerable", percent=f"{why.answerable:.0%}")
    for passage in why.passages[:_MOST_SHOWN]:
        used = terminal.message(_REASONS.get(passage.left_out, "left_no_room") if passage.left_out else "why_used")
        yield f"- {_short(passage.hit.text)}"
        yield f"  ({source_line(passage.hit, terminal)})"
        yield f"  {used}{terminal.message('why_matched', why=terminal.reasons(passage.hit.why) or '-')}"
    for fact in why.facts[:_MOST_SHOWN]:
        yield terminal.message("why_fact", subject=fact.subject_name, relation=fact.relation, value=fact.value)
    if why.pending:
        yield terminal.message("pending", count=why.pending)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
