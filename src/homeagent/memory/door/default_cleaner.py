"""What is done, on the way to computation, to the output of a tool that nobody declared.

Escape codes and control characters go, long base64 and data URLs go, and of a very long output head and tail are kept.
Works on ranges, so that every kept piece still knows where in raw it is.
"""

from __future__ import annotations

import re

from homeagent.memory.door.quotes import merged

__all__ = ["DEFAULT_VERSION", "KEPT_CHARACTERS", "kept_ranges"]

DEFAULT_VERSION = "default-2"
"""Part of the fingerprint of an undeclared output: raise it when other ranges are kept."""

KEPT_CHARACTERS = 32_000
"""The most characters of an undeclared output that are computed: three quarters from its head, the rest its tail."""

_BASE64 = r"(?=[A-Za-z0-9+/_-]{0,400}?\d)(?=[A-Za-z0-9+/_-]{0,400}?[A-Z])[A-Za-z0-9+/_-]{256,}={0,2}"
_NOISE = re.compile(
    r"(?:\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor movements
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # window titles, links
    r"|\x1b[@-Z\\-_])"
    f"(?:{_BASE64})?"  # right behind a code, whose last letter is none of its own
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+"
    r"|data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=_-]*"
    f"|(?<![A-Za-z0-9+/_-]){_BASE64}"
)


def kept_ranges(text: str) -> list[tuple[int, int]]:
    """Return the character ranges of ``text`` that are computed, in order."""
    cuts = merged(match.span() for match in _NOISE.finditer(text))
    kept: list[tuple[int, int]] = []
    at = 0
    for start, end in cuts:
        if start > at:
            kept.append((at, start))
        at = end
    if at < len(text):
        kept.append((at, len(text)))
    return _head_and_tail(kept)


def _head_and_tail(kept: list[tuple[int, int]]) -> list[tuple[int, int]]:
    total = sum(end - start for start, end in kept)
    if total <= KEPT_CHARACTERS:
        return kept
    head = KEPT_CHARACTERS * 3 // 4
    tail = total - (KEPT_CHARACTERS - head)
    short: list[tuple[int, int]] = []
    at = 0
    for start, end in kept:
        size = end - start
        if at < head:
            short.append((start, start + min(size, head - at)))
        if at + size > tail:
            short.append((max(start, end - (at + size - tail)), end))
        at += size
    return list(merged(short))
