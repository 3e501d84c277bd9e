"""Cutting a long reply into messages at its paragraphs, so that nothing of it is lost."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["split"]

_ENDS: Final = (
    re.compile(r"\n[ \t]*\n\s*"),
    re.compile(r"\n"),
    re.compile(r"(?<=[。！？!?；;])\s*|(?<=\.)\s+"),
    re.compile(r"\s+"),
)
"""Where a message may end, the best first: a paragraph, a line, a sentence, a word."""

_LEAST: Final = 0.4
"""A message is not ended before this share of its length for the sake of a better place."""


def split(text: str, length: int) -> list[str]:
    """Return ``text`` in pieces of at most ``length`` characters; what is between them is white space only.

    A text of white space alone gives none.
    """
    pieces: list[str] = []
    rest = text.strip("\n")
    while len(rest) > length:
        end, after = _end(rest, length)
        pieces.append(rest[:end].rstrip())
        rest = rest[after:].lstrip("\n")
    return [piece for piece in (*pieces, rest) if piece.strip()]


def _end(text: str, length: int) -> tuple[int, int]:
    """Return where a piece ends and where the next one begins."""
    for pattern in _ENDS:
        found = [match for match in pattern.finditer(text, 0, length + 1) if length * _LEAST <= match.start() <= length]
        if found:
            return found[-1].start(), max(found[-1].end(), 1)
    return length, length
