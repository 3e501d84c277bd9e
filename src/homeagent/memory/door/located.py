"""Where in raw the lines of a cleaned text came from, as far as a plain search can tell."""

from __future__ import annotations

from homeagent.memory.compute import Span

__all__ = ["located_spans"]

_MISSES = 64
_LEAST = 4


def located_spans(cleaned: str, raw: str, segment: int) -> list[Span]:
    """Return one span for every line of ``cleaned``, with its range in ``raw`` where the line stands there verbatim.

    Lines are looked for in order, each after the one before. After a few dozen that are not there the rest go without,
    so that a cleaner that rewrites everything costs no more than one that keeps everything.
    """
    spans: list[Span] = []
    at = 0
    after = 0
    misses = 0
    for line in cleaned.split("\n"):
        end = at + len(line)
        if line:
            place = -1
            if misses < _MISSES and len(line.strip()) >= _LEAST:
                place = raw.find(line, after)
                misses += place < 0
            if place >= 0:
                after = place + len(line)
                spans.append(Span(at, end, segment, place, after))
            else:
                spans.append(Span(at, end, segment))
        at = end + 1
    return spans
