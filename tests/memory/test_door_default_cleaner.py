"""What is left of the output of a tool that nobody declared."""

from __future__ import annotations

import base64
import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.memory.door.default_cleaner import KEPT_CHARACTERS, kept_ranges

NOISE = base64.b64encode(random.Random(7).randbytes(600)).decode()  # noqa: S311 - no secret


def kept(text):
    return [text[start:end] for start, end in kept_ranges(text)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words\twith a tab\nand lines\r\nof two kinds",
        "中文、emoji 😀 and e\u0301",
        "https://example.org/a/very/long/path/" + "part/" * 100,
        "a" * 600,
        "ACTG" * 200,
        "word " * 6000,
        "deadbeef" * 8,
        "x" * KEPT_CHARACTERS,
        "data: image/png is what it says",
    ],
    ids=lambda text: text[:12] + str(len(text)),
)
def test_text_without_noise_is_kept_whole(text):
    assert "".join(kept(text)) == text
    assert len(kept_ranges(text)) == (1 if text else 0)


@pytest.mark.parametrize(
    ("noise", "name"),
    [
        ("\x1b[1;31m", "colour"),
        ("\x1b[2K\x1b[1G", "cursor"),
        ("\x1b]0;a title\x07", "title"),
        ("\x1b]8;;https://example.org\x1b\\", "link"),
        ("\x1bM", "single"),
        ("\0\x01\x08\x0b\x7f\x85\x9b", "controls"),
        (NOISE, "base64"),
        (NOISE.replace("+", "-").replace("/", "_"), "base64 for addresses"),
        (f"data:image/png;base64,{NOISE[:40]}", "data address"),
        (f"data:image/svg+xml;charset=utf-8;base64,{NOISE}", "data address with a parameter"),
    ],
    ids=lambda value: value if value.isascii() and len(value) < 30 and value.isprintable() else "noise",
)
def test_noise_goes_and_the_words_around_it_stay(noise, name):
    assert kept(f"before {noise} after") == ["before ", " after"], name
    assert kept(f"{noise} after") == [" after"]
    assert kept(f"before {noise}") == ["before "]
    assert kept(noise) == []


@pytest.mark.parametrize("code", ["\x1b[32m", "\x1bM"])
def test_coloured_base64_is_noise_too(code):
    assert kept(f"before {code}{NOISE}\x1b[0m after") == ["before ", " after"]


def test_of_a_long_output_three_quarters_of_what_is_computed_are_its_head_and_the_rest_its_tail():
    text = "".join(f"{number:07d} " for number in range(10_000))
    head, tail = kept(text)
    assert (len(head), len(tail)) == (KEPT_CHARACTERS * 3 // 4, KEPT_CHARACTERS // 4)
    assert text.startswith(head)
    assert text.endswith(tail)


def test_noise_does_not_count_among_the_characters_that_are_computed():
    text = "\x1b[1mword\x1b[0m " * (KEPT_CHARACTERS // 5)
    assert "".join(kept(text)) == "word " * (KEPT_CHARACTERS // 5)


PIECES = st.lists(
    st.text(st.characters(exclude_categories=()), max_size=20)
    | st.sampled_from(["\x1b[1m", "\x1b]0;t\x07", "\x1b", NOISE, f"data:a/b;base64,{NOISE}", "\0", "word " * 9000]),
    max_size=8,
)


@given(PIECES)
@settings(max_examples=60, deadline=None)
def test_what_is_kept_is_ranges_in_order_without_noise_and_not_too_long(pieces):
    text = "".join(pieces)
    ranges = kept_ranges(text)
    assert all(0 <= start < end <= len(text) for start, end in ranges)
    assert all(one[1] < two[0] for one, two in itertools.pairwise(ranges))
    together = "".join(kept(text))
    assert len(together) <= KEPT_CHARACTERS
    assert not any(character < " " and character not in "\t\n\r\x1b" for character in together)
    assert "\x1b" in text or NOISE not in together
