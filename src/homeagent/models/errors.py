"""What can go wrong between the agent and a model: one tree, so that a caller catches as much of it as it means."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from homeagent.errors import HomeAgentError

if TYPE_CHECKING:
    from homeagent.models.messages import Message, ToolCall

__all__ = [
    "BrokenReplyError",
    "BusyError",
    "ContextTooLongError",
    "CreditError",
    "EmptyReplyError",
    "KeyMissingError",
    "KeyRefusedError",
    "ModelError",
    "ModelTimeoutError",
    "NoSourceError",
    "RequestRefusedError",
    "ScriptError",
    "ServerDownError",
]


class ModelError(HomeAgentError):
    """A model gave no reply, or not a whole one. No part of the text holds a key.

    ``passing`` says whether the same request may well succeed a moment later.
    """

    passing: ClassVar[bool] = False


class KeyMissingError(ModelError):
    """The key of a source can't be read: variable not set, file not there or readable by others. Nothing was sent."""


class KeyRefusedError(ModelError):
    """The server refused the key (401, 403)."""


class CreditError(ModelError):
    """The account has no credit or quota left (402, or 429 that says so)."""


class RequestRefusedError(ModelError):
    """The server did not take the request (another 4xx). ``status`` is 0 when it said so inside a stream."""

    def __init__(self, where: str, problem: str, next_step: str, *, status: int = 0) -> None:
        super().__init__(where, problem, next_step)
        self.status = status


class ContextTooLongError(ModelError):
    """The conversation does not fit the model's window.

    ``window_tokens`` and ``prompt_tokens`` are what the server said, None where it did not.
    """

    def __init__(
        self,
        where: str,
        problem: str,
        next_step: str,
        *,
        window_tokens: int | None = None,
        prompt_tokens: int | None = None,
    ) -> None:
        super().__init__(where, problem, next_step)
        self.window_tokens = window_tokens
        self.prompt_tokens = prompt_tokens


class BusyError(ModelError):
    """Too many requests, or the server is overloaded. ``retry_after``: seconds it asked to wait, None if it did not."""

    passing = True

    def __init__(self, where: str, problem: str, next_step: str, *, retry_after: float | None = None) -> None:
        super().__init__(where, problem, next_step)
        self.retry_after = retry_after


class ServerDownError(ModelError):
    """The server can't be reached, or failed (5xx)."""

    passing = True


class ModelTimeoutError(ModelError):
    """The first token did not come in time. Not tried again by itself: the wait was long already."""


class BrokenReplyError(ModelError):
    """The reply ended before it was finished: connection lost, nothing more for too long, or something unreadable.

    ``partial`` is what had arrived by then, without tool calls. ``unfinished_calls`` are the calls that had begun:
    their arguments may be cut anywhere, so they must not be run.
    """

    def __init__(
        self,
        where: str,
        problem: str,
        next_step: str,
        *,
        partial: Message | None = None,
        unfinished_calls: tuple[ToolCall, ...] = (),
    ) -> None:
        super().__init__(where, problem, next_step)
        self.partial = partial
        self.unfinished_calls = unfinished_calls


class EmptyReplyError(ModelError):
    """The model ended its reply without a word for the person and without a call that could be run."""


class NoSourceError(ModelError):
    """No source gave a reply. ``problems`` has the reason of each, in their order of priority."""

    def __init__(self, where: str, problem: str, next_step: str, *, problems: tuple[ModelError, ...] = ()) -> None:
        super().__init__(where, problem, next_step)
        self.problems = problems


class ScriptError(ModelError):
    """A `ScriptedModel` was asked more often than its script has steps."""
