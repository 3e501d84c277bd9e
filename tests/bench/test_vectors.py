"""Vectors that are remembered: asked for once, and whole even after a run was cut off."""

from __future__ import annotations

import numpy as np

from bench.vectors import HashedEmbedder, RememberingEmbedder
from homeagent.memory import Memory, Place, Segment, Turn
from homeagent.memory.compute import QueryText
from homeagent.memory.embed import NoEmbedder


class CountingEmbedder(HashedEmbedder):
    """Counts what it is asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def passages(self, texts):
        self.asked += len(texts)
        return super().passages(texts)


def texts(tmp_path, *words):
    """Return words as compute text, by way of a memory."""
    with Memory.open(tmp_path / "words", embedder=NoEmbedder()) as memory:
        turns = [memory.keep(Turn(Place("bench", "c"), "a", (Segment("user", each),))) for each in words]
        return [memory.computed(turn)[0].text for turn in turns]


def test_a_text_is_embedded_once(tmp_path) -> None:
    inner = CountingEmbedder()
    embedder = RememberingEmbedder(inner)
    one, two = texts(tmp_path, "one", "two")
    first = embedder.passages([one, two, one])
    second = embedder.passages([two])
    assert inner.asked == 2
    assert np.array_equal(first[1], second[0])
    assert embedder.passages([]).shape == (0, inner.dimensions)


def test_vectors_outlive_the_run_in_a_folder(tmp_path) -> None:
    one, two = texts(tmp_path, "one", "two")
    made = RememberingEmbedder(HashedEmbedder(), tmp_path / "cache").passages([one, two])
    inner = CountingEmbedder()
    again = RememberingEmbedder(inner, tmp_path / "cache").passages([two, one])
    assert inner.asked == 0
    assert np.array_equal(again[::-1], made)


def test_a_run_that_was_cut_off_leaves_whole_vectors_only(tmp_path) -> None:
    one, two, three = texts(tmp_path, "one", "two", "three")
    RememberingEmbedder(HashedEmbedder(), tmp_path / "cache").passages([one, two])
    with (tmp_path / "cache" / "bench-hashed-64.vectors").open("ab") as file:
        file.write(b"\0" * 100)
    inner = CountingEmbedder()
    embedder = RememberingEmbedder(inner, tmp_path / "cache")
    found = embedder.passages([one, two, three])
    assert inner.asked == 1
    assert np.array_equal(found, HashedEmbedder().passages([one, two, three]))
    last = RememberingEmbedder(CountingEmbedder(), tmp_path / "cache").passages([three])
    assert np.array_equal(last[0], found[2])


def test_two_runs_may_add_to_the_same_folder(tmp_path) -> None:
    one, two = texts(tmp_path, "one", "two")
    first = RememberingEmbedder(HashedEmbedder(), tmp_path / "cache")
    second = RememberingEmbedder(HashedEmbedder(), tmp_path / "cache")
    made = [first.passages([one])[0], second.passages([two])[0]]
    inner = CountingEmbedder()
    found = RememberingEmbedder(inner, tmp_path / "cache").passages([one, two])
    assert inner.asked == 0
    assert np.array_equal(found, made)


def test_the_tiny_embedder_makes_unit_vectors_that_share_words(tmp_path) -> None:
    cat, cats, dog = HashedEmbedder().passages(texts(tmp_path, "the cat sat", "sat the cat", "a dog ran"))
    assert np.isclose(np.linalg.norm(cat), 1)
    assert np.isclose(cat @ cats, 1)
    assert cat @ dog < 0.9
    assert np.array_equal(HashedEmbedder().query(QueryText("the cat sat")), cat)
