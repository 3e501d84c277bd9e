"""A plugin's settings: a frozen dataclass with defaults is their whole declaration.

``Annotated[int, "what it is for"]`` describes one; a field of type ``Secret`` is never shown, logged or exported.
"""

from __future__ import annotations

import dataclasses
import difflib
import typing
from typing import TYPE_CHECKING, Annotated, TypeVar, cast, final, get_args, get_origin

from homeagent_sdk.convert import convert_value
from homeagent_sdk.errors import ArgumentsError, DeclarationError, Problem, SdkError, SettingsError
from homeagent_sdk.schema import JsonSchema, UnsupportedTypeError, default_as_json, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Secret", "check_settings", "read_settings", "settings_schema"]

T = TypeVar("T")


@final
class Secret:
    """A key or password: only ``reveal()`` shows it, no log line, error or repr does. False when it is empty."""

    __slots__ = ("_value",)

    def __init__(self, value: str = "") -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the secret itself."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "Secret(***)" if self._value else "Secret()"


def check_settings(kind: type, where: str) -> None:
    """Raise ``DeclarationError``, beginning with ``where``, when a class can't hold settings."""
    place = f"{where}, settings {kind.__name__}"
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise DeclarationError(place, "it is no frozen dataclass", "Write @dataclass(frozen=True) above it")
    for field in dataclasses.fields(kind):
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            fix = f"Write {field.name}: T = ..., so that the plugin starts without configuration; Secret() is empty"
            raise DeclarationError(place, f"{field.name!r} has no default", fix)
    try:
        settings_schema(kind)
    except UnsupportedTypeError as error:
        raise DeclarationError(place, error.problem, error.next_step) from None


def settings_schema(kind: type) -> JsonSchema:
    """Return the JSON schema of a settings class: types, defaults, descriptions; secrets are ``writeOnly``."""
    properties: dict[str, object] = {}
    for field, hint in _fields(kind):
        if _is_secret(hint):
            words = next((extra for extra in get_args(hint)[1:] if isinstance(extra, str)), None)
            schema: JsonSchema = {"type": "string", "format": "password", "writeOnly": True}
            properties[field.name] = {**schema, "description": words} if words else schema
            continue
        properties[field.name] = schema_of(hint)
        if field.default is not dataclasses.MISSING:
            properties[field.name] = {**schema_of(hint), "default": default_as_json(field.default)}
    return {"type": "object", "properties": properties, "required": [], "additionalProperties": False}


def read_settings(kind: type[T], values: Mapping[str, object], where: str) -> T:
    """Return settings made of the configured ``values`` and the defaults.

    Raises ``SettingsError``, beginning with ``where``, naming every key that is unknown or wrong and how to mend it.
    """
    hints = {field.name: hint for field, hint in _fields(kind)}
    problems: list[Problem] = []
    found: dict[str, object] = {}
    for key, value in values.items():
        if key not in hints:
            close = difflib.get_close_matches(key, hints, n=1)
            fix = f"Did you mean {close[0]}?" if close else f"There are {', '.join(hints)}"
            problems.append(Problem(key, "there is no such setting", fix))
        elif _is_secret(hints[key]):
            if isinstance(value, str):
                found[key] = Secret(value)
            else:
                problems.append(Problem(key, "a secret is a text", f'Write {key} = "..."'))
        else:
            try:
                found[key] = convert_value(value, hints[key], key)
            except ArgumentsError as error:
                problems += error.problems
    if not problems:
        try:
            return kind(**found)
        except (ValueError, TypeError, SdkError) as error:  # what its __post_init__ refuses
            problems.append(Problem("", str(error)))
    raise SettingsError(where, problems)


def _fields(kind: type) -> list[tuple[dataclasses.Field[object], object]]:
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = dataclasses.fields(cast("type[_AnyDataclass]", kind))
    return [(field, hints[field.name]) for field in fields if field.init]


def _is_secret(hint: object) -> bool:
    return hint is Secret or (get_origin(hint) is Annotated and get_args(hint)[0] is Secret)


@dataclasses.dataclass
class _AnyDataclass:
    pass
