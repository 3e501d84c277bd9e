"""How many tokens a prompt takes: estimates, on the safe side."""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Protocol

from homeagent.models.messages import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.models.errors import ContextTooLongError
    from homeagent.models.messages import Message, ModelRequest, ToolSpec
    from homeagent.models.protocol import Model
    from homeagent.models.tokens import TokenEstimator

__all__ = ["Count", "ModelTokens", "beginning", "message_tokens", "prompt_tokens", "tool_tokens"]

_PER_MESSAGE = 6
_PER_ATTACHMENT = 1_600
_BYTES_PER_TOKEN = 1_600
_PER_CALL = 12
_PER_CARRIER = 60
_NAME_SECONDS = 0.2
_MOST_CHARACTERS = 12
"""No tokenizer needs fewer tokens than one for so many characters of running text."""


class Count(Protocol):
    """Estimates tokens."""

    def __call__(self, text: str) -> int:
        """Return about how many tokens ``text`` takes."""
        ...


class ModelTokens:
    """Estimates tokens for one model, with the margin that an estimate needs; `observe` makes it better."""

    def __init__(self, estimator: TokenEstimator, model: Model) -> None:
        self._estimator = estimator
        self._model = model
        self._smaller: dict[str, int] = {}
        self._named = ("", -math.inf)

    def use(self, model: Model) -> None:
        """Estimate for this model from now on; what was learnt of others stays."""
        self._model = model
        self._named = ("", -math.inf)

    @property
    def window(self) -> int:
        """The model's window: what it says of itself, or the smaller one its server told of."""
        said = self._model.window_tokens
        return min(said, self._smaller.get(self._model.name, said))

    def __call__(self, text: str) -> int:
        """Return about how many tokens ``text`` takes, hardly ever too few."""
        name = self._name()
        estimate = math.ceil(self._estimator.text(text, name) * self._estimator.margin(name))
        return max(estimate, len(text) // _MOST_CHARACTERS)  # a run without any word in it: keys, encoded data

    def _name(self) -> str:
        """Return the model's name, asked for no more than once in a moment: a router looks at all its sources."""
        name, until = self._named
        now = time.monotonic()
        if now > until:
            name = self._model.name
            self._named = (name, now + _NAME_SECONDS)
        return name

    def observe(self, request: ModelRequest, usage: Usage) -> None:
        """Learn from what a server counted."""
        self._estimator.observe(request, usage, self._model.name, self._model.takes)

    def refused(self, request: ModelRequest, error: ContextTooLongError) -> None:
        """Learn from a server that found a prompt too long, so that the next one fits at once."""
        if error.prompt_tokens:
            self.observe(request, Usage(error.prompt_tokens, 0))
        if error.window_tokens:
            self._smaller[self._model.name] = error.window_tokens


def message_tokens(message: Message, count: Count) -> int:
    """Return what one message takes, its calls and attachments included."""
    calls = sum(_PER_CALL + count(call.name) + count(call.arguments) for call in message.tool_calls)
    texts = sum(count(text) for text in (message.text, message.reasoning, message.name) if text)
    attachments = sum(
        _PER_ATTACHMENT + (0 if each.media_type.startswith("image/") else len(each.data) // _BYTES_PER_TOKEN)
        for each in message.attachments
    )
    carrier = _PER_CARRIER if attachments and message.role == "tool" else 0  # they travel in a message of their own
    return _PER_MESSAGE + texts + calls + attachments + carrier


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
