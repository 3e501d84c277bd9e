"""What the stages of a turn are handed. All of it is frozen: a stage that transforms returns a new value.

``dataclasses.replace(message, text="...")`` makes one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from homeagent_sdk.results import Attachment

__all__ = ["Message", "No", "Output", "Prompt", "Reply", "ToolCall", "ToolOutcome", "TurnInfo"]


@dataclass(frozen=True, slots=True)
class No:
    """A decision against, with its reason; the person or the model is told it. A plain False gives none."""

    reason: str


@dataclass(frozen=True, slots=True)
class TurnInfo:
    """Where a turn happens and who is there: ids as the channel gives them."""

    turn_id: str
    channel: str
    chat: str
    person: str
    members: tuple[str, ...] = ()
    at: datetime | None = None
    private: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """What came in. A transform may change text and attachments; what came in is kept beside what it made of it."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    no_memory: bool = False
    injected: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model is about to be told besides the conversation, and the tools it is offered, by name.

    ``instructions`` stand first and should stay the same from turn to turn, so that the server's cache holds;
    ``volatile`` lines (the time, the weather) stand last.
    """

    instructions: str
    volatile: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asked for; ``arguments`` are JSON values."""

    call_id: str
    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answered in one round: text, calls, or both."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    round: int = 1


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call gave. ``text`` is what the model will read; the log holds the tool's own words whatever it becomes.

    ``seconds`` is how long the call took.
    """

    text: str
    error: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Output:
    """What is said to the person."""

    text: str
