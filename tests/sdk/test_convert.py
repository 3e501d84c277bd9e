from __future__ import annotations

import datetime as dt
import enum
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent_sdk import ArgumentsError, tool
from homeagent_sdk.convert import convert_arguments, convert_value, parse_arguments, spoken_type


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Point(TypedDict):
    x: int
    y: int


@dataclass(frozen=True)
class Range:
    first: int
    last: int = 10

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise ValueError("first is after last")


@tool
def sample(name: str, count: int = 1, ratio: float | None = None) -> str:
    """Do something."""
    return f"{name} {count} {ratio}"


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        ("a", str, "a"),
        (5, int, 5),
        (5.0, int, 5),
        ("5", int, 5),
        ("-5", int, -5),
        (5, str, "5"),
        (5, float, 5.0),
        ("2.5", float, 2.5),
        (True, bool, True),
        ("false", bool, False),
        (None, None, None),
        (None, int | None, None),
        ("5", str | int, "5"),
        ("5", int | str, "5"),
        ("5", int | None, 5),
        ("red", Colour, Colour.RED),
        ("a", Literal["a", "b"], "a"),
        ("1", Literal[1, 2], 1),
        ([1, "2"], list[int], [1, 2]),
        (["a", "a"], set[str], {"a"}),
        ([1, 2], tuple[int, int], (1, 2)),
        ([1], tuple[int, ...], (1,)),
        ({"a": 1}, dict[str, int], {"a": 1}),
        ({"x": 1, "y": "2"}, Point, {"x": 1, "y": 2}),
        ({"first": 2}, Range, Range(2)),
        ("2026-05-01T10:00:00+08:00", dt.datetime, dt.datetime.fromisoformat("2026-05-01T10:00:00+08:00")),
        ("2026-05-01", dt.date, dt.date(2026, 5, 1)),
        ("10:30", dt.time, dt.time(10, 30)),
        ("/srv", Path, Path("/srv")),
        ("x", Annotated[str, "a name"], "x"),
        ([{"first": 1}], list[Range], [Range(1)]),
    ],
)
def test_json_becomes_the_annotated_type(value: object, annotation: object, expected: object) -> None:
    found = convert_value(value, annotation)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("value", "annotation", "problem"),
    [
        ("five", int, ("v", 'is "five"', "Give a whole number")),
        (True, int, ("v", "is true", "Give a whole number")),
        (2.5, int, ("v", "is 2.5", "Give a whole number")),
        ("nan", float, ("v", 'is "nan"', "Give a number")),
        ("yes", bool, ("v", 'is "yes"', "Give true or false")),
        ([], str, ("v", "is []", "Give a text")),
        ("green", Colour, ("v", 'is "green"', "Give one of 'red', 'blue'")),
        ("a", list[str], ("v", 'is "a"', "Give a list of a text")),
        ([1, 2, 3], tuple[int, int], ("v", "is [1, 2, 3]", "Give a list of 2, each a whole number")),
        ([1, None], list[int], ("v.1", "is null", "Give a whole number")),
        ({"x": 1}, Point, ("v.y", "is missing", "Give a whole number")),
        ({"x": 1, "y": 2, "z": 3}, Point, ("v.z", "there is no such argument", "There are x, y")),
        ({"first": 20}, Range, ("v", "first is after last", "")),
        ("yesterday", dt.datetime, ("v", 'is "yesterday"', "Give a moment such as 2026-05-01T10:00:00+08:00")),
        (5, dt.date, ("v", "is 5", "Give a date such as 2026-05-01")),
        ("a\0b", Path, ("v", 'is "a\\u0000b"', "Give a path")),
        ("x", int | None, ("v", 'is "x"', "Give a whole number or null")),
        ("x" * 200, int, ("v", '"' + "x" * 76 + "...", "Give a whole number")),
    ],
)
def test_what_does_not_fit_says_field_reason_and_hint(value: object, annotation: object, problem: object) -> None:
    with pytest.raises(ArgumentsError) as caught:
        convert_value(value, annotation, "v")
    (found,) = caught.value.problems
    field, reason, hint = problem  # type: ignore[misc]
    assert (found.field, found.hint) == (field, hint)
    assert found.reason.removeprefix("is ") == reason.removeprefix("is ")


def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(ArgumentsError) as caught:
        convert_arguments(sample, {"nam": "x", "count": "many"})
    assert [tuple(each) for each in caught.value.problems] == [
        ("nam", "there is no such argument", "Did you mean name?"),
        ("name", "is missing", "Give a text"),
        ("count", 'is "many"', "Give a whole number"),
    ]
    assert str(caught.value).startswith("tool sample: nam: there is no such argument; name: is missing")


def test_what_is_left_out_is_left_to_the_default() -> None:
    assert convert_arguments(sample, {"name": "x"}) == {"name": "x"}


@pytest.mark.parametrize("text", ["{", "[1]", '"a"', "null", "{'a': 1}", "[" * 100_000])
def test_arguments_that_are_no_json_object_are_refused(text: str) -> None:
    with pytest.raises(ArgumentsError):
        parse_arguments(text)


def test_no_arguments_are_an_empty_object() -> None:
    assert parse_arguments("") == parse_arguments("  ") == parse_arguments("{}") == {}


def test_a_type_is_said_in_words() -> None:
    assert spoken_type(dict[str, int]) == "an object"
    assert spoken_type(list[Literal["a", "b"]]) == "a list of one of 'a', 'b'"
    assert spoken_type(Range) == "an object with first, last"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_TYPES = st.sampled_from(
    [str, int, float, bool, int | None, list[str], dict[str, int], tuple[int, int], Colour, Point, Range, dt.date, Path]
)


@given(value=_JSON, annotation=_TYPES)
def test_any_json_is_converted_or_refused_in_words(value: object, annotation: object) -> None:
    try:
        convert_value(value, annotation, "v")
    except ArgumentsError as error:
        assert all(each.field.startswith("v") and each.reason for each in error.problems)
        json.dumps([each._asdict() for each in error.problems])
