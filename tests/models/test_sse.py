"""The answer reader: the same events however the bytes are cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from homeagent.models.sse import AnswerReader

TEXTS = st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1), max_size=5)


def read(pieces: list[bytes]) -> tuple[list[str], str]:
    reader = AnswerReader()
    found = [text for piece in pieces for text in reader.feed(piece)]
    return found + reader.finish(), reader.other


@given(TEXTS, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.integers(0, 200), max_size=8))
def test_events_do_not_depend_on_where_the_bytes_are_cut(texts, end, places) -> None:
    content = "".join(f": c{end}event: x{end}data: {text}{end}{end}" for text in texts).encode()
    cuts = sorted({min(place, len(content)) for place in places})
    pieces = [content[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(content)], strict=True)]

    assert read(pieces) == ([text.strip() for text in texts], "")


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_error(content) -> None:
    assert read([content[:100], content[100:]]) == read([content])


def test_an_event_of_several_lines_is_one_text() -> None:
    assert read([b'data: {"a":\ndata: 1}\n\n'])[0] == ['{"a":\n1}']


def test_what_is_no_event_is_kept_apart() -> None:
    assert read([b'{\n  "choices": []\n}']) == ([], '{\n  "choices": []\n}')
