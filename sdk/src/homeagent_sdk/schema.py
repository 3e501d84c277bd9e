"""JSON schema from Python types: what a model may pass to a tool."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import types
import typing
from pathlib import PurePath
from typing import Annotated, Literal, NotRequired, Required, Union, get_args, get_origin

__all__ = ["JsonSchema", "UnsupportedTypeError", "default_as_json", "schema_of"]

JsonSchema = dict[str, object]
"""A JSON schema object."""

_PLAIN: dict[object, JsonSchema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    None: {"type": "null"},
    type(None): {"type": "null"},
    dt.datetime: {"type": "string", "format": "date-time"},
    dt.date: {"type": "string", "format": "date"},
    dt.time: {"type": "string", "format": "time"},
}
_SUPPORTED = (
    "str, int, float, bool, None, Literal, Enum, list[T], set[T], tuple[T, ...], dict[str, T], X | Y, "
    "Annotated[T, 'description'], TypedDict, a dataclass, datetime, date, time or Path"
)


class UnsupportedTypeError(Exception):
    """A type that has no JSON form here; ``problem`` and ``next_step`` are parts of the declaration error."""

    def __init__(self, problem: str, next_step: str = f"Use {_SUPPORTED}") -> None:
        super().__init__(problem)
        self.problem = problem
        self.next_step = next_step


def schema_of(annotation: object, outer: tuple[object, ...] = ()) -> JsonSchema:
    """Return the schema of a resolved annotation. ``outer``: the classes it is nested in.

    Raises ``UnsupportedTypeError``.
    """
    try:
        if annotation in _PLAIN:
            return dict(_PLAIN[annotation])
    except TypeError:
        pass  # an unhashable annotation isn't a plain type
    origin = get_origin(annotation)
    if origin is not None:
        return _generic(annotation, origin, get_args(annotation), outer)
    if isinstance(annotation, type):
        return _class(annotation, outer)
    raise UnsupportedTypeError(f"{_name(annotation)} is not supported")


def default_as_json(value: object) -> object:
    """Return a default as it stands in the schema. Raises ``UnsupportedTypeError``, for a mutable one too."""
    match value:
        case enum.Enum():
            return default_as_json(value.value)
        case None | bool() | int() | float() | str():
            return value
        case dt.date() | dt.time():
            return value.isoformat()
        case PurePath():
            return str(value)
        case tuple():
            return [default_as_json(item) for item in value]
        case frozenset() if not value:
            return []
        case list() | dict() | set():
            raise UnsupportedTypeError(
                f"the default {value!r} is shared between calls",
                "Use None (type T | None) or an empty tuple, and make the value inside the function",
            )
    raise UnsupportedTypeError(
        f"the default {value!r} has no JSON form", "Use None (type T | None) and make the value inside the function"
    )


def _generic(
    annotation: object, origin: object, arguments: tuple[object, ...], outer: tuple[object, ...]
) -> JsonSchema:
    if origin is Annotated:
        schema = schema_of(arguments[0], outer)
        description = next((extra for extra in arguments[1:] if isinstance(extra, str)), None)
        return {**schema, "description": description} if description else schema
    if origin is Literal:
        return _choices(arguments)
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(argument, outer) for argument in arguments]}
    if origin in (Required, NotRequired):
        return schema_of(arguments[0], outer)
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0], outer)}
    if origin in (set, frozenset):
        return {"type": "array", "items": schema_of(arguments[0], outer), "uniqueItems": True}
    if origin is tuple:
        return _tuple(annotation, arguments, outer)
    if origin is dict and arguments[0] is str:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], outer)}
    if origin is dict:
        raise UnsupportedTypeError(f"{_name(annotation)}: the names of a JSON object are texts", "Write dict[str, T]")
    raise UnsupportedTypeError(f"{_name(annotation)} is not supported")


def _tuple(annotation: object, arguments: tuple[object, ...], outer: tuple[object, ...]) -> JsonSchema:
    if len(arguments) == 2 and arguments[1] is ...:
        return {"type": "array", "items": schema_of(arguments[0], outer)}
    if arguments and all(argument == arguments[0] for argument in arguments):
        size = len(arguments)
        return {"type": "array", "items": schema_of(arguments[0], outer), "minItems": size, "maxItems": size}
    raise UnsupportedTypeError(f"{_name(annotation)} mixes types", "Use a dataclass: models need the names")


def _class(annotation: type, outer: tuple[object, ...]) -> JsonSchema:
    if annotation in outer:
        raise UnsupportedTypeError(f"{annotation.__name__} contains itself", "Flatten it, e.g. into a list with ids")
    if issubclass(annotation, enum.Enum):
        return _choices(tuple(member.value for member in annotation))
    if issubclass(annotation, PurePath):
        return {"type": "string", "format": "path"}
    if typing.is_typeddict(annotation):
        hints = _hints(annotation)
        required = [name for name, hint in hints.items() if _is_required(annotation, name, hint)]
        return _object({name: schema_of(hint, (*outer, annotation)) for name, hint in hints.items()}, required)
    if dataclasses.is_dataclass(annotation):
        return _dataclass(annotation, outer)
    if annotation in (list, set, frozenset, tuple, dict):
        name = annotation.__name__
        fix = {"dict": "dict[str, T]", "tuple": "tuple[T, ...]"}.get(name, f"{name}[T]")
        raise UnsupportedTypeError(f"{name} does not say what it holds", f"Write {fix}, e.g. with str as T")
    raise UnsupportedTypeError(f"{_name(annotation)} is not supported")


def _is_required(annotation: type, name: str, hint: object) -> bool:
    # Not __required_keys__ alone: it doesn't see qualifiers in annotations that are still text (from __future__).
    origin = get_origin(hint)
    if origin in (Required, NotRequired):
        return origin is Required
    return name in getattr(annotation, "__required_keys__", ())


def _dataclass(annotation: type, outer: tuple[object, ...]) -> JsonSchema:
    hints = _hints(annotation)
    properties: dict[str, JsonSchema] = {}
    required = []
    for field in dataclasses.fields(annotation):
        if not field.init:
            continue
        properties[field.name] = schema_of(hints[field.name], (*outer, annotation))
        if field.default is not dataclasses.MISSING:
            properties[field.name]["default"] = default_as_json(field.default)
        elif field.default_factory is dataclasses.MISSING:
            required.append(field.name)
    return _object(properties, required)


def _object(properties: dict[str, JsonSchema], required: list[str]) -> JsonSchema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _choices(values: tuple[object, ...]) -> JsonSchema:
    names = {str: "string", bool: "boolean", int: "integer", type(None): "null"}
    plain = [value.value if isinstance(value, enum.Enum) else value for value in values]
    found = sorted({names.get(type(value), "") for value in plain})
    if not plain or "" in found:
        raise UnsupportedTypeError("a choice must be of texts, whole numbers, booleans or None", "Use texts")
    return {"type": found[0] if len(found) == 1 else found, "enum": plain}


def _hints(annotation: type) -> dict[str, object]:
    try:
        return typing.get_type_hints(annotation, include_extras=True)
    except (NameError, TypeError, SyntaxError, AttributeError) as problem:
        raise UnsupportedTypeError(
            f"a type in {annotation.__name__} can't be resolved: {problem}", "Import it at the top of the module"
        ) from None


def _name(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) and not get_args(annotation) else str(annotation)
