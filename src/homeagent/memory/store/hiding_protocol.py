"""What the memory asks of a store when a change of policy hides or shows what was computed already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["HidingStore"]


class HidingStore(Protocol):
    """The computed half, as a change of policy meets it."""

    def blank(self, segments: Collection[int]) -> list[int]:
        """Take the text of these segments out of compute text and of every index; return the turns that had some."""
        ...

    def copying_runs(self, chat: int, grams: Sequence[int], after: int) -> list[tuple[int, int, int]]:
        """Return (gram, context, segment) of the grams that replies of a chat after seq ``after`` hold."""
        ...

    def unit_holders(self, chat: int, units: Sequence[int], *, own: bool) -> list[tuple[int, int]]:
        """Return (unit, segment) for those of the units that segments of the chat hold."""
        ...

    def assistant_segments(self, segments: Collection[int]) -> set[int]:
        """Return those of the segments that are computed as the assistant's words."""
        ...

    def quoting_segments(self) -> set[int]:
        """Return every segment of which something is left out as a quotation."""
        ...

    def spoken_characters(self) -> dict[tuple[str, str], tuple[int, int, int]]:
        """Return (segments, raw, computed characters) by ("tool", name), and by ("channel", name) for people's words.

        Only what was derived counts; computed characters of a tool include its arguments.
        """
        ...
