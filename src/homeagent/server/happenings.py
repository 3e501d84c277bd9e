"""The events of a turn as plain values, for streams of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.agent import events
from homeagent.server.forms import iso, plain

if TYPE_CHECKING:
    from homeagent.agent import Event, Why
    from homeagent.memory import Hit
    from homeagent.models import Usage

__all__ = ["happening", "usage_object", "why_object"]

Plain = dict[str, object]


def happening(event: Event) -> tuple[str, Plain]:
    """Return what kind of event it is, and the rest of it as plain values."""
    match event:
        case events.TurnStarted(turn=turn):
            return "turn_started", {"turn": turn}
        case events.Recalled(why=why):
            return "recalled", why_object(why)
        case events.Thinking(text=text):
            return "thinking", {"text": plain(text)}
        case events.TextDelta(text=text):
            return "delta", {"text": plain(text)}
        case events.Said(text=text):
            return "said", {"text": plain(text)}
        case events.StatusLine():
            return "status", {"text": plain(event.text), "kind": event.kind, "detail": plain(event.detail)}
        case events.Refused(reason=reason):
            return "refused", {"reason": plain(reason)}
        case events.TurnFailed(error=error):
            parts = (plain(each) for each in (error.where, error.problem, error.next_step))
            return "failed", dict(zip(("where", "problem", "next_step"), parts, strict=True))
        case events.TurnEnded():
            return "turn_ended", _ended(event)
    return _tool(event)


def _tool(event: Event) -> tuple[str, Plain]:
    match event:
        case events.ToolStarted():
            return "tool_started", {
                "call": event.call_id, "tool": event.tool, "arguments": plain(event.arguments)
            }  # fmt: skip
        case events.ToolProgress():
            return "tool_progress", {"call": event.call_id, "tool": event.tool, "text": plain(event.text)}
        case events.ToolFinished():
            return "tool_finished", {
                "call": event.call_id, "tool": event.tool, "text": plain(event.text),
                "error": event.error, "seconds": round(event.seconds, 3),
            }  # fmt: skip
        case events.CallRefused():
            return "call_refused", {"call": event.call_id, "tool": event.tool, "reason": plain(event.reason)}
    return "other", {}


def _ended(event: events.TurnEnded) -> Plain:
    return {
        "turn": event.turn or "",
        "status": event.status,
        "seconds": round(event.seconds, 3),
        "usage": usage_object(event.usage),
        "cost": event.cost,
        "currency": event.currency,
        "source": event.source,
        "model": event.model,
    }


def usage_object(usage: Usage | None) -> Plain | None:
    """Return counted tokens as plain values, None where nobody counted."""
    if usage is None:
        return None
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def why_object(why: Why) -> Plain:
    """Return what was recalled for a message, and what became of each passage."""
    return {
        "question": plain(why.question),
        "nothing": bool(why.nothing),
        "answerable": float(why.answerable),
        "pending": why.pending,
        "passages": [{**_hit(each.hit), "left_out": each.left_out} for each in why.passages],
    }


def _hit(hit: Hit) -> Plain:
    return {
        "turn": hit.turn,
        "external_id": plain(hit.external_id),
        "source": plain(hit.source),
        "text": plain(hit.text),
        "score": float(hit.score),
        "why": [plain(each) for each in hit.why],
        "channel": plain(hit.place.channel),
        "chat": plain(hit.place.chat),
        "sender": plain(hit.sender),
        "at": iso(hit.at),
        "superseded": hit.superseded,
    }
