"""Folding: one spelling for what is compared."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homeagent.memory.text.fold import fold_text

ANY_TEXT = st.text(alphabet=st.characters())  # all code points, lone surrogates among them


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("備用鑰匙放在書櫃第三層的鐵盒裡", "备用钥匙放在书柜第三层的铁盒里"),
        ("Ｂ座３０２会议室", "b座302会议室"),
        ("Don’t say “no”", 'don\'t say "no"'),
        ("a\x00b", "a b"),
        ("half \ud83d an emoji", "half  an emoji"),
        ("ze\u200bro\ufeff width\ufe0f", "zero width"),
        ("穿著 穿着", "穿着 穿着"),
        ("鍾離", "钟离"),
        ("RFC–0007", "rfc-0007"),
        ("line\none\ttab\r", "line\none\ttab "),
        ("軟體", "软体"),  # a regional word keeps its characters; only their form changes
        ("Straße", "strasse"),
    ],
)
def test_what_is_the_same_to_a_reader_is_folded_to_the_same(written: str, folded: str) -> None:
    assert fold_text(written) == folded


def test_every_single_code_point_folds_to_something_that_folds_to_itself() -> None:
    for code in range(sys.maxunicode + 1):
        once = fold_text(chr(code))
        assert fold_text(once) == once, hex(code)


def test_an_ideograph_is_folded_alone_so_that_its_neighbours_change_nothing() -> None:
    for phrase in ("乾隆皇帝", "瞭望塔", "頭髮", "皇后後來", "藉口", "著名作家", "餘額不足"):
        assert fold_text(phrase) == "".join(map(fold_text, phrase))


@given(ANY_TEXT)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold_text(text)
    assert fold_text(once) == once


@given(ANY_TEXT)
def test_folded_text_has_no_control_character_and_no_surrogate(text: str) -> None:
    assert all(unicodedata.category(c) not in {"Cc", "Cs"} or c in "\n\t" for c in fold_text(text))


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)))
def test_folding_chinese_keeps_the_number_of_characters(text: str) -> None:
    assert len(fold_text(text)) == len(text)
