"""A model that says what it was told to: for tests of agents and plugins, with the same events as a real one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.models.errors import BrokenReplyError, ModelError, ScriptError
from homeagent.models.messages import (
    FinishReason,
    Message,
    ModelRequest,
    ReasoningDelta,
    Reply,
    TextDelta,
    ToolCall,
    ToolCallStarted,
    Usage,
)
from homeagent.models.tokens import TokenEstimator

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Iterator

    from homeagent.models.messages import ModelEvent

__all__ = ["Say", "ScriptedModel", "Step"]

_PIECE: Final = 8


@dataclass(frozen=True, slots=True)
class Say:
    """One reply of a script.

    ``pause`` seconds pass before it begins (``math.inf``: it hangs). ``error`` is raised after what it says: as it is
    when it says nothing, else as `BrokenReplyError` with what was said. ``usage`` None: it is estimated.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    pause: float = 0.0
    error: ModelError | None = None
    usage: Usage | None = None
    reason: FinishReason | None = None


Step = Say | str | ToolCall | ModelError | Callable[[ModelRequest], "Step"]
"""A reply; its text; a tool call; an error; or what makes one of these from the request."""


class ScriptedModel:
    """A `Model` that gives the replies of a script, one for each request, and keeps the requests.

    ::

        model = ScriptedModel([ToolCall("c1", "cmd_run", '{"command": "id"}'), "You are root."])

    A function in place of the list makes each reply from its request. Text comes in pieces of eight characters. An
    estimated usage counts the messages that begin like the last request as cached. A request beyond the end of the
    script raises `ScriptError`.
    """

    def __init__(
        self,
        script: Iterable[Step] | Callable[[ModelRequest], Step],
        *,
        name: str = "scripted",
        window_tokens: int = 32_768,
        takes: frozenset[str] = frozenset(),
    ) -> None:
        self.requests: list[ModelRequest] = []
        self._every = script if callable(script) else None
        self._steps = () if callable(script) else tuple(script)
        self._name, self._window, self._takes = name, window_tokens, takes
        self._tokens = TokenEstimator()

    @property
    def name(self) -> str:
        """As it was given."""
        return self._name

    @property
    def window_tokens(self) -> int:
        """As it was given."""
        return self._window

    @property
    def takes(self) -> frozenset[str]:
        """As it was given."""
        return self._takes

    @property
    def left(self) -> int:
        """How many steps of the script were not asked for yet."""
        return max(0, len(self._steps) - len(self.requests))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the next reply. Raises what the script says, and `ScriptError` after its end."""
        before = self.requests[-1] if self.requests else None
        self.requests.append(request)
        say = self._next(request)
        if say.pause:
            await asyncio.sleep(say.pause)
        for event in _events(say):
            yield event
            await asyncio.sleep(0)
        message = Message("assistant", say.text, say.calls, reasoning=say.reasoning)
        if say.error is not None:
            raise self._broken(say, say.error)
        usage = say.usage or self._usage(request, before, message)
        yield Reply(message, say.reason or ("tool_calls" if say.calls else "stop"), usage, self._name, self._name)

    async def close(self) -> None:
        """Do nothing: there is nothing open."""

    def _next(self, request: ModelRequest) -> Say:
        number = len(self.requests)
        step: Step
        if self._every is not None:
            step = self._every(request)
        elif number <= len(self._steps):
            step = self._steps[number - 1]
        else:
            problem = f"its script has {len(self._steps)} steps, this is request {number}"
            raise ScriptError(self._name, problem, "Add a step, or find out why it is asked once more")
        while not isinstance(step, Say):
            step = _plainer(step, request)
        return step

    def _broken(self, say: Say, error: ModelError) -> ModelError:
        if not (say.text or say.calls or say.reasoning):
            return error
        partial = Message("assistant", say.text, reasoning=say.reasoning)
        problem = f"the reply broke off: {error.problem}"
        return BrokenReplyError(self._name, problem, error.next_step, partial=partial, unfinished_calls=say.calls)

    def _usage(self, request: ModelRequest, before: ModelRequest | None, message: Message) -> Usage:
        same = 0
        if before is not None and before.tools == request.tools:
            for old, new in zip(before.messages, request.messages, strict=False):
                if old != new:
                    break
                same += 1
        cached = ModelRequest(request.messages[:same], request.tools)
        return Usage(
            self._tokens.request(request, takes=self._takes),
            self._tokens.message(message),
            self._tokens.request(cached, takes=self._takes) if same else 0,
        )


def _plainer(step: str | ToolCall | ModelError | Callable[[ModelRequest], Step], request: ModelRequest) -> Step:
    match step:
        case str():
            return Say(step)
        case ToolCall():
            return Say(calls=(step,))
        case ModelError():
            return Say(error=step)
        case _:
            return step(request)


def _events(say: Say) -> Iterator[ModelEvent]:
    for start in range(0, len(say.reasoning), _PIECE):
        yield ReasoningDelta(say.reasoning[start : start + _PIECE])
    for start in range(0, len(say.text), _PIECE):
        yield TextDelta(say.text[start : start + _PIECE])
    for call in say.calls:
        yield ToolCallStarted(call.name)
