"""Why is this, or is it not, in my memory? An answer for each segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.results import Explanation, SegmentExplanation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.memory.store.records import Computed, SegmentRow, TurnRow

__all__ = ["explained", "explained_segment"]


def explained(turn: TurnRow, segments: Sequence[SegmentRow], computed: Sequence[Computed]) -> Explanation:
    """Return a turn segment by segment, what is computed of each beside what was said."""
    by_segment = {row.segment: row for row in computed}
    return Explanation(
        turn=turn.turn_id,
        source=turn.source,
        external_id=turn.external_id,
        place=turn.place,
        sender=turn.sender,
        at=turn.at.datetime() if turn.at is not None else None,
        status=turn.status,
        segments=tuple(explained_segment(row, by_segment.get(row.seq)) for row in segments),
    )


def explained_segment(row: SegmentRow, computed: Computed | None) -> SegmentExplanation:
    """Return what became of one segment, or that it still waits."""
    segment = row.segment
    return SegmentExplanation(
        position=row.position,
        role=segment.role,
        tool=segment.tool,
        decision=computed.decision if computed else None,
        reason=computed.reason if computed else "waits in the queue",
        raw_length=len(segment.text),
        computed_length=len(computed.text) if computed else 0,
        cuts=computed.cuts if computed else (),
        fingerprint=computed.fingerprint if computed else "",
    )
