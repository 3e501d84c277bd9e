"""Segments of a turn as the model sees them. What tools and channels say is marked as data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from homeagent.agent.incoming import RESUMED
from homeagent.agent.marking import marked, opened
from homeagent.memory import OWNER, Segment
from homeagent.models.messages import Attachment, Message, ToolCall, is_taken

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent import memory

__all__ = [
    "NO_ANSWER",
    "ON_INPUT",
    "PICTURES",
    "calls_as_json",
    "cut_result",
    "past_messages",
    "resumed",
    "said",
    "spoken",
    "tool_answer",
    "unmarked",
    "whole",
    "with_pictures",
]

NO_ANSWER: Final = "[this turn ended before there was an answer]"
"""What stands in the window for an answer that never came."""

ON_INPUT: Final = "on_input"
"""In the log, the plugin of segments that the stage ``on_input`` added."""

PICTURES: Final = "[what the results above brought along]"
"""The words beside pictures that a tool returned."""


def said(
    text: str, attachments: Iterable[memory.Attachment], person: str, *, name: str = "", injected: bool = False
) -> Message:
    """Return what came in as a message; only the owner's own words stand unmarked."""
    if injected or person != OWNER:
        text = marked("message", text, **{"from": person, "name": name, "by": "plugin" if injected else ""})
    return Message("user", text, attachments=_attachments(attachments))


def resumed(text: str) -> Message:
    """Return the message that begins a turn which goes on with an interrupted one: this program's own words."""
    return Message("user", marked("context", text))


def spoken(text: str, calls: tuple[ToolCall, ...] = (), reasoning: str = "") -> Message:
    """Return what the model said as a message that a server takes back: arguments that are no object are wrapped."""
    sent = tuple(ToolCall(call.id, call.name or "unknown", _object_text(call.arguments)) for call in calls)
    return Message("assistant", text, tool_calls=sent, reasoning=reasoning)


def tool_answer(call: ToolCall, text: str, attachments: Iterable[memory.Attachment], limit: int) -> Message:
    """Return what a call gave as a message of at most about ``limit`` characters."""
    shown = marked("output", cut_result(text, call.id, limit), of=call.name)
    return Message("tool", shown, tool_call_id=call.id, name=call.name, attachments=_attachments(attachments))


def cut_result(text: str, call_id: str, limit: int) -> str:
    """Return a result whole, or its beginning and end with a mark between them that says how to read on."""
    if len(text) <= limit:
        return text
    start = max(limit * 3 // 4, 0)
    end = len(text) - (limit - start)
    return f"{text[:start]}\n{_gap(start, end, len(text), call_id)}\n{text[end:]}"


def _gap(start: int, end: int, length: int, call_id: str) -> str:
    how = f"read_more(call={json.dumps(call_id)}, offset={start}) reads on"
    return f"[... characters {start:,} to {end:,} of {length:,} are left out here; {how} ...]"


def calls_as_json(calls: Sequence[ToolCall]) -> str | None:
    """Return the calls a model asked for as JSON text, for the log; None for no calls."""
    if not calls:
        return None
    listed = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls]
    return json.dumps(listed, ensure_ascii=False)


def past_messages(segments: Iterable[Segment], sender: str, *, injected: bool, limit: int) -> tuple[Message, ...]:
    """Return a turn of the log as messages, valid for a server: every call has its answer, every answer its call."""
    found: list[Message] = []
    waiting: dict[str, ToolCall] = {}
    words: list[Segment] = []
    for segment in segments:
        if segment.role != "user":
            words = []
        match segment.role:
            case "user":
                # A plugin's version of the words stands in for them; several messages in a row are one.
                found = [] if segment.plugin else found[:-1] if words else found
                words = [segment] if segment.plugin else [*words, segment]
                text, files = "\n".join(each.text for each in words), (f for each in words for f in each.attachments)
                found = [*found, said(text, files, sender, injected=injected)]
            case "assistant":
                found += _unanswered(waiting)
                calls = _calls(segment.arguments)
                waiting = {call.id: call for call in calls}
                found.append(spoken(segment.text, calls))
            case "tool":
                found += _answer(segment, waiting, limit)
            case "system":
                if segment.plugin == ON_INPUT:
                    return ()  # a plugin stopped it before the model was asked
                if segment.plugin == RESUMED:
                    found.append(resumed(segment.text))
    return _answered([*found, *_unanswered(waiting)])


def _answer(segment: Segment, waiting: dict[str, ToolCall], limit: int) -> list[Message]:
    call = waiting.pop(segment.call_id or "", None)
    if call is not None:
        return [tool_answer(call, segment.text, segment.attachments, limit)]
    # Its call isn't in the log: an import, or a turn of another program.
    call = ToolCall(segment.call_id or "call", segment.tool or "unknown", segment.arguments or "{}")
    return [spoken("", (call,)), tool_answer(call, segment.text, segment.attachments, limit)]


def _unanswered(waiting: dict[str, ToolCall]) -> list[Message]:
    answers = [tool_answer(call, "[interrupted: the outcome is not known]", (), 100) for call in waiting.values()]
    waiting.clear()
    return answers


def _calls(text: str | None) -> tuple[ToolCall, ...]:
    if not text:
        return ()
    try:
        listed: object = json.loads(text)
    except ValueError:
        return ()
    items = listed if isinstance(listed, list) else []
    return tuple(
        ToolCall(str(item.get("id", "")), str(item.get("name", "")), str(item.get("arguments", "")))
        for item in items
        if isinstance(item, dict)
    )


def _object_text(arguments: str) -> str:
    try:
        if isinstance(json.loads(arguments), dict):
            return arguments
    except (ValueError, RecursionError):
        pass
    return json.dumps({"unreadable": arguments}, ensure_ascii=False)


def _attachments(attachments: Iterable[memory.Attachment]) -> tuple[Attachment, ...]:
    return tuple(Attachment(each.media_type, each.data, each.name) for each in attachments)


def unmarked(message: Message) -> Message:
    """Return a message without the delimiters of its data: for a model that shows it to the person as it is."""
    first, inner, _ = opened(message.text)
    return replace(message, text=inner) if first else message


def with_pictures(messages: Sequence[Message], takes: frozenset[str]) -> tuple[Message, ...]:
    """Return messages in which what results brought along follows them in a user's message, where a model takes it.

    Servers take pictures from a user only; what a model does not take is named to it in the text.
    """
    found: list[Message] = []
    pictures: list[Attachment] = []
    for place, message in enumerate(messages):
        taken = [each for each in message.attachments if is_taken(each.media_type, takes)]
        if message.role == "tool" and taken:
            pictures += taken
            message = replace(message, attachments=tuple(each for each in message.attachments if each not in taken))
        found.append(message)
        following = messages[place + 1].role if place + 1 < len(messages) else ""
        if pictures and following != "tool":
            found.append(Message("user", PICTURES, attachments=tuple(pictures)))
            pictures = []
    return tuple(found)


def whole(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return a turn's messages so that every call has an answer, also when the turn was stopped in between."""
    answered = {message.tool_call_id for message in messages if message.role == "tool"}
    found: list[Message] = []
    for place, message in enumerate(messages):
        found.append(message)
        if message.role == "assistant" and place == len(messages) - 1:
            found += _unanswered({call.id: call for call in message.tool_calls if call.id not in answered})
    return _answered(found)


def _answered(messages: list[Message]) -> tuple[Message, ...]:
    """Return a turn's messages with an answer at the end: some servers insist that the speakers take turns."""
    if messages and (messages[-1].role != "assistant" or messages[-1].tool_calls):
        messages.append(Message("assistant", NO_ANSWER))
    return tuple(messages)
