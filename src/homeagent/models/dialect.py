"""What one server understands of the protocol, learned from what it refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from homeagent.models.errors import RequestRefusedError, ServerDownError
from homeagent.models.wire import messages_as_json, tools_as_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from homeagent.models.errors import ModelError
    from homeagent.models.messages import ModelRequest
    from homeagent.models.sources import Source

__all__ = ["Dialect"]

_NAMED: Final[Mapping[str, re.Pattern[str]]] = {
    "stream_options": re.compile(r"stream_options|include_usage", re.IGNORECASE),
    "prompt_cache_key": re.compile(r"prompt_cache_key", re.IGNORECASE),
    "temperature": re.compile(r"temperature", re.IGNORECASE),
    "max_tokens": re.compile(r"max_completion_tokens", re.IGNORECASE),
    "stream": re.compile(
        r"\bstream(ing)?\b.{0,40}(not|un)[ -]?(supported|allowed)|not support.{0,20}\bstream", re.IGNORECASE
    ),
    "tools": re.compile(
        r"not support.{0,20}\b(tool|function)s?\b|\btools? param\w* requires|support tool use"
        r"|\btool (use|choice|calling|calls) (requires|(is |are )?not supported)|\btools (is|are) (not |un)supported",
        re.IGNORECASE,
    ),
}
_UNNAMED: Final = re.compile(
    r"extra (fields|inputs)|(unknown|unrecognized|unexpected) .{0,20}(field|argument|param|key)", re.IGNORECASE
)
_EXTRAS: Final = frozenset({"stream_options", "prompt_cache_key"})
_REASONING: Final = re.compile(r"reasoning_content", re.IGNORECASE)


class Dialect:
    """Writes requests for one source, without what its server has refused before.

    `learn` looks into a refusal; True means that the next body is another one and worth a try. What was learned holds
    until the program ends or the source changes.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._refused: set[str] = set()
        self._with_reasoning = False

    def body(self, request: ModelRequest) -> dict[str, object]:
        """Return the whole body of ``POST /chat/completions``."""
        options = {name: value for name, value in self._options(request).items() if name not in self._refused}
        limit = self._limit(request)
        if "max_tokens" in self._refused and limit is not None:
            options["max_completion_tokens"] = limit
        messages = messages_as_json(request.messages, self._source.takes, with_reasoning=self._with_reasoning)
        return {"model": self._source.model, "messages": messages, **options}

    def learn(self, error: ModelError, request: ModelRequest) -> bool:
        """Return whether the refusal names something that can be left out; it is left out from now on."""
        if not isinstance(error, RequestRefusedError | ServerDownError):
            return False
        said = error.problem
        sent = self._options(request).keys() - self._refused
        named = {name for name in sent if _NAMED[name].search(said)} if sent else set()
        if not named and _UNNAMED.search(said):
            named = sent & _EXTRAS
        if not named and _REASONING.search(said) and not self._with_reasoning:
            self._with_reasoning = True
            return True
        self._refused |= named
        return bool(named)

    def notes(self, request: ModelRequest) -> tuple[str, ...]:
        """Return what of this request is left out and changes the reply, in sentences."""
        if request.tools and "tools" in self._refused:
            return (f"{self._source.model} takes no tools: it was asked without them",)
        return ()

    def _limit(self, request: ModelRequest) -> int | None:
        """Return how long the answer may be: what was asked for or the source allows, whichever is less."""
        return min((each for each in (request.max_tokens, self._source.max_tokens) if each), default=None)

    def _options(self, request: ModelRequest) -> dict[str, object]:
        options: dict[str, object] = {"stream": True, "stream_options": {"include_usage": True}}
        if request.tools:
            options["tools"] = tools_as_json(request.tools)
        if (limit := self._limit(request)) is not None:
            options["max_tokens"] = limit
        if request.temperature is not None:
            options["temperature"] = request.temperature
        if request.cache_key:
            options["prompt_cache_key"] = request.cache_key
        return options
