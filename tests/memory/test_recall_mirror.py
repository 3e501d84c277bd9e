"""The copy that recall keeps: lengths of passages, looked up many at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from homeagent.memory.recall.mirror import Lengths

PUTS = st.lists(st.tuples(st.integers(1, 60), st.integers(-1, 50)), max_size=80)


@given(puts=PUTS)
def test_lengths_are_those_that_were_put_last(puts):
    lengths, known = Lengths(), {}
    for passage, words in puts:
        lengths.put(passage << 20, words, -1 if words < 0 else words + 1, words % 2 > 0)
        known[passage << 20] = words
    asked = np.array(sorted({*known, 5, 70 << 20}), np.int64)
    there = lengths.known(asked)
    assert there.tolist() == [known.get(passage, -1) >= 0 for passage in asked.tolist()]
    found = asked[there]
    assert lengths.of(found, "words").tolist() == [known[passage] for passage in found.tolist()]
    assert lengths.of(found, "bigrams").tolist() == [known[passage] + 1 for passage in found.tolist()]
    assert lengths.outputs(found).tolist() == [known[passage] % 2 > 0 for passage in found.tolist()]


def test_many_more_than_there_was_room_for():
    lengths = Lengths()
    for passage in range(5_000):
        lengths.put(passage, passage % 7, 1, False)
    assert lengths.of(np.array([0, 4_999], np.int64), "words").tolist() == [0, 4_999 % 7]
