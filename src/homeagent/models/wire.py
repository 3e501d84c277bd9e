"""A request in the words of OpenAI's ``POST /chat/completions``."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Final

from homeagent.models.messages import is_taken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.models.messages import Attachment, Message, ToolCall, ToolSpec

__all__ = ["messages_as_json", "named_in_text", "tools_as_json"]

_SOUNDS: Final = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
_LONGEST_NAME: Final = 64
_UNNAMEABLE: Final = re.compile(r"[\s<|\\/>]")
_UNSENDABLE: Final = re.compile("[\0\ud800-\udfff]")

Json = dict[str, object]


def messages_as_json(messages: Iterable[Message], takes: frozenset[str], *, with_reasoning: bool = False) -> list[Json]:
    """Return the messages; attachments in ``takes`` go along, every other is named in the text."""
    return [_message(message, takes, with_reasoning) for message in messages]


def tools_as_json(tools: Iterable[ToolSpec]) -> list[Json]:
    """Return the tools as functions the model may call."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def named_in_text(attachment: Attachment) -> str:
    """Return the sentence that stands for an attachment the model is not given."""
    name = f"{attachment.name}, " if attachment.name else ""
    return f"[attachment not shown to you: {name}{attachment.media_type}, {len(attachment.data)} bytes]"


def _message(message: Message, takes: frozenset[str], with_reasoning: bool) -> Json:
    found: Json = {"role": message.role, "content": _content(message, takes)}
    if message.role == "tool":
        found["tool_call_id"] = message.tool_call_id
    elif message.name:
        found["name"] = _UNNAMEABLE.sub("_", message.name)[:_LONGEST_NAME]
    if message.tool_calls:
        found["tool_calls"] = [_call(call) for call in message.tool_calls]
    if with_reasoning and message.reasoning:
        found["reasoning_content"] = _sendable(message.reasoning)
    return found


def _call(call: ToolCall) -> Json:
    # A call without a name, or with arguments that are no JSON, would make some servers refuse every later turn.
    function = {"name": call.name or "unknown", "arguments": _sendable(_json_object(call.arguments))}
    return {"id": call.id, "type": "function", "function": function}


def _json_object(arguments: str) -> str:
    try:
        is_object = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        is_object = False
    return arguments if is_object else json.dumps({"not_json": arguments}, ensure_ascii=False)


def _content(message: Message, takes: frozenset[str]) -> str | list[Json]:
    parts: list[Json] = []
    lines = [message.text] if message.text else []
    for attachment in message.attachments:
        # Only a user's message may hold parts: most servers refuse them elsewhere.
        shown = message.role == "user" and is_taken(attachment.media_type, takes)
        part = _part(attachment) if shown else None
        if part is None:
            lines.append(named_in_text(attachment))
        else:
            parts.append(part)
    text = _sendable("\n".join(lines))
    if not parts:
        return text
    return [{"type": "text", "text": text}, *parts] if text else parts


def _part(attachment: Attachment) -> Json | None:
    """Return the attachment as a part of the content, None when the protocol has no place for its kind."""
    bare = attachment.media_type.partition(";")[0].strip().lower()
    data = base64.b64encode(attachment.data).decode("ascii")
    if bare.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": f"data:{bare};base64,{data}"}}
    if bare in _SOUNDS:
        return {"type": "input_audio", "input_audio": {"data": data, "format": _SOUNDS[bare]}}
    if bare == "application/pdf":
        name = attachment.name or "document.pdf"
        return {"type": "file", "file": {"filename": name, "file_data": f"data:{bare};base64,{data}"}}
    return None


def _sendable(text: str) -> str:
    """Return the text as JSON can carry it; what it can't is marked with U+FFFD."""
    return _UNSENDABLE.sub("\ufffd", text)
