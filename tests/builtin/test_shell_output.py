from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from homeagent.builtin.shell.output import BoundedOutput, as_text


def collected(data: bytes, limit: int, step: int) -> BoundedOutput:
    output = BoundedOutput(limit)
    for start in range(0, len(data), step):
        output.add(data[start : start + step])
    return output


@given(st.binary(max_size=300), st.integers(300, 400), st.integers(1, 50))
def test_what_fits_is_kept_whole(data: bytes, limit: int, step: int) -> None:
    assert collected(data, limit, step).text() == data.decode("utf-8", "backslashreplace")


@given(st.text(alphabet="aé你🙂", min_size=150, max_size=300), st.integers(20, 60), st.integers(1, 50))
def test_a_cut_breaks_no_character_and_counts_what_is_gone(text: str, limit: int, step: int) -> None:
    data = text.encode()
    found = collected(data, limit, step).text()
    beginning, _, rest = found.partition("\n[... ")
    end = rest.partition("...]\n")[2]
    assert text.startswith(beginning)
    assert text.endswith(end)
    assert "\\x" not in found
    cut = len(data) - len(beginning.encode()) - len(end.encode())
    assert f"{cut:,} of {len(data):,} bytes" in found


@given(st.binary(max_size=60_000 // 100).map(lambda data: data * 60))
def test_pieces_give_the_same_text_as_the_whole(data: bytes) -> None:
    assert as_text(data) == data.decode("utf-8", "backslashreplace")


def test_memory_stays_bounded_whatever_comes() -> None:
    output = collected(b"x" * 3_000_000, 10_000, 65_536)
    assert len(output.text()) < 10_300
    assert output.last_line() == "x" * 1000
