"""Making the present turn fit: the newest result keeps most, words keep their beginning, calls keep their answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from homeagent.agent.marking import opened
from homeagent.agent.tokens import beginning, message_tokens
from homeagent.models.messages import Message, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.agent.tokens import Count

__all__ = ["shrunk"]

_STUB_TOKENS = 90
_SHARE_OF_WORDS = 3
_CUT = "\n[... {} characters are left out here, there is no more room{} ...]"


def shrunk(words: Message, rounds: Sequence[Message], room: int, count: Count) -> tuple[Message, ...]:
    """Return ``words`` and the rounds after them in at most ``room`` tokens.

    Cut, in this order, until it fits: results of earlier rounds, results of the newest, the words that came in, the
    arguments of calls; then earlier rounds are left out whole, and at last all of them.
    """
    if _total([words, *rounds], count) <= room:
        return (words, *rounds)
    kept = _cut_results(words, list(rounds), room, count)
    if _total([words, *kept], count) > room:
        words = _shortened(words, room // _SHARE_OF_WORDS, count)
    if _total([words, *kept], count) > room:
        kept = [_without_arguments(each, count) for each in kept]
    while kept and _total([words, *kept], count) > room:
        kept = kept[_end_of_round(kept) :]
    if not kept and _total([words], count) > room:
        words = _shortened(replace(words, attachments=()), room, count)
    return (words, *kept)


def _cut_results(words: Message, rounds: list[Message], room: int, count: Count) -> list[Message]:
    newest = max((place for place, each in enumerate(rounds) if each.role == "assistant"), default=0)
    for place in range(newest):
        if rounds[place].role == "tool" and _total([words, *rounds], count) > room:
            rounds[place] = _shortened(rounds[place], _STUB_TOKENS, count)
    results = [place for place in range(newest, len(rounds)) if rounds[place].role == "tool"]
    if results and _total([words, *rounds], count) > room:
        others = _total([words, *(each for place, each in enumerate(rounds) if place not in results)], count)
        # Words that take more than their share will be cut afterwards; the results may count on it.
        others -= max(0, message_tokens(words, count) - room // _SHARE_OF_WORDS)
        share = max(_STUB_TOKENS, (room - others) // len(results))
        for place in results:
            rounds[place] = _shortened(rounds[place], share, count)
    return rounds


def _shortened(message: Message, tokens: int, count: Count) -> Message:
    """Return a message of at most ``tokens``; the delimiters of a marked text stay whole."""
    if message_tokens(message, count) <= tokens:
        return message
    first, inner, last = opened(message.text)
    if message.attachments and message_tokens(replace(message, text=""), count) > tokens // 2:
        inner += f"\n[{len(message.attachments)} attachments are left out, there is no more room]"
        message = replace(message, attachments=())
    more = ", read_more reads it" if message.role == "tool" else ""
    mark = _CUT.format(f"{len(inner):,}", more)
    room = tokens - message_tokens(replace(message, text=first + mark + last), count) - 2
    kept = beginning(inner, room, count)
    mark = _CUT.format(f"{len(inner) - len(kept):,}", more)
    return replace(message, text=f"{first}{kept}{mark}{last}")


def _without_arguments(message: Message, count: Count) -> Message:
    if count(message.text) > _STUB_TOKENS and message.role == "assistant":
        message = replace(message, text=beginning(message.text, _STUB_TOKENS, count))
    calls = tuple(
        call if count(call.arguments) <= _STUB_TOKENS else ToolCall(call.id, call.name, '{"cut": true}')
        for call in message.tool_calls
    )
    return replace(message, tool_calls=calls, reasoning="")


def _end_of_round(messages: Sequence[Message]) -> int:
    """Return where the second round begins: rounds begin with an assistant's message."""
    starts = (place for place, each in enumerate(messages) if place and each.role == "assistant")
    return next(starts, len(messages))


def _total(messages: Iterable[Message], count: Count) -> int:
    return sum(message_tokens(each, count) for each in messages)
