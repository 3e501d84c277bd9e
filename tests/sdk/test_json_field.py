from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent_sdk import CleanerError, json_field, read_json

SAMPLE = (
    '{"ok": true, "n": -1.5e3, "x": [{"content": "no"}, []], "content": "tab\\t \\"q\\" \\\\u \\u4e2d\\ud83d\\ude00'
    ' \\\\\\\\ end", "deep": {"list": [1, 22, "a\\u00e9", {"k": "v", "w": null}], "last": false}, "after": 7}'
)
LEAVES = ["content", "deep", "deep.list", "deep.list.2", "deep.list.3", "deep.list.3.k", "x", "x.0.content", "ok"]


@pytest.mark.parametrize("path", LEAVES)
def test_at_every_cut_there_is_a_beginning_of_the_true_value_or_a_cleaner_error(path: str) -> None:
    cleaner = json_field(path)
    whole = cleaner(SAMPLE)
    longest = None
    for cut in range(len(SAMPLE) + 1):
        try:
            salvaged = cleaner(SAMPLE[:cut])
        except CleanerError:
            assert longest is None, f"lost again at {cut}"
            continue
        assert whole.startswith(salvaged)
        assert len(salvaged) >= len(longest or "")
        longest = salvaged
    assert longest == whole


@pytest.mark.parametrize("path", ["content", "deep.list.2", "deep.list.3.k"])
def test_a_string_is_salvaged_as_soon_as_its_quote_is_there(path: str) -> None:
    start = SAMPLE.index({"content": '"tab', "deep.list.2": '"a\\u', "deep.list.3.k": '"v"'}[path]) + 1
    assert json_field(path)(SAMPLE[:start]) == ""
    with pytest.raises(CleanerError):
        json_field(path)(SAMPLE[: start - 1])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, json_values, st.booleans(), st.data())
def test_any_cut_of_any_document_gives_a_beginning(
    value: object, before: object, ascii_only: bool, data: st.DataObject
) -> None:
    text = json.dumps({"b": before, "f": value, "z": [1]}, ensure_ascii=ascii_only)
    whole = json_field("f")(text)
    assert whole == (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    cut = data.draw(st.integers(0, len(text)))
    try:
        assert whole.startswith(json_field("f")(text[:cut]))
    except CleanerError:
        assert cut < len(text)


@given(st.text(alphabet='{}[],:"\\u019ad tn.', max_size=40))
def test_any_text_is_cleaned_or_a_cleaner_error(text: str) -> None:
    for candidate in (text, '{"a":' + text, '{"a":"' + text):
        try:
            json_field("a")(candidate)
        except CleanerError as error:
            assert str(error).startswith("json(a): ")


def test_a_salvaged_object_can_be_opened_by_a_second_json_stage() -> None:
    assert (json_field("data") | json_field("text"))('{"data": {"id": 1, "text": "hal') == "hal"


def test_half_a_number_or_word_is_left_out_because_it_would_be_a_wrong_fact() -> None:
    for text in ('{"f": 12', '{"f": tr', '{"f": -', '{"f": 1.'):
        with pytest.raises(CleanerError):
            json_field("f")(text)
    assert json_field("f")('{"f": [1, 2') == "[1"
    assert json_field("f")('{"f": 12 ') == "12"


def test_a_remark_about_truncation_does_not_lose_what_stands_before_it() -> None:
    assert json_field("f")('{"f": "x", "rows": [1, 2, ... (truncated)') == "x"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the text isn't a JSON object or array"),
        ("Error: EACCES", "the text isn't a JSON object or array"),
        ('"just a string"', "the text isn't a JSON object or array"),
        ('{"f" "x"}', "the text isn't valid JSON, and not only because it was cut off"),
        ('{"g": 1}', "the JSON has no field f"),
        ('{"g": "x', "the JSON (it was cut off) has no field f"),
        ("[1]", "the JSON has no field f"),
        ('{"f":' + "[" * 100_000, "the JSON is nested too deeply"),
        ('{"f":' + "[" * 100_000 + "]" * 100_000 + "}", "the JSON is nested too deeply"),
        ('{"f":' + "1" * 5_000 + "}", "the text isn't valid JSON, and not only because it was cut off"),
    ],
)
def test_text_without_the_field_says_why(text: str, problem: str) -> None:
    with pytest.raises(CleanerError) as caught:
        json_field("f")(text)
    assert caught.value.where == "json(f)"
    assert caught.value.problem == problem
    assert caught.value.next_step


def test_a_list_index_must_exist() -> None:
    assert json_field("f.1")('{"f": ["a", "b"]}') == "b"
    for path in ("f.2", "f.x", "f.-1", "f.1.0"):
        with pytest.raises(CleanerError, match="has no field"):
            json_field(path)('{"f": ["a", "b"]}')


def test_a_field_named_by_a_number_is_found() -> None:
    assert json_field("f.1")('{"f": {"1": "x"}}') == "x"


@pytest.mark.parametrize("filler", ["\\n", "\\u4e2d", "\\\\", '\\"', "中"])
def test_megabytes_of_a_cut_string_are_salvaged(filler: str) -> None:
    count = 4_000_000 // len(filler)
    salvaged = json_field("f")('{"f": "' + filler * count)
    assert len(salvaged) == count


@given(json_values, st.booleans(), st.data())
def test_what_is_there_of_a_document_that_was_cut_off_can_be_read(
    value: object, ascii_only: bool, data: st.DataObject
) -> None:
    text = json.dumps([value, value], ensure_ascii=ascii_only)
    assert read_json(text) == [value, value]
    found = read_json(text[: data.draw(st.integers(1, len(text)))])
    assert isinstance(found, list)
    assert len(found) <= 2
    assert len(found) < 2 or found[0] == value


def test_a_function_cleaner_is_told_of_a_text_that_is_no_json() -> None:
    for text in ("", "plain words", "{" * 100_000):
        with pytest.raises(CleanerError):
            read_json(text)
