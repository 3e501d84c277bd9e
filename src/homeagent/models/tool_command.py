"""``/tool name key=value``: a tool call typed by a person, read by the tool's own schema."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from typing import TYPE_CHECKING, Final

from homeagent.models.messages import ToolCall, ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["parse_tool_command"]

_COMMAND: Final = re.compile(r"\s*/tool(?:\s+|$)")
_PAIR: Final = re.compile(r"([\w.-]+)[=＝](.*)", re.DOTALL)
_YES: Final = frozenset({"true", "yes", "on", "1", "是"})
_NO: Final = frozenset({"false", "no", "off", "0", "否"})
_NO_VALUE: Final = object()

Schema = dict[str, object]


class _WrongError(Exception):
    """A word that can't be what the schema wants; the text says so to the person who typed it."""


def parse_tool_command(text: str, specs: Iterable[ToolSpec], *, call_id: str = "call_typed") -> ToolCall | str:
    """Return the call that a typed command means, or a sentence that says what is wrong with it.

    ``/tool cmd_run command="ls -l" timeout=5``. A value with blanks stands in single or double quotes; a backslash is
    an ordinary character. A list is given as ``tags=a,b``, ``tags=a tags=b`` or as JSON in single quotes. All arguments
    may be one JSON object, and a tool with one required text takes the rest of the line as it is:
    ``/tool cmd_run ls -l``.
    """
    tools = {spec.name: spec for spec in specs}
    name, _, rest = _COMMAND.sub("", text, count=1).strip().partition(" ")
    if not name:
        return f"Write /tool NAME key=value. There are: {', '.join(sorted(tools)) or 'no tools'}."
    if name not in tools:
        return f"There is no tool {name}.{_meant(name, tools)} There are: {', '.join(sorted(tools)) or 'no tools'}."
    try:
        arguments = _arguments(rest.strip(), tools[name])
    except _WrongError as wrong:
        return f"{name}: {wrong}"
    return ToolCall(call_id, name, json.dumps(arguments, ensure_ascii=False))


def _arguments(rest: str, spec: ToolSpec) -> dict[str, object]:
    properties = {name: _table(schema) for name, schema in _table(spec.parameters.get("properties")).items()}
    raw_required = spec.parameters.get("required")
    required = [str(name) for name in raw_required] if isinstance(raw_required, list) else []
    if rest.startswith("{"):
        found = _json_object(rest)
    else:
        pair = _PAIR.match(rest)
        only = _alternatives(properties.get(required[0], {})) if len(required) == 1 else []
        whole_line = any(each["type"] == "string" for each in only)
        if rest and whole_line and not (pair and pair[1] in properties):
            return {required[0]: rest}
        found = _pairs(_words(rest), properties)
    for name in found:
        if name not in properties and spec.parameters.get("additionalProperties") is False:
            raise _WrongError(f"there is no argument {name}.{_meant(name, properties)} {_known(properties, required)}")
    missing = [name for name in required if name not in found]
    if missing:
        raise _WrongError(f"{', '.join(missing)} is missing. {_known(properties, required)}")
    return found


def _words(text: str) -> list[str]:
    reader = shlex.shlex(text, posix=True, punctuation_chars=False)
    reader.whitespace += "\u3000"
    reader.whitespace_split, reader.commenters, reader.escape = True, "", ""
    try:
        return list(reader)
    except ValueError:
        raise _WrongError("a quotation mark is not closed") from None


def _pairs(words: list[str], properties: Mapping[str, Schema]) -> dict[str, object]:
    found: dict[str, object] = {}
    for word in words:
        pair = _PAIR.fullmatch(word)
        if not pair:
            raise _WrongError(f"{word!r} is not key=value; a value with blanks needs quotation marks")
        name, schema = pair[1], properties.get(pair[1], {})
        value = _value(name, pair[2], schema)
        before = found.get(name, _NO_VALUE)
        if before is _NO_VALUE:
            found[name] = value
        elif isinstance(before, list) and isinstance(value, list):
            found[name] = before + value
        else:
            raise _WrongError(f"{name} is given twice")
    return found


def _value(name: str, text: str, schema: Schema) -> object:
    """Return the text as the first thing the schema allows that it can be; as a text last, for a text can be all."""
    allowed = _alternatives(schema)
    for each in sorted(allowed, key=_how_loose):
        value = _as(str(each.get("type", "")), text, each)
        if value is not _NO_VALUE:
            return value
    if not allowed:
        return text
    expected = [", ".join(map(str, choices)) if (choices := _choices(each)) else str(each["type"]) for each in allowed]
    raise _WrongError(f"{name} must be {' or '.join(expected)}, not {text!r}")


def _as(kind: str, text: str, schema: Schema) -> object:
    match kind:
        case "string" if not (choices := _choices(schema)) or text in choices:
            return text
        case "boolean" if text.lower() in _YES | _NO:
            return text.lower() in _YES
        case "null" if text.lower() in {"null", "none"}:
            return None
        case "integer" if re.fullmatch(r"[+-]?\d{1,18}", text):
            return int(text)
        case "number" if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
            return float(text) if re.search(r"[.eE]", text) else int(text)
        case "object" if text.startswith("{"):
            return _json_object(text)
        case "array":
            return _list(text, _table(schema.get("items")))
        case _:
            return _NO_VALUE


def _list(text: str, items: Schema) -> object:
    if text.startswith("["):
        try:
            return json.loads(text)
        except ValueError as error:
            raise _WrongError(f"{text!r} is no JSON list ({error})") from None
    return [_value("each item", part.strip(), items) for part in re.split("[,，]", text) if part.strip()]


def _json_object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise _WrongError(f"the arguments are no JSON ({error}); single quotes keep JSON together") from None
    if not isinstance(found, dict):
        raise _WrongError("the arguments are no JSON object")
    return found


def _alternatives(schema: Schema) -> list[Schema]:
    """Return the schemas of one type each that a schema allows, those of its ``anyOf`` too."""
    stated = schema.get("type")
    kinds = [stated] if isinstance(stated, str) else stated if isinstance(stated, list) else []
    found: list[Schema] = [{**schema, "type": kind} for kind in kinds]
    options = schema.get("anyOf") or schema.get("oneOf")
    for option in options if isinstance(options, list) else []:
        found += _alternatives(_table(option))
    return found


def _how_loose(schema: Schema) -> int:
    order = ("null", "boolean", "integer", "number", "object", "array", "string")
    kind = schema.get("type")
    return order.index(kind) if kind in order else len(order)


def _choices(schema: Schema) -> list[object]:
    choices = schema.get("enum")
    return choices if isinstance(choices, list) else []


def _known(properties: Mapping[str, object], required: list[str]) -> str:
    names = [name if name in required else f"[{name}]" for name in properties]
    return f"It takes {', '.join(names)}." if names else "It takes no arguments."


def _meant(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {close[0]}?" if close else ""


def _table(value: object) -> Schema:
    return value if isinstance(value, dict) else {}
