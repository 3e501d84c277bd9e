"""ChatGPT's export: a conversation is a tree of messages, a node for every one, another branch for every retry.

Every branch is kept: a turn is what the person wrote and everything below it up to what he wrote next. What the model
sends to a tool (``recipient``) stands as the arguments of the tool's answer. What it thought is kept and not computed.
Source of the form: the files themselves (``mapping``, ``author.role``, ``content.content_type``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from homeagent.memory.transfer.chat_exports.exchange import Exchange, file_note, with_attachments
from homeagent.memory.turn import Attachment, Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from homeagent.memory.transfer.chat_exports.values import Value
    from homeagent.memory.turn import Turn

    FilesOf = Callable[[str], bytes | None]

__all__ = ["SOURCE", "turns_of"]

SOURCE: Final = "chatgpt"
"""The channel and the source of its turns."""
_TO_PERSON: Final = ("", "all")
_THOUGHTS: Final = ("thoughts", "reasoning_recap")
_POINTERS: Final = ("file-service://", "sediment://")
_PLAIN: Final = ("text", "result", "user_profile", "user_instructions")


def turns_of(conversation: Value, files: FilesOf) -> Iterator[Turn]:
    """Yield the turns of one conversation, oldest first; ``files`` gives the bytes of a file that the export holds."""
    chat = conversation["conversation_id"].text() or conversation["id"].text()
    nodes = dict(conversation["mapping"].items())
    order: dict[str, _Answered] = {}
    for name, node, spoken in _walked(nodes):
        answered = order.setdefault(spoken, _Answered())
        message = node["message"]
        at = message["create_time"].seconds() or conversation["create_time"].seconds()
        answered.exchange.add(message["id"].text() or name, _segments(message, answered.waiting, files), at)
    for answered in order.values():
        exchange = answered.exchange
        if exchange.segments:
            exchange.segments += [_called(tool, sent) for tool, sent in answered.waiting.items()]
            yield exchange.turn(SOURCE, chat)


@dataclass(slots=True)
class _Answered:
    """What a person wrote with what came of it; ``waiting`` is what was sent to a tool that has not answered."""

    exchange: Exchange = field(default_factory=Exchange)
    waiting: dict[str, str] = field(default_factory=dict)


def _called(tool: str, sent: str | None, answer: str = "", *, failed: bool = False) -> Segment:
    return Segment("tool", answer, tool=f"{SOURCE}.{tool}", arguments=sent, error=failed)


def _walked(nodes: dict[str, Value]) -> Iterator[tuple[str, Value, str]]:
    """Yield name and node of every message, parents first, with the name of the person's message it belongs to."""
    roots = [name for name, node in nodes.items() if node["parent"].text() not in nodes]
    stack = [(name, name) for name in reversed(roots)]
    seen: set[str] = set()
    while stack:
        name, spoken = stack.pop()
        if name in seen:
            continue
        seen.add(name)
        node = nodes[name]
        if node["message"]:
            if node["message"]["author"]["role"].text() == "user":
                spoken = name
            yield name, node, spoken
        children = [child.text() for child in node["children"]]
        stack += [(child, spoken) for child in reversed(children) if child in nodes]


def _segments(message: Value, waiting: dict[str, str], files: FilesOf) -> list[Segment]:
    """Return a message as segments; what is sent to a tool waits in ``waiting`` for the tool's answer."""
    content = message["content"]
    kind = content["content_type"].text()
    text = _text(content)
    author = message["author"]
    match author["role"].text():
        case "user":
            words = [Segment("user", text)] if text else []
            attachments, notes = _files(message, files)
            return [*with_attachments(words, attachments), *notes]
        case "assistant" if message["recipient"].text() not in _TO_PERSON:
            waiting[message["recipient"].text().partition(".")[0]] = text
            return []
        case "assistant":
            return [Segment("assistant", text, no_memory=kind in _THOUGHTS)] if text else []
        case "tool":
            tool = author["name"].text() or "tool"
            arguments = waiting.pop(tool.partition(".")[0], None)
            if not text and arguments is None:
                return []
            return [_called(tool, arguments, text, failed=kind == "system_error")]
        case "system":
            return [Segment("system", text)] if text else []
        case _:
            raise author["role"].error("expected user, assistant, tool or system")


def _text(content: Value) -> str:
    """Return all the words of a message's content, whatever its type."""
    if isinstance(content.value, str):
        return content.value
    parts = [_part(part) for part in content["parts"]]
    parts += [content[key].text() for key in _PLAIN if isinstance(content[key].value, str)]
    if isinstance(content["content"].value, str):
        parts.append(content["content"].text())
    for thought in content["thoughts"]:
        parts += [thought["summary"].text(), thought["content"].text()]
    return "\n".join(part for part in parts if part)


def _part(part: Value) -> str:
    """Return the words of one part: text, or what was said in a recording; a picture has none."""
    return part.value if isinstance(part.value, str) else part["text"].text()


def _files(message: Value, files: FilesOf) -> tuple[list[Attachment], list[Segment]]:
    """Return the files of a message that the export holds, and notes about those that it does not."""
    found: list[Attachment] = []
    notes: list[Segment] = []
    named = {each["id"].text(): each for each in message["metadata"]["attachments"]}
    pointers = [part["asset_pointer"].text() for part in message["content"]["parts"] if not isinstance(part.value, str)]
    for pointer in pointers:
        for start in _POINTERS:
            pointer = pointer.removeprefix(start)
        if pointer:
            named.setdefault(pointer, message["nothing"])
    for name, each in named.items():
        shown = each["name"].text() or name
        data = files(name) if name else None
        if data is None:
            notes.append(file_note(shown))
        else:
            media_type = each["mimeType"].text() or each["mime_type"].text() or "application/octet-stream"
            found.append(Attachment(media_type, data, shown))
    return found, notes
