"""Search among the vectors of the memory: a disposable copy in RAM of what the derived database holds.

Up to some thousands of visible vectors every one is compared. Above that ``turbovec`` (4-bit codes, after "TurboQuant",
Zandieh et al., 2025) proposes candidates among the visible ones and these are compared exactly; without that optional
package every vector is compared at any size. Who may see what is applied before the search, so it costs no hits.

Measured on 2 busy cores, 100,000 vectors of 384 numbers: 4 ms and 150 MB; without turbovec 20 ms and 160 MB.
"""

from __future__ import annotations

import importlib.util
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray
    from turbovec import TurboQuantIndex

__all__ = ["VectorHits", "VectorIndex"]

_Kind = TypeVar("_Kind", bound=np.generic)

_BLOCK: Final = 1024
"""Rows brought to float32 at a time; larger blocks leave the processor's cache and take three times as long."""

_EXACT: Final = 4096
"""Up to so many visible vectors all are compared (3 ms)."""

_SAMPLE: Final = 2048
"""Vectors that the codes are fitted to."""

_TIE: Final = np.float32(1e-5)
"""More than float32 sums of one product can differ by, depending on where a row lies in its block."""

_NOBODY: Final = -1
"""Group of a removed row."""


@dataclass(frozen=True, slots=True)
class VectorHits:
    """What a search found.

    ``ids`` ``int64, (k,)`` and ``scores`` ``float32, (k,)``: exact cosines to the stored vectors, the best first, equal
    ones by id. ``among``: how many vectors were visible.
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]
    among: int


class VectorIndex:
    """A set of unit vectors, each with an id and an audience group. Safe to share between threads.

    Stored in float16 (a cosine is off by at most 5e-4), or in float32 where ``turbovec`` can't be used, because numpy
    multiplies that four times faster. ``coarse`` False compares every vector at any size.
    """

    def __init__(self, dimensions: int, *, coarse: bool = True) -> None:
        if dimensions < 0:
            raise ValueError(f"dimensions can't be negative, got {dimensions}")
        self._dimensions = dimensions
        self._coarse = _Coarse(dimensions) if coarse and _Coarse.can_be_used(dimensions) else None
        self._vectors: NDArray[np.float16 | np.float32]
        self._vectors = np.zeros((0, dimensions), np.float16 if self._coarse else np.float32)
        self._ids = np.zeros(0, np.int64)
        self._groups = np.zeros(0, np.int32)
        self._count = 0
        self._row_of: dict[int, int] = {}
        self._group_numbers: dict[int, int] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, id_: int) -> bool:
        return id_ in self._row_of

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.float32 | np.float16], groups: NDArray[np.int64]) -> None:
        """Add ``vectors`` ``(n, dimensions)``, L2-normalised, with one id and one group each.

        An id that is there already gets the new vector and group. Raises `ValueError`, and changes nothing, when the
        shapes don't fit, an id comes twice, or a vector is not of length 1.
        """
        if vectors.shape != (len(ids), self._dimensions) or len(groups) != len(ids):
            raise ValueError(
                f"expected {len(ids)} groups and vectors of {self._dimensions} numbers, "
                f"got {len(groups)} groups and vectors of shape {vectors.shape}"
            )
        if len(np.unique(ids)) != len(ids):
            raise ValueError("an id comes twice in one call")
        _check_unit(vectors)
        with self._lock:
            self._drop([int(id_) for id_ in ids])
            self._append(ids, vectors, groups)
            if self._coarse is not None:
                self._coarse.catch_up(self._vectors[: self._count])

    def remove(self, ids: Collection[int] | NDArray[np.int64]) -> None:
        """Remove these ids; one that is not there is passed over. The numbers themselves are wiped at once."""
        with self._lock:
            self._drop([int(id_) for id_ in ids])
            dead = self._count - len(self._row_of)
            if dead > max(_EXACT, self._count // 4):
                self._compact()

    def search(self, query: NDArray[np.float32], *, allowed_groups: Collection[int] | None, limit: int) -> VectorHits:
        """Return the ``limit`` vectors of ``allowed_groups`` (None: of all) nearest to ``query`` ``(dimensions,)``.

        Above 4,096 visible vectors the candidates come from 4-bit codes (recall 1.0 of the first 10 among 100,000 in
        our measurements). Raises `ValueError` when the query is not of length 1 or has other dimensions.
        """
        query = self._checked(query)
        with self._lock:
            visible = self._visible(allowed_groups)
            among = int(np.count_nonzero(visible))
            if among == 0 or self._dimensions == 0:
                return VectorHits(np.zeros(0, np.int64), np.zeros(0, np.float32), among)
            if self._coarse is None or among <= _EXACT:
                rows = np.flatnonzero(visible)
                rows = _best(rows, self._roughly(rows, query), limit)
            else:
                rows = self._candidates(visible, query, limit)
            ids, scores = self._ranked(rows, query, limit)
        return VectorHits(ids, scores, among)

    def vectors_of(self, ids: Collection[int] | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the stored vectors of these ids, ``float32, (n, dimensions)``; a row of NaN for an id without one."""
        with self._lock:
            rows = np.array([self._row_of.get(int(id_), -1) for id_ in ids], np.int64)
            found = np.full((len(rows), self._dimensions), np.nan, np.float32)
            found[rows >= 0] = self._vectors[rows[rows >= 0]]
        return found

    def scores_of(self, query: NDArray[np.float32], ids: Collection[int] | NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the exact cosines of ``query`` to these ids, ``float32, (n,)``; NaN for an id without a vector.

        Raises `ValueError` when the query is not of length 1 or has other dimensions.
        """
        query = self._checked(query)
        with self._lock:
            rows = np.array([self._row_of.get(int(id_), -1) for id_ in ids], np.int64)
            scores = np.full(len(rows), np.nan, np.float32)
            scores[rows >= 0] = self._exactly(rows[rows >= 0], query)
        return scores

    def _checked(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        if query.shape != (self._dimensions,):
            raise ValueError(f"expected a query of {self._dimensions} numbers, got shape {query.shape}")
        _check_unit(query[None])
        return np.ascontiguousarray(query, np.float32)

    def _drop(self, ids: list[int]) -> None:
        rows = [row for id_ in ids if (row := self._row_of.pop(id_, None)) is not None]
        self._groups[rows] = _NOBODY
        self._vectors[rows] = 0

    def _append(
        self, ids: NDArray[np.int64], vectors: NDArray[np.float32 | np.float16], groups: NDArray[np.int64]
    ) -> None:
        start, end = self._count, self._count + len(ids)
        if end > len(self._ids):
            room = max(end, self._count + self._count // 2)
            self._vectors = _grown(self._vectors, room)
            self._ids = _grown(self._ids, room)
            self._groups = _grown(self._groups, room)
        self._vectors[start:end] = vectors
        self._ids[start:end] = ids
        numbers = self._group_numbers
        self._groups[start:end] = [numbers.setdefault(group, len(numbers)) for group in groups.tolist()]
        self._row_of.update(zip(ids.tolist(), range(start, end), strict=True))
        self._count = end

    def _compact(self) -> None:
        """Close the gaps that removed rows left. The codes are made anew."""
        kept = np.flatnonzero(self._groups[: self._count] != _NOBODY)
        self._vectors, self._ids, self._groups = self._vectors[kept], self._ids[kept], self._groups[kept]
        self._count = len(kept)
        self._row_of = {id_: row for row, id_ in enumerate(self._ids.tolist())}
        if self._coarse is not None:
            self._coarse.clear()
            self._coarse.catch_up(self._vectors)

    def _visible(self, allowed_groups: Collection[int] | None) -> NDArray[np.bool_]:
        """Return which rows may be seen, ``bool, (rows,)``."""
        seen = np.full(len(self._group_numbers) + 1, allowed_groups is None)
        for group in allowed_groups or ():
            number = self._group_numbers.get(int(group))
            if number is not None:
                seen[number] = True
        seen[_NOBODY] = False  # the last place, where an index of -1 looks
        return seen[self._groups[: self._count]]

    def _candidates(self, visible: NDArray[np.bool_], query: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        coarse = self._coarse
        if coarse is None:
            raise AssertionError("candidates come from the codes")
        coded = coarse.rows
        wanted = 4 * limit + 64
        fresh = coded + np.flatnonzero(visible[coded:])
        nearest = _best(fresh, self._roughly(fresh, query), wanted)
        return np.concatenate([coarse.nearest(query, visible[:coded], wanted), nearest])

    def _roughly(self, rows: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return cosines within `_TIE`, by matrix products."""
        scores = np.empty(len(rows), np.float32)
        if 2 * len(rows) > self._count:  # picking most rows costs more than comparing them all
            every = np.empty(self._count, np.float32)
            for start in range(0, self._count, _BLOCK):
                part = slice(start, min(start + _BLOCK, self._count))
                every[part] = self._vectors[part].astype(np.float32, copy=False) @ query
            return every[rows]
        for start in range(0, len(rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            scores[part] = self._vectors[rows[part]].astype(np.float32, copy=False) @ query
        return scores

    def _exactly(self, rows: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return cosines summed in float64, row by row: equal vectors get equal scores wherever they lie."""
        scores = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            scores[part] = (self._vectors[rows[part]].astype(np.float64) * query).sum(axis=1)
        return scores

    def _ranked(
        self, rows: NDArray[np.int64], query: NDArray[np.float32], limit: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        scores = self._exactly(rows, query)
        ids = self._ids[rows]
        order = np.lexsort((ids, -scores))[: max(limit, 0)]
        return ids[order], scores[order]


class _Coarse:
    """4-bit codes of the first rows of an index, by row.

    Rows added since then are compared exactly: an addition makes turbovec lay out all codes anew (30 ms at 100,000).
    """

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._codes: TurboQuantIndex | None = None
        self._calibrated_on = 0
        self.rows = 0

    @staticmethod
    def can_be_used(dimensions: int) -> bool:
        return dimensions > 0 and dimensions % 8 == 0 and importlib.util.find_spec("turbovec") is not None

    def clear(self) -> None:
        self._codes = None
        self.rows = 0

    def catch_up(self, vectors: NDArray[np.float16 | np.float32]) -> None:
        """Encode the rows that are not yet, when there are enough of them; all of them when they have quadrupled."""
        count = len(vectors)
        if count <= _EXACT or count - self.rows <= max(_EXACT, self.rows // 16):
            return
        if self._codes is None or count > 4 * self._calibrated_on:
            self._codes = self._calibrated(vectors)
            self.rows = 0
        for start in range(self.rows, count, 2 * _BLOCK):
            self._codes.add(vectors[start : start + 2 * _BLOCK].astype(np.float32))
        self.rows = count
        self._codes.prepare()

    def nearest(self, query: NDArray[np.float32], visible: NDArray[np.bool_], wanted: int) -> NDArray[np.int64]:
        """Return up to ``wanted`` visible rows that look nearest."""
        if self._codes is None or not visible.any():
            return np.zeros(0, np.int64)
        mask = None if visible.all() else visible  # a mask doubles the time
        _scores, rows = self._codes.search(query[None], k=wanted, mask=mask)
        nearest: NDArray[np.int64] = np.asarray(rows[0], np.int64)
        return nearest

    def _calibrated(self, vectors: NDArray[np.float16 | np.float32]) -> TurboQuantIndex:
        """Return empty codes fitted to a sample: vectors of e5 lie in a narrow cone, and unfitted recall is .94."""
        from turbovec import TurboQuantIndex

        codes = TurboQuantIndex(dim=self._dimensions, bit_width=4)
        kept = np.flatnonzero(vectors.any(axis=1))  # without the wiped ones
        chosen = np.random.default_rng(0).choice(kept, min(len(kept), _SAMPLE), replace=False)
        if len(chosen):
            codes.calibrate(vectors[np.sort(chosen)].astype(np.float32))
        self._calibrated_on = len(vectors)
        return codes


def _best(rows: NDArray[np.int64], scores: NDArray[np.float32], wanted: int) -> NDArray[np.int64]:
    """Return the rows of the ``wanted`` best scores and of all that may be equal to the last of them."""
    if wanted >= len(rows):
        return rows
    if wanted <= 0:
        return rows[:0]
    last = np.partition(scores, len(scores) - wanted)[len(scores) - wanted]
    near: NDArray[np.int64] = rows[scores >= last - 2 * _TIE]
    return near


def _check_unit(vectors: NDArray[np.float32 | np.float16]) -> None:
    """Raise `ValueError` unless every row has length 1 (within what float16 allows) and holds numbers only."""
    for start in range(0, len(vectors) if vectors.shape[1] else 0, _BLOCK):
        block = vectors[start : start + _BLOCK].astype(np.float32)
        if not (np.abs(np.einsum("ij,ij->i", block, block) - 1) < 0.01).all():
            raise ValueError("a vector is not L2-normalised; divide it by its length first")


def _grown(array: NDArray[_Kind], room: int) -> NDArray[_Kind]:
    grown = np.zeros((room, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
