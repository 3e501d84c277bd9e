"""Read a tool's function: name, docstring and typed signature are the whole declaration."""

from __future__ import annotations

import inspect
import typing
from typing import TYPE_CHECKING, NamedTuple

from homeagent_sdk.context import ToolContext
from homeagent_sdk.docstring import read_docstring
from homeagent_sdk.errors import DeclarationError
from homeagent_sdk.schema import JsonSchema, UnsupportedTypeError, default_as_json, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Signature", "place_of", "read_signature"]


class Signature(NamedTuple):
    """What a function says about itself: ``parameters`` is a JSON schema, ``types`` the resolved annotations."""

    description: str
    parameters: JsonSchema
    types: Mapping[str, object]
    context_parameter: str | None
    is_async: bool


def place_of(function: object) -> str:
    """Return ``file:line tool name`` of a function, for error texts."""
    code = getattr(function, "__code__", None)
    name = getattr(function, "__name__", None) or repr(function)
    return f"{code.co_filename}:{code.co_firstlineno} tool {name}" if code else f"tool {name}"


def read_signature(function: object, where: str) -> Signature:
    """Check a function and return what it declares. Raises ``DeclarationError`` for the first gap found."""
    if not inspect.isfunction(function):
        raise DeclarationError(where, "only a function can be a tool", "Put @tool on a def or async def")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise DeclarationError(where, "a generator can't be a tool", "Return the whole result")
    docstring = inspect.cleandoc(function.__doc__ or "")
    if not docstring:
        raise DeclarationError(
            where, "it has no docstring, so the model can't know what it does", "Say in one sentence what it does"
        )
    parameters = list(inspect.signature(function).parameters.values())
    for parameter in parameters:
        _check_kind(parameter, where)
    hints = _resolve(function, where)
    if "return" not in hints:
        raise DeclarationError(where, "the return type is missing", "Write e.g. -> str")
    context = _context_parameter(parameters, hints, where)
    visible = [parameter for parameter in parameters if parameter.name != context]
    text = read_docstring(docstring, tuple(parameter.name for parameter in visible))
    unknown = [name for name in text.unknown if name != context]
    if unknown:
        problem = f"the docstring describes {unknown[0]!r}, which is no parameter"
        raise DeclarationError(where, problem, "Correct the name or take the line out")
    if not text.description:
        raise DeclarationError(where, "the docstring only lists parameters", "Say in one sentence what it does")
    return Signature(
        text.description,
        _schema(visible, hints, text.parameters, where),
        {parameter.name: hints[parameter.name] for parameter in visible},
        context,
        inspect.iscoroutinefunction(function),
    )


def _check_kind(parameter: inspect.Parameter, where: str) -> None:
    name = parameter.name
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
        raise DeclarationError(
            where, f"{star}{name} has no schema", "Name each parameter, or take one list[T] or dict[str, T]"
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise DeclarationError(where, f"{name!r} is positional-only, but models pass names", "Take out the /")
    if parameter.annotation is parameter.empty:
        fix = f"Write {name}: str or another type"
        if name in ("self", "cls"):
            fix = "Declare tools as functions at the top level of a module, not as methods"
        raise DeclarationError(where, f"parameter {name!r} has no type", fix)


def _resolve(function: object, where: str) -> dict[str, object]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError, SyntaxError, AttributeError) as problem:
        raise DeclarationError(
            where,
            f"an annotation can't be resolved: {problem}",
            "Import the type at the top of the module (not under TYPE_CHECKING) or correct its name",
        ) from None


def _context_parameter(parameters: list[inspect.Parameter], hints: dict[str, object], where: str) -> str | None:
    for position, parameter in enumerate(parameters):
        annotation = hints[parameter.name]
        if isinstance(annotation, type) and ToolContext in annotation.__mro__:
            if position:
                raise DeclarationError(
                    where, f"the tool context {parameter.name!r} isn't the first parameter", "Move it to the front"
                )
            return parameter.name
    return None


def _schema(
    parameters: list[inspect.Parameter], hints: dict[str, object], texts: dict[str, str], where: str
) -> JsonSchema:
    properties: dict[str, object] = {}
    for parameter in parameters:
        try:
            properties[parameter.name] = _property(parameter, hints[parameter.name], texts.get(parameter.name))
        except UnsupportedTypeError as error:
            problem = f"parameter {parameter.name!r}: {error.problem}"
            raise DeclarationError(where, problem, error.next_step) from None
    required = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _property(parameter: inspect.Parameter, annotation: object, text: str | None) -> JsonSchema:
    schema = schema_of(annotation)
    if text:
        schema.setdefault("description", text)
    if parameter.default is not parameter.empty:
        if parameter.default is None and not _accepts_none(schema):
            raise UnsupportedTypeError("the default is None, but the type isn't", "Write T | None = None")
        schema["default"] = default_as_json(parameter.default)
    return schema


def _accepts_none(schema: JsonSchema) -> bool:
    match schema:
        case {"type": "null"}:
            return True
        case {"enum": [*values]}:
            return None in values
        case {"anyOf": [*parts]}:
            return any(isinstance(part, dict) and _accepts_none(part) for part in parts)
    return False
