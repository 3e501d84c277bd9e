"""CQ codes: how OneBot v11 writes pictures, mentions and replies into a text: ``[CQ:at,qq=10001,name=小明]``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Code", "as_text", "codes_in", "parts_of", "unescaped"]

_CODE: Final = re.compile(r"\[CQ(?::([A-Za-z0-9_.-]{1,40})((?:,[^\[\]]*+)?)(?:\]|\Z)|:?\Z)")
_ESCAPES: Final = (("&", "&amp;"), ("[", "&#91;"), ("]", "&#93;"))
_COMMA: Final = (",", "&#44;")


class Code(NamedTuple):
    """One code: what it is, and its values, unescaped."""

    kind: str
    values: Mapping[str, str]


def parts_of(text: str) -> Iterator[str | Code]:
    """Yield the words and codes of a text in order; words unescaped. A code that was cut off at the end counts."""
    place = 0
    for found in _CODE.finditer(text):
        if found.start() > place:
            yield unescaped(text[place : found.start()])
        yield Code(found[1] or "", _values(found[2] or ""))
        place = found.end()
    if place < len(text):
        yield unescaped(text[place:])


def codes_in(text: str) -> list[Code]:
    """Return the codes of a text."""
    return [part for part in parts_of(text) if isinstance(part, Code)]


def as_text(segments: object) -> str:
    """Return a message that came as a list of segments, written with codes as OneBot does; a text stays as it is."""
    if isinstance(segments, str):
        return segments
    found = segments if isinstance(segments, list) else []
    return "".join(_segment(each) for each in found if isinstance(each, dict))


def unescaped(text: str) -> str:
    """Return a text with what OneBot escapes written out."""
    for plain, escaped in (_COMMA, *reversed(_ESCAPES)):
        text = text.replace(escaped, plain)
    return text


def _segment(segment: Mapping[str, object]) -> str:
    kind, data = str(segment.get("type", "")), segment.get("data")
    values = data if isinstance(data, dict) else {}
    if kind == "text":
        return _escaped(str(values.get("text", "")))
    told = "".join(f",{name}={_escaped(str(value), comma=True)}" for name, value in values.items() if value is not None)
    return f"[CQ:{kind}{told}]"


def _escaped(text: str, *, comma: bool = False) -> str:
    for plain, escaped in (*_ESCAPES, *((_COMMA,) if comma else ())):
        text = text.replace(plain, escaped)
    return text


def _values(text: str) -> dict[str, str]:
    pairs = (each.partition("=") for each in text.split(",") if "=" in each)
    return {name.strip(): unescaped(value) for name, _, value in pairs}
