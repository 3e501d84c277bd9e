from __future__ import annotations

import pytest

from homeagent_sdk import Cleaner, NotTextError, Stage, drop_ansi, head, html_text, json_field, lines, regex


def test_cleaners_are_joined_from_left_to_right() -> None:
    cleaner = json_field("a") | head(2)
    assert cleaner('{"a": "xyz"}') == "xy"
    assert cleaner.spec == "json(a) | head(2)"
    assert [stage.is_json for stage in cleaner.stages] == [True, False]


def test_equal_cleaners_are_those_with_the_same_identity() -> None:
    assert json_field("a") | head(2) == json_field("a") | head(2)
    assert hash(head(2)) == hash(head(2))
    assert head(2) != head(3)
    assert head(2) != "head(2)"
    assert repr(head(2)) == "<Cleaner head(2)>"


def test_a_cleaner_can_not_be_changed() -> None:
    with pytest.raises(AttributeError, match="can't be changed"):
        head(2).extra = 1  # type: ignore[attr-defined]


def test_an_error_output_skips_the_json_stages_and_keeps_the_others() -> None:
    cleaner = (drop_ansi() | json_field("a") | head(9)).for_error_output()
    assert cleaner is not None
    assert cleaner.spec == "ansi() | head(9)"
    assert json_field("a").for_error_output() is None
    plain = html_text() | lines(1, 2) | regex("a", "b")
    assert plain.for_error_output() is plain


def test_a_stage_that_returns_no_text_is_named() -> None:
    broken = Cleaner((Stage("m:f", "m:f@1", False, lambda text: len(text)),))  # type: ignore[arg-type,return-value]
    with pytest.raises(NotTextError) as caught:
        broken("abc")
    assert str(caught.value) == "m:f: returned int, not str. Return the cleaned text as a str"
