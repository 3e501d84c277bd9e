from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import enum
import inspect
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from homeagent_sdk import DeclarationError, MemoryPolicy, ToolContext, head, json_field, tool


class Unit(enum.Enum):
    CELSIUS = "c"
    FAHRENHEIT = "f"


class Place(TypedDict):
    name: str
    floor: NotRequired[int]


@dataclasses.dataclass
class Window:
    start: dt.datetime
    hours: float = 1.5
    tags: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Node:
    children: list[Node]


def shorten(text: str) -> str:
    return text[:1]


@tool
def plain(city: str, days: int = 3) -> str:
    """Tell the weather.

    Args:
        city: Where,
            in any language.
        days (int): How many days.

    Returns:
        One line a day.

    Raises:
        ValueError: never shown.
    """
    return f"{city} {days}"


@tool(name="everything", parallel=True, returns_memory=True, version=4)
async def wide(
    context: ToolContext,
    text: Annotated[str, "Any text"],
    kind: Literal["a", "b", 1],
    unit: Unit,
    numbers: list[float],
    names: set[str],
    points: tuple[int, ...],
    pair: tuple[str, str],
    table: dict[str, list[int]],
    place: Place,
    window: Window,
    day: dt.date,
    at: dt.time,
    file: Path,
    maybe: int | None = None,
    unit_again: Unit = Unit.CELSIUS,
    since: dt.date = dt.date(2026, 1, 2),
    home: Path = Path("/home"),
    empty: tuple[str, ...] = (),
    *,
    quiet: bool = False,
) -> list[str]:
    """Take every type there is.

    text: not used, the annotation has the word
    kind: one of three
    """
    return [text]


def test_name_docstring_and_signature_are_the_declaration() -> None:
    assert plain.name == "plain"
    assert plain.description == "Tell the weather.\n\nReturns:\n    One line a day."
    assert plain.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where, in any language."},
            "days": {"type": "integer", "description": "How many days.", "default": 3},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert (plain.policy, plain.returns_memory, plain.parallel, plain.is_async, plain.version) == (
        MemoryPolicy(),
        False,
        False,
        False,
        1,
    )
    assert plain.context_parameter is None
    assert plain.parameter_types == {"city": str, "days": int}


def test_every_supported_type_has_its_schema() -> None:
    window = {
        "type": "object",
        "properties": {
            "start": {"type": "string", "format": "date-time"},
            "hours": {"type": "number", "default": 1.5},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["start"],
        "additionalProperties": False,
    }
    place = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "floor": {"type": "integer"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    assert wide.parameters["properties"] == {
        "text": {"type": "string", "description": "Any text"},
        "kind": {"type": ["integer", "string"], "enum": ["a", "b", 1], "description": "one of three"},
        "unit": {"type": "string", "enum": ["c", "f"]},
        "numbers": {"type": "array", "items": {"type": "number"}},
        "names": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "points": {"type": "array", "items": {"type": "integer"}},
        "pair": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        "table": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
        "place": place,
        "window": window,
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "time"},
        "file": {"type": "string", "format": "path"},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "unit_again": {"type": "string", "enum": ["c", "f"], "default": "c"},
        "since": {"type": "string", "format": "date", "default": "2026-01-02"},
        "home": {"type": "string", "format": "path", "default": "/home"},
        "empty": {"type": "array", "items": {"type": "string"}, "default": []},
        "quiet": {"type": "boolean", "default": False},
    }
    assert wide.description == "Take every type there is."


def test_options_are_kept_and_the_context_is_no_argument_of_the_model() -> None:
    assert (wide.name, wide.parallel, wide.returns_memory, wide.version) == ("everything", True, True, 4)
    assert wide.is_async
    assert wide.context_parameter == "context"
    assert "context" not in wide.parameter_types


def test_a_tool_is_called_like_its_function() -> None:
    assert plain("Oslo", days=2) == "Oslo 2"
    assert inspect.signature(plain) == inspect.signature(plain.function)
    assert plain.__doc__ == plain.function.__doc__

    @tool
    async def later(text: str) -> str:
        """Wait."""
        return text

    assert asyncio.run(later("x")) == "x"


def test_a_tool_is_frozen_and_its_schema_is_a_copy() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain.name = "other"  # type: ignore[misc]
    plain.parameters.clear()
    assert plain.parameters


def test_a_cleaner_is_given_as_text_object_or_function() -> None:
    def declared(cleaner: Any) -> MemoryPolicy:
        @tool(cleaner=cleaner)
        def read(path: str) -> str:
            """Read a file."""
            return path

        return read.policy

    assert declared("json(content)|head(5)") == MemoryPolicy(cleaner=json_field("content") | head(5))
    assert declared(head(5)) == MemoryPolicy(cleaner=head(5))
    cleaner = declared(shorten).cleaner
    assert cleaner is not None
    assert cleaner.spec == f"{__name__}:shorten"


def test_no_memory_is_declared_at_the_tool() -> None:
    @tool(no_memory=True)
    def run(command: str) -> str:
        """Run a command."""
        return command

    assert run.policy == MemoryPolicy(no_memory=True)


def no_docstring(a: str) -> str:
    return a


def no_type(a) -> str:  # type: ignore[no-untyped-def]
    """Do."""
    return str(a)


def method(self, a: str) -> str:  # type: ignore[no-untyped-def]
    """Do."""
    return a


def no_return(a: str):  # type: ignore[no-untyped-def]
    """Do."""
    return a


def star(*names: str) -> str:
    """Do."""
    return ""


def stars(**names: str) -> str:
    """Do."""
    return ""


def positional(a: str, /) -> str:
    """Do."""
    return a


def any_type(a: Any) -> str:
    """Do."""
    return str(a)


def bytes_type(a: bytes) -> str:
    """Do."""
    return str(a)


def bare_list(a: list) -> str:  # type: ignore[type-arg]
    """Do."""
    return str(a)


def bare_dict(a: dict) -> str:  # type: ignore[type-arg]
    """Do."""
    return str(a)


def number_keys(a: dict[int, str]) -> str:
    """Do."""
    return str(a)


def mixed_tuple(a: tuple[int, str]) -> str:
    """Do."""
    return str(a)


def recursive(a: Node) -> str:
    """Do."""
    return str(a)


def mutable(a: list[str] = []) -> str:  # noqa: B006 - the mistake under test
    """Do."""
    return str(a)


def weird(a: str = object()) -> str:  # type: ignore[assignment]
    """Do."""
    return str(a)


def none_default(a: str = None) -> str:  # type: ignore[assignment]  # noqa: RUF013 - the mistake under test
    """Do."""
    return a


def unresolved(a: Missing) -> str:  # type: ignore[name-defined]  # noqa: F821 - the mistake under test
    """Do."""
    return str(a)


def late_context(a: str, context: ToolContext) -> str:
    """Do."""
    return a


def misnamed(path: str) -> str:
    """Read.

    Args:
        file: Which.
    """
    return path


def only_parameters(path: str) -> str:
    """
    path: Which.
    """
    return path


def generator(a: str) -> Any:
    """Do."""
    yield a


SUPPORTED = (
    "Use str, int, float, bool, None, Literal, Enum, list[T], set[T], tuple[T, ...], dict[str, T], X | Y, "
    "Annotated[T, 'description'], TypedDict, a dataclass, datetime, date, time or Path"
)
GAPS = [
    (no_docstring, "it has no docstring, so the model can't know what it does. Say in one sentence what it does"),
    (no_type, "parameter 'a' has no type. Write a: str or another type"),
    (
        method,
        "parameter 'self' has no type. Declare tools as functions at the top level of a module, not as methods",
    ),
    (no_return, "the return type is missing. Write e.g. -> str"),
    (star, "*names has no schema. Name each parameter, or take one list[T] or dict[str, T]"),
    (stars, "**names has no schema. Name each parameter, or take one list[T] or dict[str, T]"),
    (positional, "'a' is positional-only, but models pass names. Take out the /"),
    (any_type, f"parameter 'a': Any is not supported. {SUPPORTED}"),
    (bytes_type, f"parameter 'a': bytes is not supported. {SUPPORTED}"),
    (bare_list, "parameter 'a': list does not say what it holds. Write list[T], e.g. with str as T"),
    (bare_dict, "parameter 'a': dict does not say what it holds. Write dict[str, T], e.g. with str as T"),
    (number_keys, "parameter 'a': dict[int, str]: the names of a JSON object are texts. Write dict[str, T]"),
    (mixed_tuple, "parameter 'a': tuple[int, str] mixes types. Use a dataclass: models need the names"),
    (recursive, "parameter 'a': Node contains itself. Flatten it, e.g. into a list with ids"),
    (
        mutable,
        (
            "parameter 'a': the default [] is shared between calls. "
            "Use None (type T | None) or an empty tuple, and make the value inside the function"
        ),
    ),
    (none_default, "parameter 'a': the default is None, but the type isn't. Write T | None = None"),
    (
        unresolved,
        (
            "an annotation can't be resolved: name 'Missing' is not defined. "
            "Import the type at the top of the module (not under TYPE_CHECKING) or correct its name"
        ),
    ),
    (late_context, "the tool context 'context' isn't the first parameter. Move it to the front"),
    (misnamed, "the docstring describes 'file', which is no parameter. Correct the name or take the line out"),
    (only_parameters, "the docstring only lists parameters. Say in one sentence what it does"),
    (generator, "a generator can't be a tool. Return the whole result"),
]


@pytest.mark.parametrize(("function", "message"), GAPS, ids=[gap[0].__name__ for gap in GAPS])
def test_a_gap_is_an_error_at_import_with_place_problem_and_fix(function: Any, message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        tool(function)
    place = f"{__file__}:{function.__code__.co_firstlineno} tool {function.__name__}"
    assert str(caught.value) == f"{place}: {message}"


def test_a_default_without_json_form_is_refused() -> None:
    with pytest.raises(DeclarationError, match="has no JSON form"):
        tool(weird)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"no_memory": True, "cleaner": "head(5)"},
            (
                ", MemoryPolicy: no_memory and cleaner contradict each other: what is never computed needs "
                "no cleaning. "
                "Keep one of the two"
            ),
        ),
        (
            {"cleaner": "head(x)"},
            (
                ", stage 1 of cleaner 'head(x)': head takes whole numbers that aren't negative, got 'x'. "
                "Write e.g. head(4000)"
            ),
        ),
        (
            {"name": "1 bad"},
            ": '1 bad' can't be the name of a tool. Use at most 64 letters, digits, _ or -, the first one a letter",
        ),
        ({"no_memry": True}, ": there is no option 'no_memry'. Did you mean no_memory?"),
        (
            {"x": 1},
            (
                ": there is no option 'x'. There are "
                "name, no_memory, cleaner, returns_memory, parallel, version, timeout, confirm"
            ),
        ),
        ({"parallel": "yes"}, ": parallel is 'yes'. Write True or False"),
        ({"confirm": 1}, ": confirm is 1. Write True or False"),
        ({"version": 0}, ": version is 0. Write a whole number from 1 on"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        tool(**options)(plain.function)
    place = f"{__file__}:{plain.function.__code__.co_firstlineno} tool plain"
    assert str(caught.value) == place + message


def test_a_lambda_as_cleaner_is_refused_with_the_tool_named() -> None:
    with pytest.raises(DeclarationError) as caught:
        tool(cleaner=lambda text: text)(plain.function)
    assert "tool plain, " in caught.value.where
    assert caught.value.problem == "a lambda can't be imported by the process that runs cleaners"


def test_only_a_function_can_be_a_tool() -> None:
    with pytest.raises(DeclarationError) as caught:
        tool(Unit)
    assert str(caught.value) == "tool Unit: only a function can be a tool. Put @tool on a def or async def"
