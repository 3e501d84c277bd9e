"""Compute text in sentences, for summaries and for facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.compute import ComputeText

__all__ = ["sentence_ranges", "sentences"]

# A full stop ends a sentence before white space; not after a title or one letter (Dr. Quill, J. Smith).
_END = re.compile(
    r"[。！？!?…]+[”’\"')）】」』]*|;\s|；|\n+"
    r"|(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bProf)(?<!\b[A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\bNo)"
    r"\.+[\"')]*(?=\s|$)"
)


def sentences(text: ComputeText) -> Iterator[ComputeText]:
    """Yield the sentences of a text, in order, without the white space around them."""
    for start, end in sentence_ranges(text):
        yield text.slice(start, end)


def sentence_ranges(text: ComputeText) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a text begin and end, in characters."""
    at = 0
    for match in _END.finditer(text.text):
        yield from _trimmed(text.text, at, match.end())
        at = match.end()
    yield from _trimmed(text.text, at, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if right > left:
        yield start + left, start + right
