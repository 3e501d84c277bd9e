"""Making the computed half again from the log: to put it in place, or to prove that it would be the same."""

from __future__ import annotations

import contextlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from homeagent.errors import DamagedError, StoreError
from homeagent.memory.derive import Deriver
from homeagent.memory.distil.keys import DISTIL_VERSION
from homeagent.memory.distilling import RULES
from homeagent.memory.embed.protocol import makes_vectors
from homeagent.memory.lease import Lease, remove_unheld
from homeagent.memory.store.sqlite.derived import SqliteDerived
from homeagent.memory.store.sqlite.derived_compare import compared
from homeagent.paths import make_private

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from homeagent.memory.door.door import CleanerRunner
    from homeagent.memory.embed.protocol import Embedder
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore

__all__ = ["RebuildReport", "Rebuilder"]

_WAIT_SECONDS = 1.0
_TRIES = 50
_LEAST_COSINE = 1.0 - 1e-4

_SAMPLE = 200
"""How many vectors are made anew when a rebuild is verified; the others are taken over from the live file."""


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild made: rows of each table; with ``verify``, whether they equal the live ones and where they do not.

    ``recomputed`` counts the vectors that were made anew rather than taken over, ``carried`` the computed rows that
    were taken over because the cleaner that made them can't be run any more.
    """

    equal: bool | None
    rows: dict[str, int]
    differences: tuple[str, ...]
    recomputed: int
    carried: int = 0


class Rebuilder:
    """Derives a whole new file beside the live one."""

    def __init__(
        self, log: LogStore, derived: DerivedStore, embedder: Embedder, cleaners: CleanerRunner, lease: Lease
    ) -> None:
        self._log = log
        self._derived = derived
        self._embedder = embedder
        self._cleaners = cleaners
        self._lease = lease
        self._carried = 0

    def verify(self, progress: Callable[[str, int, int], None] | None = None) -> RebuildReport:
        """Make it all again beside the live file and compare row by row; the live file stays as it is."""
        path = self._derived.path.with_name("derived.verify.db")
        with self._alone(path) as lease:
            fresh = self._made(path, lease, self._sample(), progress)
            with self._lease.held():
                self._level(fresh, lease)
                recomputed = self._finished(fresh, lease)
                rows, differences = compared(self._derived.path, path, self._embedder.model_id)
                differences += self._derived.damages()
        return RebuildReport(not differences, rows, tuple(differences), recomputed, self._carried)

    def replace(self, progress: Callable[[str, int, int], None] | None = None) -> RebuildReport:
        """Make it all again and put it in the live file's place; until then the live one goes on being used.

        Vectors are taken over for the same texts, unless a sample of them turns out to be wrong.
        """
        path = self._derived.path.with_name("derived.new.db")
        with self._alone(path) as lease:
            fresh = self._made(path, lease, self._doubtful(), progress)
            with self._lease.held():
                self._deriver(fresh, lease).catch_up()
                recomputed = self._finished(fresh, lease, after=self._newest_change())
                rows, _ = compared(path, path, self._embedder.model_id)
                self._derived.replace_by(path)
        return RebuildReport(None, rows, (), recomputed, self._carried)

    @contextmanager
    def _alone(self, path: Path) -> Iterator[Lease]:
        """Let one process at a time make ``path``; whatever becomes of it, nothing of it stays behind."""
        lock = path.with_suffix(".lock")
        try:
            with (lease := Lease(lock)).held(_WAIT_SECONDS) as held:
                if not held:
                    raise StoreError(str(path), "is being made by another rebuild", "Wait for it to end, or stop it")
                try:
                    yield lease
                finally:
                    _remove(path)
        finally:
            remove_unheld(lock)

    def _made(
        self,
        path: Path,
        lease: Lease,
        anew: Collection[bytes] | None,
        progress: Callable[[str, int, int], None] | None,
    ) -> SqliteDerived:
        """Derive all but the vectors, and take those over but for the keys in ``anew`` (None: take over none)."""
        _remove(path)
        make_private(path)
        fresh = SqliteDerived(path)
        deriver = self._deriver(fresh, lease)
        deriver.catch_up(progress=None if progress is None else lambda done, left: progress("text", done, left))
        self._carried = deriver.carried
        _distil(deriver)
        if makes_vectors(self._embedder) and anew is not None:
            with contextlib.suppress(DamagedError):  # then they are made anew
                fresh.adopt_vectors(self._derived.path, self._embedder.model_id, anew)
        return fresh

    def _level(self, fresh: SqliteDerived, lease: Lease) -> None:
        """Bring both files to the same end of the log, which others may go on writing to."""
        live, other = self._deriver(self._derived, self._lease), self._deriver(fresh, lease)
        for _ in range(_TRIES):
            end = self._log.last_seq()
            live.catch_up()
            other.catch_up()
            if self._log.last_seq() == end:
                break
        _distil(live)
        while live.embed():
            pass

    def _finished(self, fresh: SqliteDerived, lease: Lease, after: int = 0) -> int:
        """Make the facts, embed what could not be taken over, close the fresh file; count those vectors."""
        deriver = self._deriver(fresh, lease)
        _distil(deriver)
        model = self._embedder.model_id
        before = len(fresh.vector_keys(model))
        while deriver.embed():
            pass
        made = len(fresh.vector_keys(model)) - before
        fresh.set_meta("model", model)
        fresh.set_meta(RULES, DISTIL_VERSION)
        fresh.merge_terms()
        fresh.note_all_changed(after)
        if not fresh.compacted:  # something may have been erased after it had come in
            fresh.compact()
        fresh.close()
        return made

    def _newest_change(self) -> int:
        try:
            return self._derived.changes(0)[0]
        except DamagedError:
            return 1 << 40

    def _doubtful(self) -> frozenset[bytes] | None:
        """Return no keys when a sample of the live vectors is right, else None: then none is taken over."""
        model = self._embedder.model_id
        try:
            texts = {key: text for key in self._sample() if (text := self._derived.embedded_text(key)) is not None}
            stored = [self._derived.vector(model, key) for key in texts]
        except DamagedError:
            return None
        if not texts:
            return frozenset()
        fresh = self._embedder.passages(list(texts.values()))
        for data, vector in zip(stored, fresh, strict=True):
            kept = np.frombuffer(data or b"", dtype="<f2").astype(np.float32)
            if kept.shape != vector.shape or float(kept @ vector) < _LEAST_COSINE * float(np.linalg.norm(kept)):
                return None
        return frozenset()

    def _sample(self) -> frozenset[bytes]:
        """Return up to `_SAMPLE` keys of live vectors, spread evenly."""
        keys = self._derived.vector_keys(self._embedder.model_id)
        return frozenset(keys[:: max(1, len(keys) // _SAMPLE)][:_SAMPLE])

    def _deriver(self, derived: DerivedStore, lease: Lease) -> Deriver:
        return Deriver(self._log, derived, self._embedder, self._cleaners, lease, self._derived)


def _distil(deriver: Deriver) -> None:
    while deriver.distil():
        pass


def _remove(path: Path) -> None:
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        name.unlink(missing_ok=True)
