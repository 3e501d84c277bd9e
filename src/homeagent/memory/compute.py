"""The types that computation accepts: `ComputeText`, made only by the door, and `QueryText`, a question.

A tokenizer, an embedder, a summary or a distiller takes one of these and never a ``str``. `ComputeText` can't be
made without a `DoorKey`, and an import contract lets only ``homeagent.memory.door`` hold one, so whatever reaches a
computation has been through the policies. Slicing and joining stay inside the type: a part of what was let through
has been let through.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ComputeText", "DoorKey", "QueryText", "Span"]


class DoorKey:
    """What it takes to make a `ComputeText`. Only the door's package may make one (import contract ``door-key``)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of compute text that knows where it came from.

    ``start`` and ``end`` are characters of the compute text. ``segment`` is the log seq of the raw segment.
    ``raw_start`` and ``raw_end`` are characters of that raw segment, or None where a cleaner rewrote the text so that
    no range of raw corresponds to it.
    """

    start: int
    end: int
    segment: int
    raw_start: int | None = None
    raw_end: int | None = None

    def shifted(self, by: int) -> Span:
        """Return the same span, ``by`` characters further on in the compute text."""
        return Span(self.start + by, self.end + by, self.segment, self.raw_start, self.raw_end)

    def clipped(self, start: int, end: int) -> Span | None:
        """Return the part of this span inside ``[start, end)``, or None when they do not meet."""
        low, high = max(self.start, start), min(self.end, end)
        if low >= high:
            return None
        if self.raw_start is None or self.raw_end is None:
            return Span(low, high, self.segment)
        if self.raw_end - self.raw_start != self.end - self.start:
            return Span(low, high, self.segment, self.raw_start, self.raw_end)
        return Span(low, high, self.segment, self.raw_start + low - self.start, self.raw_end - (self.end - high))


_start = attrgetter("start")
_end = attrgetter("end")


@final
class ComputeText:
    """Text that a policy let through, with the spans it is made of.

    Immutable. ``len()`` is in characters. `slice` and `joined` are the only ways to make one from others.
    """

    __slots__ = ("_spans", "_text")

    def __init__(self, key: DoorKey, text: str, spans: Sequence[Span] = ()) -> None:
        if type(key) is not DoorKey:
            raise TypeError("a ComputeText is made by homeagent.memory.door only; pass the text through the door")
        self._text = text
        self._spans = tuple(spans)

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self._text

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans, in order and without overlap, each in characters of `text`."""
        return self._spans

    def __len__(self) -> int:
        return len(self._text)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComputeText) and (self._text, self._spans) == (other._text, other._spans)

    def __hash__(self) -> int:
        return hash((self._text, self._spans))

    def __repr__(self) -> str:
        return f"ComputeText({len(self._text)} characters, {len(self._spans)} spans)"

    def slice(self, start: int, end: int) -> ComputeText:
        """Return characters ``[start, end)`` with their spans, moved to begin at 0."""
        start, end, _ = slice(start, end).indices(len(self._text))
        first = bisect_right(self._spans, start, key=_end)
        last = bisect_left(self._spans, end, lo=first, key=_start)
        clipped = (span.clipped(start, end) for span in self._spans[first:last])
        spans = [span.shifted(-start) for span in clipped if span is not None]
        return ComputeText(DoorKey(), self._text[start:end], spans)

    @staticmethod
    def joined(parts: Iterable[ComputeText], separator: str = "\n") -> ComputeText:
        """Return the parts one after the other, ``separator`` between them (it belongs to no span)."""
        texts: list[str] = []
        spans: list[Span] = []
        at = 0
        for part in parts:
            if texts:
                at += len(separator)
            texts.append(part._text)
            spans.extend(span.shifted(at) for span in part._spans)
            at += len(part._text)
        return ComputeText(DoorKey(), separator.join(texts), spans)


@final
@dataclass(frozen=True, slots=True)
class QueryText:
    """A question. Anyone may make one: what is asked is never remembered by being asked."""

    text: str
