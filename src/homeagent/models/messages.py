"""A conversation as a model sees it, and what comes back: plain frozen values, the same for every kind of model."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from homeagent.models.cost import Cost

__all__ = [
    "Attachment",
    "FinishReason",
    "Message",
    "ModelEvent",
    "ModelRequest",
    "ReasoningDelta",
    "Recalled",
    "Reply",
    "Role",
    "TextDelta",
    "ToolCall",
    "ToolCallStarted",
    "ToolSpec",
    "Usage",
    "is_taken",
]

Role = Literal["system", "user", "assistant", "tool"]
"""Who speaks in a message."""

FinishReason = Literal["stop", "tool_calls", "length", "refused"]
"""Why a reply ended: said all; waits for tools; cut by a limit, calls too; held back by the model or a filter."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture, a sound or a file that goes with a message."""

    media_type: str
    data: bytes = field(repr=False)
    name: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asks for. ``arguments`` is JSON text exactly as it came: it may be no JSON at all."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is shown to the model; ``parameters`` is a JSON schema object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``tool_calls`` and ``reasoning`` belong to an assistant, ``tool_call_id`` and ``name`` to a tool."""

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    name: str = ""
    attachments: tuple[Attachment, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A remembered passage that recall found for the question.

    ``where`` is the place in words, ``sender`` who said it, ``turn`` the name of its turn; ``superseded`` says that a
    newer value of the same thing is known.
    """

    text: str
    where: str = ""
    at: datetime | None = None
    sender: str = ""
    turn: str = ""
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What is asked of a model. None leaves a setting to the server.

    ``cache_key`` is the same for all requests of one conversation: it lets a server that knows such a key send them to
    the machine that still holds their beginning. ``recalled`` is only for a model that answers from memory itself
    (`OfflineModel`); for all others the agent puts what was recalled into ``messages``.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None
    cache_key: str = ""
    recalled: tuple[Recalled, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them. Cached ones are part of the prompt, reasoning is part of the completion."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the reply's text; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More of what the model thinks aloud before it replies; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """The model has begun to write a call of this tool; the call itself comes with the `Reply`."""

    name: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The last event of a stream: all of the reply.

    ``source`` is the source that answered, ``model`` what the server calls its model. ``usage`` is None when the server
    did not count, ``cost`` when there is no usage or no price. ``notes`` are sentences on what was left out on the way,
    such as tools the model can't be given.
    """

    message: Message
    reason: FinishReason
    usage: Usage | None = None
    source: str = ""
    model: str = ""
    cost: Cost | None = None
    notes: tuple[str, ...] = ()


ModelEvent = TextDelta | ReasoningDelta | ToolCallStarted | Reply
"""What a stream yields; exactly one `Reply`, and it is the last."""


def is_taken(media_type: str, takes: frozenset[str]) -> bool:
    """Whether a media type is among ``takes``, which may hold patterns such as ``image/*``."""
    bare = media_type.partition(";")[0].strip().lower()
    return any(fnmatchcase(bare, pattern) for pattern in takes)
