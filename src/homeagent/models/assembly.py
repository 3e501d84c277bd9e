"""Makes one reply out of the chunks a server sends, and says what each of them adds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from homeagent.models.cost import cost
from homeagent.models.messages import (
    FinishReason,
    Message,
    ReasoningDelta,
    Reply,
    TextDelta,
    ToolCallStarted,
    Usage,
)
from homeagent.models.thinking import ThoughtSplitter, WholeCharacters
from homeagent.models.tool_calls import CallCollector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from homeagent.models.messages import ModelEvent, ToolCall
    from homeagent.models.sources import Source

__all__ = ["ReplyBuilder"]

_REASONS: Final[Mapping[str, FinishReason]] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refused",
    "refusal": "refused",
    "safety": "refused",
    "sensitive": "refused",
}


class _Channel(list[str]):
    """One text as it grows, in pieces."""

    def add(self, more: str) -> str:
        self.append(more)
        return more

    @property
    def text(self) -> str:
        return "".join(self)


class ReplyBuilder:
    """Takes chunks, of a stream or the one of a whole answer, and ends up with a `Reply`.

    Chunks are read forgivingly: what is missing, null or of another type than it should be adds nothing.
    """

    def __init__(self, source: Source, known_tools: frozenset[str], new_id: Callable[[], str]) -> None:
        self._source = source
        self._calls = CallCollector(known_tools, new_id)
        self._text, self._reasoning = _Channel(), _Channel()
        self._whole, self._whole_thoughts = WholeCharacters(), WholeCharacters()
        self._thoughts = ThoughtSplitter()
        self._usage: Usage | None = None
        self._model = source.model
        self._end = ""
        self._refused = False

    @property
    def begun(self) -> bool:
        """Whether something of the reply has come."""
        return bool(self._text or self._reasoning or self._calls)

    @property
    def ended(self) -> str:
        """Why the server says the reply ended, empty as long as it goes on."""
        return self._end

    def add(self, chunk: Mapping[str, object]) -> Iterator[ModelEvent]:
        """Take a chunk; yield what it adds. The chunk counts only when all of it was fetched."""
        self._usage = _usage(chunk.get("usage")) or self._usage
        self._model = _text(chunk.get("model")) or self._model
        choice = _first(chunk.get("choices"))
        delta = _table(choice.get("delta")) or _table(choice.get("message"))
        yield from self._think(_content(delta.get("reasoning_content")) or _content(delta.get("reasoning")))
        yield from self._say(_content(delta.get("content")))
        refusal = _content(delta.get("refusal"))
        self._refused = self._refused or bool(refusal)
        yield from self._say(refusal)
        for piece in _pieces(delta):
            name = self._calls.add(piece)
            if name:
                yield ToolCallStarted(name)
        self._end = _text(choice.get("finish_reason")) or self._end

    def finish(self) -> Iterator[ModelEvent]:
        """Yield what was held back, once, at the end."""
        yield from self._think(self._whole_thoughts.finish())
        yield from self._say(self._whole.finish())
        thoughts, text = self._thoughts.finish()
        if thoughts:
            yield ReasoningDelta(self._reasoning.add(thoughts))
        if text:
            yield TextDelta(self._text.add(text))

    def reply(self, notes: tuple[str, ...] = ()) -> Reply:
        """Return the whole reply."""
        return Reply(
            Message("assistant", self._text.text, self._calls.calls(), reasoning=self._reasoning.text),
            self._reason(),
            self._usage,
            self._source.name,
            self._model,
            cost(self._usage, self._source.price),
            notes,
        )

    def partial(self) -> tuple[Message, tuple[ToolCall, ...]]:
        """Return what has come so far, and the calls that had begun."""
        return Message("assistant", self._text.text, reasoning=self._reasoning.text), self._calls.calls()

    def _reason(self) -> FinishReason:
        named = _REASONS.get(self._end.lower(), "stop")
        if self._refused:
            return "refused"
        return "tool_calls" if named == "stop" and self._calls else named

    def _think(self, text: str) -> Iterator[ModelEvent]:
        whole = self._whole_thoughts.feed(text) if text else ""
        if whole:
            yield ReasoningDelta(self._reasoning.add(whole))

    def _say(self, text: str) -> Iterator[ModelEvent]:
        whole = self._whole.feed(text) if text else ""
        thoughts, said = self._thoughts.feed(whole) if whole else ("", "")
        if thoughts:
            yield ReasoningDelta(self._reasoning.add(thoughts))
        if said:
            yield TextDelta(self._text.add(said))


def _pieces(delta: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    raw = delta.get("tool_calls")
    items = raw if isinstance(raw, list) else [raw]
    yield from (item for item in items if isinstance(item, dict))
    if isinstance(delta.get("function_call"), dict):
        yield {"function": delta["function_call"]}


def _usage(value: object) -> Usage | None:
    usage = _table(value)
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if not prompt and not completion:
        return None
    of_prompt = _table(usage.get("prompt_tokens_details"))
    of_completion = _table(usage.get("completion_tokens_details"))
    cached = _count(of_prompt.get("cached_tokens")) or _count(usage.get("prompt_cache_hit_tokens"))
    return Usage(prompt, completion, min(cached, prompt), _count(of_completion.get("reasoning_tokens")))


def _content(value: object) -> str:
    """Return a content that is a text or, with some servers, a list of parts."""
    if isinstance(value, list):
        return "".join(_text(_table(part).get("text")) for part in value)
    return _text(value)


def _first(value: object) -> Mapping[str, object]:
    choices = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return next((choice for choice in choices if choice.get("index") in (0, None)), {})


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) and 0 < value < math.inf else 0
