"""Hits of a recall as JSON and as lines to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from homeagent.cli.terminal import Terminal
    from homeagent.memory import Hit, Neighbour

__all__ = ["hit_lines", "hit_object", "source_line", "time_text"]


def hit_object(hit: Hit) -> dict[str, object]:
    """Return a hit as plain values for JSON."""
    return {
        "turn": hit.turn,
        "external_id": hit.external_id,
        "source": hit.source,
        "text": hit.text,
        "score": float(hit.score),
        "why": list(hit.why),
        "segment": hit.segment,
        "span": list(hit.span) if hit.span is not None else None,
        "place": {"channel": hit.place.channel, "chat": hit.place.chat},
        "sender": hit.sender,
        "at": _iso(hit.at),
        "neighbours": [_neighbour_object(neighbour) for neighbour in hit.neighbours],
        "superseded": hit.superseded,
    }


def _neighbour_object(neighbour: Neighbour) -> dict[str, object]:
    return {
        "turn": neighbour.turn,
        "external_id": neighbour.external_id,
        "offset": neighbour.offset,
        "text": neighbour.text,
        "at": _iso(neighbour.at),
    }


def hit_lines(number: int, hit: Hit, terminal: Terminal) -> Iterator[str]:
    """Yield a hit to read: where it comes from, what was said, what matched."""
    yield f"{number}. {source_line(hit, terminal)}"
    for line in hit.text.splitlines():
        yield f"   {line}"
    if hit.why:
        yield f"   ({terminal.reasons(hit.why)})"


def source_line(hit: Hit, terminal: Terminal) -> str:
    """Return when, who, where, and the turn's name, in one line."""
    name = f"{hit.source} {hit.external_id}" if hit.external_id else hit.turn
    older = f" [{terminal.message('older')}]" if hit.superseded else ""
    return f"{time_text(hit.at, terminal)} {hit.sender} {hit.place.channel}/{hit.place.chat} {name}{older}"


def time_text(at: datetime | None, terminal: Terminal) -> str:
    """Return a moment to the minute as it was where it happened."""
    return at.strftime("%Y-%m-%d %H:%M") if at is not None else terminal.message("unknown_time")


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at is not None else None
