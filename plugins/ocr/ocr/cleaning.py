"""What of a picture enters memory: the text in it, line by line."""

from __future__ import annotations

from homeagent_sdk import CleanerError, read_json

__all__ = ["only_text"]


def only_text(text: str) -> str:
    """Return the lines that were read, without scores, boxes and the JSON around them."""
    try:
        found = read_json(text)
    except CleanerError:
        return "" if text.lstrip()[:1] in ("{", "[") else text
    match found:
        case {"error": [{"reason": str(reason)}, *_]}:
            return reason
        case {"lines": [*lines]}:
            return "\n".join(line["text"] for line in lines if isinstance(line, dict) and _is_text(line.get("text")))
    return ""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
