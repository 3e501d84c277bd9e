from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent_sdk import Cleaner, DeclarationError, drop_ansi, head, html_text, json_field, lines, parse_cleaner, regex

KNOWN = 'json(content), html(), ansi(), head(4000), lines(1,40), regex("pattern","replacement")'

ERRORS = [
    ("", "stage 1 of cleaner '': the stage is empty. Write e.g. \"json(content) | head(4000)\""),
    ("html() | ", "stage 2 of cleaner 'html() | ': the stage is empty. Write e.g. \"json(content) | head(4000)\""),
    ("html", f"stage 1 of cleaner 'html': 'html' isn't name(arguments). Write one of {KNOWN}"),
    ("xml()", f"stage 1 of cleaner 'xml()': there is no cleaner 'xml'. Write one of {KNOWN}"),
    ("html(1)", "stage 1 of cleaner 'html(1)': html takes no argument, got '1'. Write e.g. html()"),
    ("ansi(x)", "stage 1 of cleaner 'ansi(x)': ansi takes no argument, got 'x'. Write e.g. ansi()"),
    (
        "html() | head(-1)",
        (
            "stage 2 of cleaner 'html() | head(-1)': head takes whole numbers that aren't negative, got '-1'. "
            "Write e.g. head(4000)"
        ),
    ),
    (
        "head(1.5)",
        (
            "stage 1 of cleaner 'head(1.5)': head takes whole numbers that aren't negative, got '1.5'. "
            "Write e.g. head(4000)"
        ),
    ),
    (
        "lines(0,2)",
        (
            "stage 1 of cleaner 'lines(0,2)': the lines must be whole numbers counted from 1, the first not after "
            "the last. "
            "Write e.g. lines(1,40)"
        ),
    ),
    (
        "lines(3,2)",
        (
            "stage 1 of cleaner 'lines(3,2)': the lines must be whole numbers counted from 1, the first not after "
            "the last. "
            "Write e.g. lines(1,40)"
        ),
    ),
    ("lines(3)", "stage 1 of cleaner 'lines(3)': lines takes two numbers, got '3'. Write e.g. lines(1,40)"),
    (
        "json()",
        (
            "stage 1 of cleaner 'json()': the path must be field names or list indexes joined by dots, without "
            "spaces, "
            "quotes or brackets. Write e.g. json(content) or json(data.items.0.text)"
        ),
    ),
    (
        "json(a..b)",
        (
            "stage 1 of cleaner 'json(a..b)': the path must be field names or list indexes joined by dots, without "
            "spaces, "
            "quotes or brackets. Write e.g. json(content) or json(data.items.0.text)"
        ),
    ),
    (
        "json(a.9999999999999)",
        "stage 1 of cleaner 'json(a.9999999999999)': index 9999999999999 is too large. Write e.g. json(items.0)",
    ),
    (
        'regex("a',
        (
            "stage 1 of cleaner 'regex(\"a': a quote is not closed. "
            r"Close it; a quote inside quotes is written \""
        ),
    ),
    (
        'regex("a")',
        (
            "stage 1 of cleaner 'regex(\"a\")': regex takes two texts in double quotes, got '\"a\"'. "
            'Write e.g. regex("pattern","replacement")'
        ),
    ),
    (
        'regex("(","")',
        (
            'stage 1 of cleaner \'regex("(","")\': the pattern isn\'t a regular expression: missing ), unterminated '
            "subpattern at position 0. Correct the pattern, see Python's re"
        ),
    ),
    (
        r'regex("a","\1")',
        (
            'stage 1 of cleaner \'regex("a","\\\\1")\': the replacement can\'t be used: invalid group reference 1 at '
            r"position 1. Write a group as \1 or \g<name>, a backslash as \\"
        ),
    ),
    (
        "plugin.text:clean",
        (
            "stage 1 of cleaner 'plugin.text:clean': plugin.text:clean names a function, which a text can't "
            "bring in. "
            "Pass the function itself as cleaner="
        ),
    ),
]


@pytest.mark.parametrize(("spec", "message"), ERRORS)
def test_a_wrong_cleaner_says_which_stage_what_and_how_to_write_it(spec: str, message: str) -> None:
    with pytest.raises(DeclarationError) as caught:
        parse_cleaner(spec)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("make", "where"),
    [
        (lambda: head(-1), "head(-1)"),
        (lambda: head(True), "head(True)"),
        (lambda: lines(1, 0), "lines(1,0)"),
        (lambda: json_field("a b"), "json(a b)"),
        (lambda: regex("[", ""), 'regex("[","")'),
        (lambda: regex("(?P<n>a)", r"\g<m>"), r'regex("(?P<n>a)","\g<m>")'),
    ],
)
def test_a_builder_refuses_the_same_as_the_language(make: object, where: str) -> None:
    assert callable(make)
    with pytest.raises(DeclarationError) as caught:
        make()
    assert caught.value.where == where


def test_pipes_commas_and_brackets_inside_quotes_belong_to_the_pattern() -> None:
    cleaner = parse_cleaner(r'regex("a|b,\)\"", "x|y(\"") | head( 3 )')
    assert cleaner.spec == r'regex("a|b,\)\"","x|y(\"") | head(3)'
    assert cleaner('b,)"z') == "x|y"
    assert parse_cleaner(r'regex("b,\)\"", "x|y(\"")')('b,)"z') == 'x|y("z'


def test_white_space_and_leading_zeros_do_not_change_the_identity() -> None:
    assert parse_cleaner(" lines( 01 , 2 )|json( a.b )").identity == "lines(1,2)@1 | json(a.b)@1"


def test_a_long_cleaner_is_shortened_in_the_error() -> None:
    with pytest.raises(DeclarationError) as caught:
        parse_cleaner("x" * 500)
    assert len(caught.value.where) < 120


texts = st.text(alphabet='ab"\\|(),.nd1 中\n', max_size=12)
keys = st.text(alphabet="abc-_$09中", min_size=1, max_size=5)


def _valid(pattern: str, replacement: str) -> bool:
    try:
        regex(pattern, replacement)
    except DeclarationError:
        return False
    return True


stages = st.one_of(
    st.lists(keys, min_size=1, max_size=3).map(".".join).map(json_field),
    st.just(html_text()),
    st.just(drop_ansi()),
    st.integers(0, 10**12).map(head),
    st.tuples(st.integers(1, 99), st.integers(0, 99)).map(lambda pair: lines(pair[0], pair[0] + pair[1])),
    st.tuples(texts, texts).filter(lambda pair: _valid(*pair)).map(lambda pair: regex(*pair)),
)


@given(st.lists(stages, min_size=1, max_size=4))
def test_a_spec_read_back_is_the_same_cleaner(parts: list[Cleaner]) -> None:
    cleaner = Cleaner(tuple(stage for part in parts for stage in part.stages))
    again = parse_cleaner(cleaner.spec)
    assert again.spec == cleaner.spec
    assert again == cleaner


@given(texts, texts, texts)
def test_regex_does_what_re_sub_does_before_and_after_being_written(pattern: str, replacement: str, text: str) -> None:
    if _valid(pattern, replacement):
        cleaner = regex(pattern, replacement)
        assert cleaner(text) == parse_cleaner(cleaner.spec)(text) == re.sub(pattern, replacement, text)


@given(st.text())
def test_any_text_is_a_cleaner_or_a_declaration_error(spec: str) -> None:
    try:
        assert parse_cleaner(parse_cleaner(spec).spec).spec == parse_cleaner(spec).spec
    except DeclarationError as error:
        assert error.where.startswith("stage ")
