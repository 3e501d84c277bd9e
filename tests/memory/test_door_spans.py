"""Every span that names a range of raw names the very characters of it, on every way through the door."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.memory.door.located import located_spans
from tests.memory.worlds import HIDDEN, PLAIN, cleaned, opened, reply, temporary_memory, tool, turn, user

POLICIES = {
    "plain": PLAIN,
    "head": cleaned("head(30)"),
    "lines": cleaned("lines(2,3)"),
    "ansi": cleaned("ansi()"),
    "field": cleaned("json(content)"),
    "cut": cleaned('regex("b+","")'),
    "swap": cleaned('regex("(a)(b)","\\2\\1")'),
    "html": cleaned("html()"),
    "hide": HIDDEN,
}
LINES = [
    "same line",
    "same line",
    "same",
    "a longer line with bb in it",
    "<p>para</p>",
    "\x1b[1mbold\x1b[0m",
    "",
    "KEY7-99AB-CD12",
]
TEXTS = st.lists(st.sampled_from(LINES) | st.text(max_size=12), max_size=8).map("\n".join)
NAMES = st.sampled_from([*POLICIES, "undeclared"])


def wrong_spans(text, raw):
    """The located spans of a compute text that do not stand in raw as they say, or are out of place."""
    at = 0
    for span in text.spans:
        if not at <= span.start <= span.end <= len(text.text):
            yield span
        at = span.end
        if (
            span.raw_start is not None
            and raw[span.segment][span.raw_start : span.raw_end] != text.text[at - (span.end - span.start) : at]
        ):
            yield span


def check_everything(memory):
    """Compute text, and the passages cut from it."""
    raw = {row.seq: row.segment.text for each in memory.turns() for row in memory.segments(each)}
    texts = [row.text for row in memory.all_computed()]
    texts += [each.text for each in memory._derived.passages_of([row.seq for row in memory.turns()])]
    assert [span for text in texts for span in wrong_spans(text, raw)] == []
    return texts


@given(st.lists(st.tuples(NAMES, TEXTS), min_size=1, max_size=4), TEXTS, TEXTS)
@settings(max_examples=12, deadline=None)
def test_every_located_span_is_the_same_in_raw_and_computed_text(outputs, said, answered):
    with temporary_memory() as memory:
        memory.set_policies(POLICIES)
        tools = [tool(text, name, arguments='{"a": 1}') for name, text in outputs]
        memory.keep(turn(user(said), *tools, reply(f"{answered}\nKEY7-99AB-CD12\n{outputs[0][1]}")))
        check_everything(memory)
        memory.set_policies(dict.fromkeys(POLICIES, HIDDEN))
        check_everything(memory)


def test_the_spans_of_long_texts_survive_the_cutting_into_passages(tmp_path):
    page = "\n".join(
        f"line {number} of the page, which is the same as others but for its number" for number in range(300)
    )
    with opened(tmp_path / "home") as memory:
        memory.set_policies(POLICIES)
        memory.keep(
            turn(user(page[:5000]), tool(page, "undeclared"), tool(page, "plain"), tool(page, "cut"), reply(page))
        )
        texts = check_everything(memory)
    located = sum(span.raw_start is not None for text in texts for span in text.spans)
    assert located > 40


def test_a_hit_names_the_range_of_raw_that_it_shows(tmp_path):
    page = (
        "\n".join(f"row {number}: nothing here" for number in range(300))
        + "\nthe zebra is behind the house\n"
        + "end\n" * 300
    )
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("see the page"), tool(page)))
        (hit, *_) = memory.recall("zebra").hits
        raw = memory.raw(hit.turn)[hit.segment].segment.text
        assert "zebra" in hit.text
        assert hit.span is not None
        assert "zebra" in raw[slice(*hit.span)]


@pytest.mark.parametrize(
    ("made", "raw", "ranges"),
    [
        ("", "anything", []),
        ("same text", "same text", [(0, 9)]),
        ("line two", "line one\nline two", [(9, 17)]),
        ("line\nline", "line\nother\nline", [(0, 4), (11, 15)]),
        ("LINE two", "line two", [None]),
        ("later\nearly", "early\nlater", [(6, 11), None]),
        ("abc", "abcabc", [None]),
    ],
)
def test_a_line_is_located_where_it_stands_verbatim_after_the_one_before(made, raw, ranges):
    found = [None if span.raw_start is None else (span.raw_start, span.raw_end) for span in located_spans(made, raw, 1)]
    assert found == ranges


@given(st.text("ab\n ", max_size=60), st.text("ab\n ", max_size=60))
@settings(max_examples=100, deadline=None)
def test_whatever_a_cleaner_made_the_spans_cover_its_lines_and_are_true(made, raw):
    spans = located_spans(made, raw, 1)
    assert "\n".join(line for line in made.split("\n") if line) == "\n".join(
        made[span.start : span.end] for span in spans
    )
    assert all(
        span.raw_start is None or raw[span.raw_start : span.raw_end] == made[span.start : span.end] for span in spans
    )
