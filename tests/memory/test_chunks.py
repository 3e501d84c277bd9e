"""Cutting compute text into passages: nothing lost, cut at lines, no longer than a thought, spans still true."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.memory.compute import ComputeText, DoorKey, Span
from homeagent.memory.passages import LONGEST, LONGEST_PIECE, SHORTEST, chunks, pieces, turn_passages
from homeagent.memory.store.records import Computed

LINE = "a line of the page with some words in it, "


def text_of(raw):
    """Compute text that is raw as it stands."""
    return ComputeText(DoorKey(), raw, [Span(0, len(raw), 1, 0, len(raw))])


def cut(raw):
    pieces = list(chunks(text_of(raw)))
    for piece in pieces:
        assert "".join(raw[span.raw_start : span.raw_end] for span in piece.spans) == piece.text
    return [piece.text for piece in pieces]


WORDS = st.sampled_from(
    ["word ", "中文字", "。", ". ", "\n", "\n\n", "\r\n", "\t", "x" * 90, "😀", "e\u0301", "\x0b", "\u2028", ""]
)
TEXTS = st.lists(WORDS | st.text(max_size=40), max_size=150).map("".join) | st.integers(0, 4000).map(lambda n: "字" * n)


SPANS = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), max_size=12)


@given(SPANS, st.integers(-5, 90), st.integers(-5, 90))
def test_a_part_of_a_text_has_the_parts_of_its_spans(gaps, start, end):
    spans, at = [], 0
    for gap, length in gaps:
        spans.append(Span(at + gap, at + gap + length, 7, 2 * at, 2 * at + length))
        at += gap + length
    part = ComputeText(DoorKey(), "x" * at, spans).slice(start, end)
    low, high, _ = slice(start, end).indices(at)
    clipped = [span.clipped(low, high) for span in spans]
    assert list(part.spans) == [span.shifted(-low) for span in clipped if span is not None]
    assert len(part) == max(0, high - low)


@given(TEXTS)
@settings(max_examples=40, deadline=None)
def test_the_pieces_in_their_order_are_the_text_and_none_is_too_long(raw):
    pieces = cut(raw)
    assert raw.startswith("".join(pieces))
    assert raw[len("".join(pieces)) :].strip() == ""
    assert all(len(piece) <= LONGEST for piece in pieces)
    assert all(len(one) + len(two) > LONGEST for one, two in itertools.pairwise(pieces))


@pytest.mark.parametrize("raw", ["", "x", "x" * LONGEST, f"{'x' * (LONGEST - 1)}\n"])
def test_a_short_text_is_one_piece(raw):
    assert cut(raw) == [raw]


@pytest.mark.parametrize("length", [10, 40, 299, 600])
def test_lines_are_never_cut_where_they_fit(length):
    page = "".join(f"{number:05d} {'x' * (length - 7)}\n" for number in range(20_000 // length))
    pieces = cut(page)
    assert "".join(pieces) == page
    assert all(piece.endswith("\n") for piece in pieces)
    assert all(len(piece) >= SHORTEST for piece in pieces[:-1])


@pytest.mark.parametrize("extra", [1, 20, 299])
def test_the_last_piece_is_long_enough_too(extra):
    page = "".join(f"{number:05d} {'x' * 93}\n" for number in range(12)) + "y" * extra
    assert min(len(piece) for piece in cut(page)) >= SHORTEST


@pytest.mark.parametrize(
    "line",
    ["字" * 5000, "x" * 5000, "ab" * 2500 + "\n", "😀" * 3000, "e\u0301" * 3000, "\ud800" * 3000],
    ids=["cjk", "latin", "with an end", "emoji", "accents", "halves"],
)
def test_one_huge_line_without_spaces_is_cut_in_the_longest_pieces(line):
    pieces = cut(line)
    assert "".join(pieces) == line
    assert len(pieces) == -(-len(line) // LONGEST)


@pytest.mark.parametrize(
    ("sentence", "ends"),
    [
        ("这是一个很长的句子，说的是花园里的树。", "。，"),
        ("This is a sentence about the trees in the garden. ", " "),
        ("no,spaces;here,", ",;"),
    ],
)
def test_one_huge_line_is_cut_after_sentences_or_words(sentence, ends):
    pieces = cut(sentence * 200)
    assert "".join(pieces) == sentence * 200
    assert all(len(piece) >= SHORTEST for piece in pieces[:-1])
    if ends != ",;":
        assert all(piece[-1] in ends for piece in pieces)


def computed(position, role, raw, tool=None):
    return Computed(position, 9, position, role, tool, "whole", "", len(raw), text_of(raw), (), "f")


def test_the_words_of_a_turn_are_one_passage_and_each_output_has_its_own():
    rows = [computed(0, "user", "where"), computed(1, "tool", "look\nhere", "look"), computed(2, "assistant", "there")]
    rows += [computed(3, "tool", "look\nagain", "look"), computed(4, "tool", "", "hide"), computed(5, "system", " \n ")]
    passages = turn_passages(9, rows)
    assert [(each.kind, each.text.text) for each in passages] == [
        *(("words", "where\nthere"), ("output", "look\nhere"), ("output", "look\nagain"))
    ]
    assert len({each.passage for each in passages}) == 3
    assert passages == turn_passages(9, rows)


def test_long_words_are_cut_segment_by_segment_and_outputs_line_by_line():
    rows = [
        computed(0, "user", LINE * 40),
        computed(1, "assistant", LINE * 20),
        computed(2, "tool", f"{LINE}\n" * 100, "look"),
    ]
    passages = turn_passages(9, rows)
    words = [each.text for each in passages if each.kind == "words"]
    outputs = [each.text for each in passages if each.kind == "output"]
    assert "".join(text.text for text in words) == LINE * 60
    assert "".join(text.text for text in outputs) == f"{LINE}\n" * 100
    assert all(len(text) <= LONGEST for text in (*words, *outputs))
    assert all(text.text.endswith("\n") for text in outputs)


def test_a_turn_with_nothing_computed_has_no_passages():
    assert turn_passages(9, []) == []
    assert turn_passages(9, [computed(0, "user", ""), computed(1, "tool", " ", "look")]) == []


def cut_output(raw):
    found = list(pieces(text_of(raw)))
    for piece in found:
        assert "".join(raw[span.raw_start : span.raw_end] for span in piece.spans) == piece.text
    return [piece.text for piece in found]


@given(TEXTS)
@settings(max_examples=40, deadline=None)
def test_the_pieces_of_an_output_hold_all_its_words_in_order_and_none_is_too_long(raw):
    found = cut_output(raw)
    assert "".join("".join(found).split()) == "".join(raw.split())
    assert all(piece.strip() and len(piece) <= LONGEST_PIECE for piece in found)


def test_a_sentence_in_an_output_is_a_piece_and_short_things_come_together():
    menu = "Home\nNews\nSport\n"
    said = "- 用户: 我刚才路过的医院是一家胸科医院。\n"
    told = "The ferry to Naxos leaves at seven.\n"
    assert cut_output(menu + said + told + menu) == [menu, said, told, menu]


def test_a_long_paragraph_of_an_output_is_cut_after_sentences():
    sentence = "The garden behind the house is full of old trees, and nobody has cut them for years. "
    found = cut_output(sentence * 20)
    assert len(found) > 5
    assert all(piece.endswith("years. ") for piece in found)


def test_many_short_lines_of_an_output_do_not_become_a_piece_each():
    table = "".join(f"row {number}\n" for number in range(1000))
    assert 60 < len(cut_output(table)) < 120
    code = "".join(f"    call_of_number({number});\n" for number in range(100))
    assert len(cut_output(code)) < 40
