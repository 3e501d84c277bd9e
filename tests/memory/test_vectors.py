"""The vector index against a slow, obvious reference."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homeagent.memory.vectors import VectorIndex

DIMENSIONS = 8


def unit(rows):
    rows = np.asarray(rows, np.float64)
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def random_unit(count, dimensions=DIMENSIONS, seed=0):
    return unit(np.random.default_rng(seed).normal(size=(count, dimensions)) + 0.7)


def filled(count, *, dimensions=DIMENSIONS, groups=1, coarse=True, seed=0):
    index = VectorIndex(dimensions, coarse=coarse)
    ids = np.arange(count, dtype=np.int64)
    index.add(ids, random_unit(count, dimensions, seed), ids % groups)
    return index


def reference(held, query, allowed, limit):
    """What a search must return: every visible vector compared in float64, sorted by score, then id."""
    visible = {id_: vector for id_, (vector, group) in held.items() if allowed is None or group in allowed}
    stored = {id_: vector.astype(np.float16).astype(np.float64) for id_, vector in visible.items()}
    scored = [(-np.float32((vector * query).sum()), id_) for id_, vector in stored.items()]
    cosines = [-score for score, _ in scored]
    return [id_ for _, id_ in sorted(scored)][:limit], cosines


# Few different directions, so that ties happen.
directions = st.lists(st.integers(-2, 2), min_size=DIMENSIONS, max_size=DIMENSIONS).filter(any)
entries = st.tuples(st.integers(-3, 12), directions, st.integers(0, 3))
steps = st.one_of(
    st.tuples(st.just("add"), st.lists(entries, max_size=8, unique_by=lambda entry: entry[0])),
    st.tuples(st.just("remove"), st.lists(st.integers(-3, 12), max_size=4)),
)


@settings(max_examples=150, deadline=None)
@given(
    steps=st.lists(steps, max_size=8),
    query=directions,
    allowed=st.one_of(st.none(), st.sets(st.integers(0, 4))),
    limit=st.integers(1, 6),
)
def test_any_history_of_additions_and_removals_is_searched_like_the_reference(steps, query, allowed, limit):
    index, held = VectorIndex(DIMENSIONS), {}
    for kind, items in steps:
        if kind == "add":
            vectors = unit([item[1] for item in items]).reshape(-1, DIMENSIONS)
            groups = np.array([item[2] for item in items], np.int64)
            index.add(np.array([item[0] for item in items], np.int64), vectors, groups)
            held |= {item[0]: (vector, item[2]) for item, vector in zip(items, vectors, strict=True)}
        else:
            index.remove(items)
            held = {id_: value for id_, value in held.items() if id_ not in items}
    query = unit(query)
    expected, cosines = reference(held, query, allowed, limit)

    hits = index.search(query, allowed_groups=allowed, limit=limit)

    assert len(index) == len(held)
    assert hits.ids.tolist() == expected
    assert hits.among == len(cosines)
    assert hits.scores.tolist() == index.scores_of(query, hits.ids).tolist()


def test_an_empty_index_finds_nothing():
    hits = VectorIndex(DIMENSIONS).search(random_unit(1)[0], allowed_groups=None, limit=5)

    assert (hits.ids.tolist(), hits.scores.tolist(), hits.among) == ([], [], 0)


def test_an_index_without_dimensions_finds_nothing():
    index = VectorIndex(0)
    index.add(np.array([1]), np.empty((1, 0), np.float32), np.array([0]))

    assert index.search(np.empty(0, np.float32), allowed_groups=None, limit=5).ids.tolist() == []


@pytest.mark.parametrize("count", [100, 6000])
@pytest.mark.parametrize("allowed", [[], [99]])
def test_nothing_is_found_when_every_group_is_filtered_out(count, allowed):
    hits = filled(count).search(random_unit(1)[0], allowed_groups=allowed, limit=5)

    assert (hits.ids.tolist(), hits.among) == ([], 0)


def test_equal_vectors_come_in_the_order_of_their_ids_wherever_they_lie():
    index = VectorIndex(384)
    vectors = random_unit(3000, 384)
    vectors[[2900, 17, 1024, 1500]] = vectors[3]
    ids = np.arange(3000)[::-1].copy()
    index.add(ids, vectors, np.zeros(3000, np.int64))

    hits = index.search(vectors[3], allowed_groups=None, limit=5)

    assert hits.ids.tolist() == sorted(ids[[3, 2900, 17, 1024, 1500]].tolist())
    assert len(set(hits.scores.tolist())) == 1


def test_an_id_added_again_has_its_new_vector_and_group_only():
    index = filled(10)
    old, new = random_unit(10)[4], random_unit(1, seed=9)

    index.add(np.array([4]), new, np.array([7]))

    assert len(index) == 10
    assert index.search(new[0], allowed_groups=[7], limit=3).ids.tolist() == [4]
    assert 4 not in index.search(old, allowed_groups=[0], limit=10).ids


def test_an_id_without_a_vector_has_no_score():
    index = filled(5)
    index.remove([3])

    scores = index.scores_of(random_unit(5)[2], [2, 3, 77])

    assert scores[0] == pytest.approx(1.0, abs=1e-3)
    assert np.isnan(scores[1:]).all()


@pytest.mark.parametrize(
    ("ids", "vectors", "message"),
    [
        ([1, 1], random_unit(2), "twice"),
        ([1, 2], random_unit(2) * 3, "L2-normalised"),
        ([1, 2], random_unit(2) * np.nan, "L2-normalised"),
        ([1, 2], random_unit(2, 16), "expected 2 groups"),
    ],
)
def test_what_is_no_set_of_unit_vectors_is_refused_and_changes_nothing(ids, vectors, message):
    index = filled(3)

    with pytest.raises(ValueError, match=message):
        index.add(np.array(ids), vectors, np.zeros(2, np.int64))

    assert len(index) == 3


def test_a_question_of_other_dimensions_is_refused():
    with pytest.raises(ValueError, match="expected a query of 8"):
        filled(3).search(random_unit(1, 16)[0], allowed_groups=None, limit=1)


def test_removing_most_of_a_large_index_keeps_the_rest_and_gives_the_memory_back():
    index = filled(12_000, groups=3)
    gone = [id_ for id_ in range(12_000) if id_ % 4]
    index.remove(gone)
    query = random_unit(12_000)[4000]

    hits = index.search(query, allowed_groups=None, limit=3000)

    assert len(index) == hits.among == 3000
    assert hits.ids[0] == 4000
    assert not set(hits.ids.tolist()) & set(gone)
    assert len(index._vectors) == 3000


@pytest.mark.parametrize("allowed", [None, [0], [0, 1, 2]])
def test_a_large_index_finds_what_comparing_everything_finds(allowed):
    pytest.importorskip("turbovec")
    quick, slow = (filled(20_000, dimensions=64, groups=4, coarse=coarse) for coarse in (True, False))
    late = random_unit(500, 64, seed=5)
    for index in (quick, slow):  # these come after the codes were made
        index.add(np.arange(30_000, 30_500), late, np.arange(500) % 4)
        index.remove(range(0, 2000, 3))

    for query in [*random_unit(20_000, 64)[:20], *late[:20]]:
        found, expected = (index.search(query, allowed_groups=allowed, limit=10) for index in (quick, slow))
        assert found.ids[0] == expected.ids[0]
        assert found.scores == pytest.approx(expected.scores, abs=1e-3)  # one index holds float16, the other float32


def test_a_rebuilt_large_index_gives_the_same_hits_in_any_order_of_insertion():
    vectors, order = random_unit(9000, 64), np.random.default_rng(1).permutation(9000)
    first, second = VectorIndex(64), VectorIndex(64)
    first.add(np.arange(9000), vectors, np.zeros(9000, np.int64))
    for part in np.array_split(order, 7):
        second.add(part, vectors[part], np.zeros(len(part), np.int64))

    one, other = (index.search(vectors[5], allowed_groups=None, limit=20) for index in (first, second))

    assert one.ids.tolist() == other.ids.tolist()
    assert one.scores.tolist() == other.scores.tolist()


def test_threads_may_add_remove_and_search_at_once():
    index = filled(5000, groups=2)
    vectors = random_unit(5000)

    def work(offset):
        for turn in range(30):
            id_ = 10_000 + offset * 100 + turn
            index.add(np.array([id_]), vectors[turn : turn + 1], np.array([5]))
            assert index.search(vectors[turn], allowed_groups=[5], limit=200).ids.tolist().count(id_) == 1
            index.remove([id_])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    assert len(index) == 5000
