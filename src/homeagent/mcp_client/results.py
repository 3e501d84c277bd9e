"""From what a tool of an MCP server returned to what is kept of it: text word for word, files byte for byte."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final

from homeagent_sdk import Attachment, ToolResult

if TYPE_CHECKING:
    from mcp.types import CallToolResult, ContentBlock

__all__ = ["result_of"]

_LONGEST_SUFFIX: Final = 5
_STRUCTURED: Final = "structured.json"
_UNREADABLE: Final = "that can't be read]"


def result_of(given: CallToolResult) -> ToolResult:
    """Return a result of the protocol as ours.

    Texts are joined by line breaks. Images, sounds and other bytes are attachments. Structured content is the ``data``;
    where the text does not say the same it is kept as well: as the text where there is none, else as an attachment.
    """
    texts: list[str] = []
    attachments: list[Attachment] = []
    for block in given.content:
        text, attachment = _block(block)
        texts += [text] if text is not None else []
        attachments += [attachment] if attachment is not None else []
    text, data = "\n".join(texts), given.structured_content
    if data is not None:
        written = json.dumps(data, ensure_ascii=False)
        if not texts:
            text = written
        elif not _says(text, data):
            attachments.append(Attachment("application/json", written.encode("utf-8", "surrogatepass"), _STRUCTURED))
    return ToolResult(text, data=data, attachments=tuple(attachments), error=given.is_error)


def _block(block: ContentBlock) -> tuple[str | None, Attachment | None]:
    """Return the text and the attachment that a part of a result is."""
    match block.type:
        case "text":
            return block.text, None
        case "image" | "audio":
            return _bytes(block.data, block.mime_type, "")
        case "resource_link":
            about = f": {block.description}" if block.description else ""
            return f"[{block.title or block.name}, {block.uri}{about}]", None
        case "resource":
            resource = block.resource
            text = getattr(resource, "text", None)
            if text is not None:
                return str(text), None
            name = resource.uri.rstrip("/").rpartition("/")[2]
            return _bytes(str(getattr(resource, "blob", "")), resource.mime_type or "application/octet-stream", name)


def _bytes(encoded: str, media_type: str, name: str) -> tuple[str | None, Attachment | None]:
    try:
        data = base64.b64decode(encoded, validate=True)
    except ValueError:
        return f"[a file of type {media_type} {_UNREADABLE}", None
    return None, Attachment(media_type, data, name or f"file{_suffix(media_type)}")


def _suffix(media_type: str) -> str:
    """Return how a file of this type ends, as far as the type says it; systems don't agree on the rest."""
    kind = media_type.partition(";")[0].partition("/")[2].partition("+")[0].removeprefix("x-").lower()
    return f".{kind}" if kind.isalnum() and len(kind) <= _LONGEST_SUFFIX else ""


def _says(text: str, data: object) -> bool:
    """Whether a text is this very JSON, or the value in ``{"result": ...}``, as many servers wrap what is no object."""
    inner = data["result"] if isinstance(data, dict) and data.keys() == {"result"} else data
    try:
        return inner == text or json.loads(text) in (data, inner)
    except (ValueError, RecursionError):
        return False
