"""Where a `ComputeText` comes into being. Imported by the door, and by the store that reads back what it admitted.

The import contract ``door-mint`` names those two and nobody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.compute import ComputeText, DoorKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.memory.compute import Span

__all__ = ["admit"]


def admit(text: str, spans: Sequence[Span] = ()) -> ComputeText:
    """Return ``text`` as compute text. The caller has applied the policy, or reads a row that was admitted before."""
    return ComputeText(DoorKey(), text, spans)
