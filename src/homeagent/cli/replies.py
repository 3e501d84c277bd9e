"""One turn as the command line takes it in: every event of it, and what of it a program may want as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from homeagent.agent.events import (
    CallRefused,
    Recalled,
    Refused,
    Said,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnFailed,
)
from homeagent.agent.recalling import Why
from homeagent.cli.hits import hit_object

if TYPE_CHECKING:
    from homeagent.agent import Event, Ui
    from homeagent.errors import HomeAgentError

__all__ = ["Record", "reply_object"]


@dataclass
class Record:
    """A `Ui` that writes down what happens and passes it on to ``shown``, which alone can ask a person."""

    shown: Ui | None = None
    why: Why = field(default_factory=lambda: Why("", nothing=False))
    said: list[str] = field(default_factory=list)
    tools: list[dict[str, object]] = field(default_factory=list)
    error: HomeAgentError | None = None
    ended: TurnEnded | None = None

    def show(self, event: Event) -> None:
        """Take an event."""
        match event:
            case Recalled(why=why):
                self.why = why
            case Said(text=text):
                self.said.append(text)
            case Refused(reason=reason):
                self.said.append(reason)
            case ToolStarted():
                self.tools.append({"call": event.call_id, "tool": event.tool, "arguments": event.arguments})
            case CallRefused():
                self._add_to_call(event.call_id, refused=event.reason)
            case ToolFinished():
                self._add_to_call(event.call_id, error=event.error, seconds=round(event.seconds, 3))
            case TurnFailed(error=error):
                self.error = error
            case TurnEnded():
                self.ended = event
        if self.shown is not None:
            self.shown.show(event)

    def _add_to_call(self, call_id: str, **found: object) -> None:
        for started in reversed(self.tools):  # a model may use an id again; the latest call is the one
            if started["call"] == call_id:
                started.update(found)
                return

    async def ask(self, question: str) -> bool:
        """Ask the person, where there is one."""
        return False if self.shown is None else await self.shown.ask(question)

    @property
    def turn(self) -> str:
        """The id of the turn; empty for a private one."""
        return str(self.ended.turn or "") if self.ended is not None else ""


def reply_object(record: Record) -> dict[str, object]:
    """Return a turn as plain values: its answer, what was recalled for it, what it took."""
    ended, why = record.ended, record.why
    usage = ended.usage if ended is not None else None
    return {
        "turn": record.turn,
        "status": ended.status if ended is not None else "failed",
        "reply": "\n".join(record.said),
        "hits": [hit_object(hit) for hit in why.shown],
        "answerable": float(why.answerable),
        "nothing": bool(why.nothing),
        "pending": why.pending,
        "tools": record.tools,
        "source": ended.source if ended is not None else "",
        "model": ended.model if ended is not None else "",
        "usage": None
        if usage is None
        else {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "cached_tokens": usage.cached_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
        },
        "cost": None if ended is None or ended.cost is None else {"amount": ended.cost, "currency": ended.currency},
        "error": None if record.error is None else error_object(record.error),
    }


def error_object(error: HomeAgentError) -> dict[str, str]:
    """Return an error as plain values."""
    return {"where": error.where, "problem": error.problem, "next_step": error.next_step}
