"""``homeagent memory show`` and ``explain``: one turn, as it was said, and what of it is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.cli.hits import time_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.cli.session import Session
    from homeagent.cli.terminal import Terminal
    from homeagent.memory import Explanation, Segment, SegmentExplanation
    from homeagent.memory.store.records import TurnRow

__all__ = ["explain", "explained_lines", "show"]


def show(session: Session) -> int:
    """Print a turn raw: every word, hidden outputs too. In JSON, what JSON can't hold is packed as in an export."""
    from homeagent.memory.transfer.lines import turn_object

    name, source = session.arguments.turn, session.arguments.source
    with session.memory() as memory:
        row = memory.find(name, source=source)
        segments = [each.segment for each in memory.segments(row)]
    plain = turn_object(row, segments) | {"external_id": row.external_id, "status": row.status}
    session.terminal.result(plain, _shown(row, segments, session.terminal))
    return 0


def explain(session: Session) -> int:
    """Print, segment by segment, what of a turn is computed and why."""
    name, source = session.arguments.turn, session.arguments.source
    with session.memory() as memory:
        found = memory.explain(name, source=source)
    plain = {
        "turn": found.turn,
        "source": found.source,
        "external_id": found.external_id,
        "place": {"channel": found.place.channel, "chat": found.place.chat},
        "sender": found.sender,
        "at": found.at.isoformat() if found.at is not None else None,
        "status": found.status,
        "segments": [_segment_object(segment) for segment in found.segments],
    }
    session.terminal.result(plain, explained_lines(found, session.terminal))
    return 0


def _shown(row: TurnRow, segments: list[Segment], terminal: Terminal) -> Iterator[str]:
    at = row.at.datetime() if row.at is not None else None
    yield terminal.message(
        "said_at",
        turn=f"{row.turn_id} ({row.source} {row.external_id})" if row.external_id else row.turn_id,
        at=time_text(at, terminal),
        sender=row.sender,
        channel=row.place.channel,
        chat=row.place.chat,
    )
    for segment in segments:
        call = f" {segment.tool} {segment.arguments or ''}".rstrip() if segment.tool else ""
        yield f"-- {segment.role}{call}"
        yield segment.text
        for attachment in segment.attachments:
            yield terminal.message(
                "attachment", name=attachment.name, media_type=attachment.media_type, bytes=len(attachment.data)
            )


def _segment_object(segment: SegmentExplanation) -> dict[str, object]:
    return {
        "position": segment.position,
        "role": segment.role,
        "tool": segment.tool,
        "decision": segment.decision,
        "reason": segment.reason,
        "raw_length": segment.raw_length,
        "computed_length": segment.computed_length,
        "cuts": [list(cut) for cut in segment.cuts],
        "fingerprint": segment.fingerprint,
    }


def explained_lines(found: Explanation, terminal: Terminal) -> Iterator[str]:
    """Yield where and when a turn happened, and for each segment what of it is computed and why."""
    yield terminal.message(
        "said_at",
        turn=f"{found.turn} ({found.source} {found.external_id})" if found.external_id else found.turn,
        at=time_text(found.at, terminal),
        sender=found.sender,
        channel=found.place.channel,
        chat=found.place.chat,
    )
    for segment in found.segments:
        yield terminal.message(
            "explained",
            position=segment.position,
            speaker=" ".join(filter(None, (terminal.message(f"role_{segment.role}"), segment.tool))),
            decision=terminal.message(f"decision_{segment.decision}" if segment.decision else "waiting"),
            computed=segment.computed_length,
            raw=segment.raw_length,
            reason=terminal.reason(segment.reason),
        )
