"""What of a video enters memory: what it is called and by whom, what it says, not its numbers and addresses."""

from __future__ import annotations

import re

from homeagent_sdk import CleanerError, read_json

__all__ = ["only_content"]

_ADDRESS = re.compile(r"https?://[^\s\u3000-\u303f\uff00-\uffef\u4e00-\u9fff]+")


def only_content(text: str) -> str:
    """Return title, author, date, tags, description, chapters and subtitles as lines of text."""
    try:
        found = read_json(text)
    except CleanerError:
        return "" if text.lstrip()[:1] in ("{", "[") else text
    match found:
        case {"error": [{"reason": str(reason)}, *_]}:
            return reason
        case {"title": str(title)}:
            pass
        case _:
            return ""
    head = " - ".join(part for part in (title, _text(found, "author"), _text(found, "published")) if part)
    tags = ", ".join(each for each in _items(found, "tags") if isinstance(each, str))
    chapters = [each["title"] for each in _items(found, "chapters") if isinstance(each, dict) and "title" in each]
    said = [each["text"] for each in _items(found, "subtitles") if isinstance(each, dict) and "text" in each]
    lines = [head, tags, _ADDRESS.sub("", _text(found, "description")), *chapters, *said]
    kept = (line.strip() for each in lines if isinstance(each, str) for line in each.splitlines())
    return "\n".join(line for line in kept if line and line != "-")


def _text(found: dict[object, object], key: str) -> str:
    value = found.get(key)
    return value if isinstance(value, str) else ""


def _items(found: dict[object, object], key: str) -> list[object]:
    value = found.get(key)
    return value if isinstance(value, list) else []
