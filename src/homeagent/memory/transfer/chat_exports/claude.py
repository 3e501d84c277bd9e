"""Claude's export: a conversation is a list of messages, each a list of blocks: text, tool calls, their results.

What it thought is kept and not computed; the text of a file that was sent along is kept as an attachment. Source of the
form: the files themselves (``chat_messages``, ``sender``, ``content[].type``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.memory.transfer.chat_exports.exchange import Exchange, file_note, json_text, with_attachments
from homeagent.memory.turn import Attachment, Segment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.transfer.chat_exports.values import Value
    from homeagent.memory.turn import Turn

__all__ = ["SOURCE", "turns_of"]

SOURCE: Final = "claude"
"""The channel and the source of its turns."""


def turns_of(conversation: Value) -> Iterator[Turn]:
    """Yield the turns of one conversation, oldest first."""
    chat = conversation["uuid"].text()
    exchange = Exchange()
    calls: dict[str, Value] = {}
    for message in conversation["chat_messages"]:
        human = message["sender"].text() == "human"
        if human and exchange.segments:
            yield _ended(exchange, calls).turn(SOURCE, chat)
            exchange = Exchange()
        at = message["created_at"].moment() or conversation["created_at"].moment()
        exchange.add(message["uuid"].text(), _segments(message, calls, human=human), at)
    if exchange.segments:
        yield _ended(exchange, calls).turn(SOURCE, chat)


def _ended(exchange: Exchange, calls: dict[str, Value]) -> Exchange:
    """Return the exchange with the calls that never had a result."""
    exchange.segments += [_result(call["nothing"], call) for call in calls.values()]
    calls.clear()
    return exchange


def _segments(message: Value, calls: dict[str, Value], *, human: bool) -> list[Segment]:
    role: Final = "user" if human else "assistant"
    segments: list[Segment] = []
    for block in message["content"]:
        match block["type"].text():
            case "tool_use":
                calls[block["id"].text()] = block
            case "tool_result":
                segments.append(_result(block, calls.pop(block["tool_use_id"].text(), block)))
            case "thinking":
                segments += _said("assistant", block["thinking"].text(), thought=True)
            case _:
                segments += _said(role, block["text"].text() if isinstance(block["text"].value, str) else "")
    if not segments:
        segments = _said(role, message["text"].text())
    attachments = [_attachment(each) for each in message["attachments"] if each["extracted_content"].value]
    notes = [file_note(each["file_name"].text()) for each in message["files"] if each["file_name"].value]
    return [*with_attachments(segments, attachments), *notes]


def _said(role: str, text: str, *, thought: bool = False) -> list[Segment]:
    if not text:
        return []
    return [Segment("user" if role == "user" else "assistant", text, no_memory=thought)]


def _result(block: Value, call: Value) -> Segment:
    content = block["content"]
    text = content.value if isinstance(content.value, str) else "\n".join(part["text"].text() for part in content)
    name = call["name"].text() or block["name"].text() or "tool"
    arguments = json_text(call["input"].value)
    return Segment("tool", text, tool=f"{SOURCE}.{name}", arguments=arguments, error=block["is_error"].value is True)


def _attachment(each: Value) -> Attachment:
    data = each["extracted_content"].text().encode("utf-8", "surrogatepass")
    return Attachment("text/plain; charset=utf-8", data, each["file_name"].text())
