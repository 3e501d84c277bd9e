"""How many tokens a prompt takes: estimates, on the safe side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.models.messages import Message, ToolSpec

__all__ = ["Count", "beginning", "message_tokens", "prompt_tokens", "tool_tokens"]

_PER_MESSAGE = 6
_PER_ATTACHMENT = 1_600
_PER_CALL = 12
_MOST_CHARACTERS = 12
"""No tokenizer needs fewer tokens than one for so many characters of running text."""


class Count(Protocol):
    """Estimates tokens."""

    def __call__(self, text: str) -> int:
        """Return about how many tokens ``text`` takes."""
        ...


def message_tokens(message: Message, count: Count) -> int:
    """Return what one message takes, its calls and attachments included."""
    calls = sum(_PER_CALL + count(call.name) + count(call.arguments) for call in message.tool_calls)
    texts = sum(count(text) for text in (message.text, message.reasoning, message.name) if text)
    return _PER_MESSAGE + texts + calls + _PER_ATTACHMENT * len(message.attachments)


def tool_tokens(tool: ToolSpec, count: Count) -> int:
    """Return what the declaration of one tool takes."""
    schema = json.dumps(dict(tool.parameters), ensure_ascii=False)
    return _PER_CALL + count(tool.name) + count(tool.description) + count(schema)


def prompt_tokens(messages: Iterable[Message], tools: Iterable[ToolSpec], count: Count) -> int:
    """Return what a whole prompt takes."""
    return sum(message_tokens(each, count) for each in messages) + sum(tool_tokens(each, count) for each in tools)


def beginning(text: str, tokens: int, count: Count) -> str:
    """Return as much of the beginning of ``text`` as fits into ``tokens``."""
    if tokens <= 0:
        return ""
    kept = text[: tokens * _MOST_CHARACTERS]
    while kept and (taken := count(kept)) > tokens:
        kept = kept[: min(len(kept) - 1, len(kept) * tokens // taken)]
    return kept
