from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from homeagent.channels.splitting import split


def bare(text: str) -> str:
    return re.sub(r"\s+", "", text)


@given(st.text(alphabet="ab c.。！\n\t你好", max_size=300), st.integers(1, 40))
def test_nothing_but_white_space_is_lost_and_no_piece_is_too_long(text: str, length: int) -> None:
    pieces = split(text, length)
    assert bare("".join(pieces)) == bare(text)
    assert all(0 < len(piece) <= length for piece in pieces)


def test_a_short_text_stays_as_it_is() -> None:
    assert split("  one\n\n  two ", 100) == ["  one\n\n  two "]
    assert split(" \n ", 100) == []


def test_a_long_text_is_cut_at_the_best_place() -> None:
    assert split("The first.\n\nThe second.\nThe third.", 28) == ["The first.\n\nThe second.", "The third."]
    assert split("The first.\n\nThe second is longer.", 22) == ["The first.", "The second is longer."]
    assert split("line one\nline two\nline three", 18) == ["line one\nline two", "line three"]
    assert split("今天天气很好。我们去公园吧！好吗", 10) == ["今天天气很好。", "我们去公园吧！好吗"]
    assert split("one two three four", 9) == ["one two", "three", "four"]
    assert split("abcdefghij", 4) == ["abcd", "efgh", "ij"]
