"""Pick one field out of JSON text, also when the text was cut off in the middle."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from homeagent_sdk.errors import CleanerError

__all__ = ["read_json", "select_field"]

# strict=False: tools do put raw line breaks into JSON strings.
_DECODER = json.JSONDecoder(strict=False)
_LEADING = re.compile(r"[\ufeff \t\r\n]*+")
# Possessive quantifiers: no way back, so linear time and constant memory on any input.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|["{}\[\],:]|[^\s"{}\[\],:]++', re.DOTALL)
_LITERAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|NaN|-?Infinity")
_PARTIAL_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


class _Document(NamedTuple):
    """A decoded document; ``open_levels`` containers (and maybe a string) were still open where the text was cut."""

    value: object
    open_levels: int
    open_string: bool


def read_json(text: str) -> object:
    """Return the JSON value that ``text`` begins with, for a cleaner function; of one that was cut off, what is there.

    Of a string that is its beginning, of a number nothing. Raises ``CleanerError``, never anything else.
    """
    try:
        return _decode(text, "read_json").value
    except RecursionError:
        raise CleanerError(
            "read_json", "the JSON is nested too deeply", "Use a regex() cleaner for this tool"
        ) from None


def select_field(text: str, path: tuple[str, ...], where: str) -> str:
    """Return the field at ``path``: a string as it is, any other value as JSON with readable Unicode.

    Of a field that was cut off, what is there: the start of the string, or of the JSON (without closing brackets, so
    that another stage can go on with it). A number that was cut off is not returned: half a number is a wrong fact.
    Anything after the first JSON value is ignored. Raises ``CleanerError``, never anything else.
    """
    try:
        document = _decode(text, where)
        value, is_open = _walk(document, path, where)
        if isinstance(value, str):
            return value
        rendered = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise CleanerError(where, "the JSON is nested too deeply", "Use a regex() cleaner for this tool") from None
    unclosed = document.open_levels - len(path) + document.open_string if is_open else 0
    return rendered[: len(rendered) - unclosed]


def _decode(text: str, where: str) -> _Document:
    start = _end_of_leading(text)
    if text[start : start + 1] not in ("{", "["):
        raise CleanerError(where, "the text isn't a JSON object or array", "Remove json() if the tool returns text")
    try:
        return _Document(_DECODER.raw_decode(text, start)[0], 0, False)
    except ValueError:
        pass  # Not complete: it may have been cut off.
    try:
        repaired, open_levels, open_string = _close(text, start)
        return _Document(_DECODER.raw_decode(repaired)[0], open_levels, open_string)
    except ValueError:
        problem = "the text isn't valid JSON, and not only because it was cut off"
        raise CleanerError(where, problem, "Remove json() or make the tool return JSON") from None


def _end_of_leading(text: str) -> int:
    found = _LEADING.match(text)
    return found.end() if found else 0


def _walk(document: _Document, path: tuple[str, ...], where: str) -> tuple[object, bool]:
    """Return the value at ``path`` and whether it was still open at the cut."""
    value, is_open = document.value, document.open_levels > 0
    for depth, key in enumerate(path, start=1):
        if isinstance(value, dict) and key in value:
            is_open = is_open and next(reversed(value)) == key
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            is_open = is_open and int(key) == len(value) - 1
            value = value[int(key)]
        else:
            cut = " (it was cut off)" if document.open_levels else ""
            problem = f"the JSON{cut} has no field {'.'.join(path[:depth])}"
            raise CleanerError(where, problem, "Name a field that every output has, e.g. json(content)")
        is_open = is_open and depth < document.open_levels
    return value, is_open


def _close(text: str, start: int) -> tuple[str, int, bool]:
    """Return JSON text closed where it was cut, the number of open containers, and whether a string was open.

    Raises ``ValueError`` when nothing is open at the end: then the text isn't cut off but wrong.
    """
    closers: list[str] = []
    safe = start
    expects_key = False
    for token in _TOKEN.finditer(text, start):
        first = text[token.start()]
        if first == '"':
            if token.end() - token.start() == 1:  # the closing quote is missing
                if expects_key:
                    break
                body = _without_partial_escape(text[token.start() :])
                return f'{text[start : token.start()]}{body}"{"".join(reversed(closers))}', len(closers), True
            if expects_key:
                expects_key = False
                continue
        elif first in "{[":
            closers.append("}" if first == "{" else "]")
            expects_key = first == "{"
        elif first in "}]":
            if closers.pop() != first or not closers:
                raise ValueError("brackets don't match, or all are closed")
            expects_key = False
        elif first in ",:":
            expects_key = first == "," and closers[-1] == "}"
            continue
        elif not _LITERAL.fullmatch(token.group()) or token.end() == len(text):
            break  # half a number or word, or a remark such as "... (truncated)"
        safe = token.end()
    return text[start:safe] + "".join(reversed(closers)), len(closers), False


def _without_partial_escape(body: str) -> str:
    """Drop half an escape at the end of an open string, then half a surrogate pair."""
    for pattern in (_PARTIAL_ESCAPE, _HIGH_SURROGATE):
        found = pattern.search(body, max(0, len(body) - 6))
        if found:
            before = body[: found.start()]
            if (len(before) - len(before.rstrip("\\"))) % 2 == 0:  # else this backslash is itself escaped
                body = before
    return body
