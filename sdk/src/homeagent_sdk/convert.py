"""From the JSON a model sends to the Python types of a tool's signature, with errors the model can act on.

Beyond the schema it takes what models often write and nobody can misread: ``"5"`` for 5, ``"true"`` for true, ``5`` for
``"5"``. An exact match always comes first, so ``str | int`` keeps ``"5"`` a text.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import difflib
import enum
import json
import math
import re
import types
import typing
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, Required, Union, get_args, get_origin

from homeagent_sdk.errors import ArgumentsError, Problem, SdkError
from homeagent_sdk.schema import schema_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from homeagent_sdk.schema import JsonSchema
    from homeagent_sdk.tools import AnyTool

__all__ = ["convert_arguments", "convert_value", "parse_arguments", "spoken_type"]

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_SHOWN = 80


def parse_arguments(text: str) -> dict[str, object]:
    """Return the JSON object of a call's arguments; an empty text is no arguments. Raises ``ArgumentsError``."""
    try:
        found: object = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        problem = Problem("", f"the arguments are not JSON: {error}", "Send one JSON object")
        raise ArgumentsError("arguments", [problem]) from None
    if not isinstance(found, dict):
        problem = Problem("", f"the arguments are {_shown(found)}, not an object", 'Send e.g. {"name": "value"}')
        raise ArgumentsError("arguments", [problem])
    return found


def convert_arguments(tool: AnyTool, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the keyword arguments to call a tool with. Raises ``ArgumentsError`` with everything that is wrong."""
    needed = tool.signature.parameters["required"]
    return _fields(arguments, tool.parameter_types, _names(needed), f"tool {tool.name}", "")


def convert_value(value: object, annotation: object, field: str = "") -> object:
    """Return a JSON value as the annotated type. Raises ``ArgumentsError``; ``field`` is how it names the value."""
    problems: list[Problem] = []
    for lenient in (False, True):
        try:
            return _Reader(lenient).read(value, annotation, field)
        except _MismatchError as error:
            problems = error.problems
    raise ArgumentsError(field or "value", problems)


def spoken_type(annotation: object) -> str:
    """Return in words what a value of this type looks like: ``a whole number``, ``a list of texts``."""
    return _spoken(schema_of(annotation))


class _MismatchError(Exception):
    def __init__(self, problems: Iterable[Problem]) -> None:
        super().__init__()
        self.problems = list(problems)


def _fields(
    values: Mapping[str, object], types_of: Mapping[str, object], needed: Iterable[str], where: str, prefix: str
) -> dict[str, object]:
    problems = [Problem(f"{prefix}{name}", *_unknown(name, types_of)) for name in values if name not in types_of]
    found: dict[str, object] = {}
    for name, annotation in types_of.items():
        if name in values:
            try:
                found[name] = convert_value(values[name], annotation, f"{prefix}{name}")
            except ArgumentsError as error:
                problems += error.problems
        elif name in needed:
            problems.append(Problem(f"{prefix}{name}", "is missing", f"Give {spoken_type(annotation)}"))
    if problems:
        raise ArgumentsError(where, problems)
    return found


def _unknown(name: str, known: Iterable[str]) -> tuple[str, str]:
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return "there is no such argument", f"Did you mean {close[0]}?"
    return "there is no such argument", f"There are {', '.join(names)}" if names else "Leave it out"


class _Reader:
    """Reads one value, exactly or leniently."""

    def __init__(self, lenient: bool) -> None:
        self._lenient = lenient

    def read(self, value: object, annotation: object, field: str) -> object:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin in (Annotated, Required, NotRequired):
            return self.read(value, arguments[0], field)
        if origin is Literal:
            return self._choice(value, arguments, field)
        if origin in (Union, types.UnionType):
            return self._union(value, annotation, field)
        if origin in (list, set, frozenset, tuple):
            return self._items(value, annotation, field)
        if origin is dict:
            if not isinstance(value, dict):
                raise _wrong(value, annotation, field)
            return {name: self.read(item, arguments[1], f"{field}.{name}") for name, item in value.items()}
        if isinstance(annotation, type):
            return self._plain(value, annotation, field)
        return self._scalar(value, type(None), field)

    def _plain(self, value: object, annotation: type, field: str) -> object:
        if issubclass(annotation, enum.Enum):
            return self._choice(value, tuple(annotation), field)
        if typing.is_typeddict(annotation):
            return self._object(value, annotation, typing.get_type_hints(annotation, include_extras=True), field)
        if dataclasses.is_dataclass(annotation):
            hints = typing.get_type_hints(annotation, include_extras=True)
            taken = {each.name: hints[each.name] for each in dataclasses.fields(annotation) if each.init}
            return _made(annotation, self._object(value, annotation, taken, field), field)
        return self._scalar(value, annotation, field)

    def _object(self, value: object, annotation: type, hints: Mapping[str, object], field: str) -> dict[str, object]:
        if not isinstance(value, dict):
            raise _wrong(value, annotation, field)
        try:
            return _fields(value, hints, _names(schema_of(annotation)["required"]), field, f"{field}." if field else "")
        except ArgumentsError as error:
            raise _MismatchError(error.problems) from None

    def _union(self, value: object, annotation: object, field: str) -> object:
        problems: list[Problem] = []
        for arm in get_args(annotation):
            try:
                return self.read(value, arm, field)
            except _MismatchError as error:
                deeper = [each for each in error.problems if each.field != field]
                problems = problems or deeper
        raise _MismatchError(problems) if problems else _wrong(value, annotation, field)

    def _items(self, value: object, annotation: object, field: str) -> object:
        if not isinstance(value, list):
            raise _wrong(value, annotation, field)
        container, arguments = get_origin(annotation), get_args(annotation)
        if container is tuple and arguments[-1] is not ... and len(value) != len(arguments):
            raise _wrong(value, annotation, field)
        read = [self.read(item, arguments[0], f"{field}.{place}") for place, item in enumerate(value)]
        match container:
            case builtin if builtin is set:
                return set(read)
            case builtin if builtin is frozenset:
                return frozenset(read)
            case builtin if builtin is tuple:
                return tuple(read)
        return read

    def _choice(self, value: object, choices: tuple[object, ...], field: str) -> object:
        for choice in choices:
            plain = choice.value if isinstance(choice, enum.Enum) else choice
            if (type(plain) is type(value) and plain == value) or (self._lenient and str(plain) == str(value)):
                return choice
        listed = ", ".join(repr(each.value if isinstance(each, enum.Enum) else each) for each in choices)
        raise _MismatchError([Problem(field, f"is {_shown(value)}", f"Give one of {listed}")])

    def _scalar(self, value: object, annotation: type, field: str) -> object:
        read = next((read for base, read in _SCALARS if issubclass(annotation, base)), None)
        if read is not None:
            try:
                return read(value, annotation, self._lenient)
            except (ValueError, TypeError, OverflowError):
                pass
        raise _wrong(value, annotation, field)


def _made(annotation: type, values: dict[str, object], field: str) -> object:
    try:
        return annotation(**values)
    except (ValueError, TypeError, SdkError) as error:  # what its __post_init__ refuses
        raise _MismatchError([Problem(field, str(error))]) from None


def _wrong(value: object, annotation: object, field: str) -> _MismatchError:
    return _MismatchError([Problem(field, f"is {_shown(value)}", f"Give {spoken_type(annotation)}")])


def _text(value: object, _kind: type, lenient: bool) -> object:
    if isinstance(value, str):
        return value
    if lenient and isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(value)
    raise TypeError


def _truth(value: object, _kind: type, lenient: bool) -> object:
    if isinstance(value, bool):
        return value
    if lenient and isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise TypeError


def _whole_number(value: object, _kind: type, lenient: bool) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if lenient and isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    raise TypeError


def _number(value: object, _kind: type, lenient: bool) -> object:
    exact = isinstance(value, int | float) and not isinstance(value, bool)
    if exact or (lenient and isinstance(value, str)):
        number = float(typing.cast("float | str", value))
        if math.isfinite(number):
            return number
    raise TypeError


def _moment(value: object, kind: type, _lenient: bool) -> object:
    read: Callable[[str], object] = {
        dt.datetime: dt.datetime.fromisoformat,
        dt.date: dt.date.fromisoformat,
        dt.time: dt.time.fromisoformat,
    }[kind]
    return read(typing.cast("str", value))


def _path(value: object, kind: type, _lenient: bool) -> object:
    if isinstance(value, str) and "\0" not in value:
        return kind(value)
    raise TypeError


def _nothing(value: object, _kind: type, _lenient: bool) -> object:
    if value is not None:
        raise TypeError
    return None


_SCALARS: tuple[tuple[type, Callable[[object, type, bool], object]], ...] = (
    (str, _text),
    (bool, _truth),
    (int, _whole_number),
    (float, _number),
    (dt.date, _moment),
    (dt.time, _moment),
    (PurePath, _path),
    (type(None), _nothing),
)

_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "date-time": "a moment such as 2026-05-01T10:00:00+08:00",
    "date": "a date such as 2026-05-01",
    "time": "a time such as 10:00",
    "path": "a path",
}


def _spoken(schema: Mapping[str, object]) -> str:
    match schema:
        case {"enum": [*choices]}:
            return f"one of {', '.join(map(repr, choices))}"
        case {"anyOf": [*arms]}:
            return " or ".join(_spoken(arm) for arm in arms if isinstance(arm, dict))
        case {"type": "array", "items": {**items}, **extra}:
            size = extra.get("minItems")
            return f"a list of {f'{size}, each ' if size else ''}{_spoken(typing.cast('JsonSchema', items))}"
        case {"type": "object", "properties": {**names}}:
            return f"an object with {', '.join(map(str, names))}"
        case {"type": "object"}:
            return "an object"
        case {"format": str(name)} if name in _WORDS:
            return _WORDS[name]
        case {"type": str(name)}:
            return _WORDS[name]
    return "a value"


def _names(value: object) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
