"""The answers of the offline mode: what is said is noted, a question is answered with what was said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.cli.hits import time_text
from homeagent.cli.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from homeagent.models import AnswerFromMemory, Recalled

__all__ = ["answers_in"]


def answers_in(terminal: Terminal, keeps: Callable[[], bool]) -> AnswerFromMemory:
    """Return what makes the answers of `OfflineModel`, in the language of the question.

    ``keeps`` says whether what is said now is kept: nothing is noted in private.
    """
    from homeagent.memory.compute import QueryText
    from homeagent.memory.text.speech import is_question

    def answer(said: str, recalled: tuple[Recalled, ...]) -> str:
        speaking = Terminal(terminal.language_of(said), json=terminal.json)
        if not is_question(QueryText(said)):
            return speaking.message("kept" if keeps() else "heard_in_private")
        if not recalled:
            return speaking.message("knows_nothing")
        lines = [speaking.message("remembers")]
        for passage in recalled:
            lines.append(f"- {' '.join(passage.text.split())}")
            lines.append(f"  ({_source(passage, speaking)})")
        return "\n".join(lines)

    return answer


def _source(passage: Recalled, terminal: Terminal) -> str:
    older = f" [{terminal.message('older')}]" if passage.superseded else ""
    words = (time_text(passage.at, terminal), passage.sender, passage.where, passage.turn)
    return " ".join(word for word in words if word) + older
