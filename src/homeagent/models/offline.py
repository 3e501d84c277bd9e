"""The model that is none: answers with what memory holds, and calls the tools a person types."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from homeagent.models.messages import Message, Recalled, Reply, TextDelta, ToolCall, ToolCallStarted
from homeagent.models.tool_command import parse_tool_command

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from homeagent.models.messages import ModelEvent, ModelRequest

__all__ = ["AnswerFromMemory", "OfflineModel", "answer_from_memory"]

AnswerFromMemory = Callable[[str, tuple[Recalled, ...]], str]
"""Makes the reply to a question out of the passages that recall found for it."""

_LONGEST_SHOWN: Final = 4000
_WINDOW: Final = 1_000_000


def answer_from_memory(question: str, recalled: tuple[Recalled, ...]) -> str:
    """Return the passages as a list, newest facts as recall ordered them; in Chinese to a question in Chinese."""
    chinese = bool(re.search("[\u4e00-\u9fff]", question))
    if not recalled:
        return "我的记忆里没有相关的内容。" if chinese else "I find nothing about that in my memory."
    lines = ["记忆里有这些：" if chinese else "This is what I remember:"]
    for passage in recalled:
        about = ", ".join(
            word for word in (passage.at.strftime("%Y-%m-%d") if passage.at else "", passage.where) if word
        )
        lines.append(f"- {passage.text.strip()}" + (f" ({about})" if about else ""))
    return "\n".join(lines)


class OfflineModel:
    """A `Model` without a model: the same conversation, tools and log, nothing leaves the machine.

    To a question it replies with what ``request.recalled`` holds, put into words by ``answer``. To ``/tool name
    key=value`` it replies with that tool call, and to the tool's result with its beginning, at most 4,000 characters.
    """

    def __init__(
        self,
        answer: AnswerFromMemory = answer_from_memory,
        *,
        new_id: Callable[[], str] = lambda: f"call_{secrets.token_hex(8)}",
    ) -> None:
        self._answer = answer
        self._new_id = new_id

    @property
    def name(self) -> str:
        """Always ``offline``."""
        return "offline"

    @property
    def window_tokens(self) -> int:
        """More than any conversation has: nothing is read by a model."""
        return _WINDOW

    @property
    def takes(self) -> frozenset[str]:
        """Nothing: it looks at no attachment."""
        return frozenset()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the answer in one piece, or the tool call, and then the `Reply`. Raises nothing."""
        said = self._say(request)
        if isinstance(said, ToolCall):
            yield ToolCallStarted(said.name)
            yield Reply(Message("assistant", tool_calls=(said,)), "tool_calls", source=self.name, model=self.name)
            return
        if said:
            yield TextDelta(said)
        yield Reply(Message("assistant", said), "stop", source=self.name, model=self.name)

    async def close(self) -> None:
        """Do nothing: there is nothing open."""

    def _say(self, request: ModelRequest) -> str | ToolCall:
        last = request.messages[-1] if request.messages else Message("user")
        if last.role == "tool":
            return _shown(last.text)
        if re.match(r"\s*/tool(\s|$)", last.text):
            return parse_tool_command(last.text, request.tools, call_id=self._new_id())
        return self._answer(last.text, request.recalled)


def _shown(output: str) -> str:
    left = len(output) - _LONGEST_SHOWN
    if left <= 0:
        return output
    return f"{output[:_LONGEST_SHOWN]}\n[... {left:,} more characters; the whole output is kept with this turn]"
