"""What happens during a turn, as it happens, for whoever shows it. All frozen; more kinds may come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from homeagent.agent.recalling import Why
    from homeagent.errors import HomeAgentError
    from homeagent.memory import TurnId
    from homeagent.memory.turn import Status
    from homeagent.models.messages import Usage

__all__ = [
    "CallRefused",
    "Event",
    "Recalled",
    "Refused",
    "Said",
    "SilentUi",
    "StatusLine",
    "TextDelta",
    "Thinking",
    "ToolFinished",
    "ToolProgress",
    "ToolStarted",
    "TurnEnded",
    "TurnFailed",
    "TurnStarted",
]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The turn is open and on the disk. ``turn`` is empty for a private one."""

    turn: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the memory had to say, and why; `Why` is also kept for later."""

    why: Why


@dataclass(frozen=True, slots=True)
class Thinking:
    """More of what the model thinks aloud; it is not part of the answer and is not kept."""

    text: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message to the person is complete: all its text, which the deltas brought before."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call has begun; ``arguments`` is JSON text."""

    call_id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """How far a call is; a later line takes this one's place."""

    call_id: str
    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A call has ended; ``text`` is what the model reads of it, ``data`` what a program may show."""

    call_id: str
    tool: str
    text: str
    error: bool
    seconds: float
    data: object = None


@dataclass(frozen=True, slots=True)
class StatusLine:
    """One line about what is going on; a later one takes its place.

    ``kind`` and ``detail`` are for those who say it in another language; ``calling`` is a tool that is being asked for.
    """

    text: str
    kind: Literal["calling", "note", "cut", "held_back", "no_recall", "silent", "tools_out", "turns_out"] = "note"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A plugin stopped the turn; ``reason`` is for the person, in the place of an answer."""

    reason: str


@dataclass(frozen=True, slots=True)
class CallRefused:
    """A call is not run: a plugin stopped it, or it was made too often. The turn goes on, `ToolFinished` follows."""

    call_id: str
    tool: str
    reason: str


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The turn can't go on; ``error`` says where, what and what to do next. `TurnEnded` follows."""

    error: HomeAgentError


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is closed. ``usage`` adds up what the model's server counted, None when it did not.

    ``cost`` is in ``currency``, None where it is not known. ``source`` is what answered last, ``model`` what its server
    calls its model; both are empty when nothing did.
    """

    turn: TurnId | None
    status: Status
    seconds: float
    usage: Usage | None = None
    cost: float | None = None
    currency: str = ""
    source: str = ""
    model: str = ""


Event = (
    TurnStarted
    | Recalled
    | Thinking
    | TextDelta
    | Said
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | StatusLine
    | Refused
    | CallRefused
    | TurnFailed
    | TurnEnded
)
"""Anything that a `Ui` may be shown."""


class SilentUi:
    """A `Ui` that shows nothing and consents to nothing."""

    def show(self, event: Event) -> None:
        """Take no notice."""

    async def ask(self, question: str) -> bool:
        """Say no."""
        del question
        return False
