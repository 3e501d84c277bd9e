"""Making the computed half again from the log: to put it in place, or to prove that it would be the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from homeagent.memory.derive import Deriver
from homeagent.memory.lease import Lease
from homeagent.memory.store.sqlite.derived import SqliteDerived
from homeagent.memory.store.sqlite.derived_compare import compared

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from homeagent.memory.door.door import CleanerRunner
    from homeagent.memory.embed.protocol import Embedder
    from homeagent.memory.store.protocols import DerivedStore, LogStore

__all__ = ["RebuildReport", "Rebuilder"]

_SAMPLE = 200
"""How many vectors are made anew when a rebuild is verified; the others are taken over from the live file."""


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild made: rows of each table; with ``verify``, whether they equal the live ones and where they do not.

    ``recomputed`` counts the vectors that were made anew rather than taken over.
    """

    equal: bool | None
    rows: dict[str, int]
    differences: tuple[str, ...]
    recomputed: int


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

    def verify(self, progress: Callable[[str, int, int], None] | None = None) -> RebuildReport:
        """Make it all again beside the live file and compare row by row; the live file stays as it is."""
        path = self._derived.path.with_name("derived.verify.db")
        try:
            fresh = self._made(path, self._sample(), progress)
            with self._lease.held():
                self._deriver(self._derived, self._lease).catch_up()
                recomputed = self._finished(fresh, path)
                rows, differences = compared(self._derived.path, path)
        finally:
            _remove(path)
        return RebuildReport(not differences, rows, tuple(differences), recomputed)

    def replace(self, progress: Callable[[str, int, int], None] | None = None) -> RebuildReport:
        """Make it all again and put it in the live file's place; until then the live one goes on being used."""
        path = self._derived.path.with_name("derived.new.db")
        try:
            fresh = self._made(path, frozenset(), progress)
            with self._lease.held():
                recomputed = self._finished(fresh, path)
                rows, _ = compared(path, path)
                self._derived.replace_by(path)
        finally:
            _remove(path)
        return RebuildReport(None, rows, (), recomputed)

    def _made(
        self, path: Path, anew: frozenset[bytes], progress: Callable[[str, int, int], None] | None
    ) -> SqliteDerived:
        _remove(path)
        fresh = SqliteDerived(path)
        deriver = self._deriver(fresh, Lease(_lock(path)))
        deriver.catch_up(progress=None if progress is None else lambda done, left: progress("text", done, left))
        if self._embedder.dimensions:
            fresh.adopt_vectors(self._derived.path, self._embedder.model_id, anew)
        return fresh

    def _finished(self, fresh: SqliteDerived, path: Path) -> int:
        """Bring the fresh file to the log's end, embed what it could not take over, close it; count those vectors."""
        deriver = self._deriver(fresh, Lease(_lock(path)))
        deriver.catch_up()
        model = self._embedder.model_id
        before = len(fresh.vector_keys(model))
        while deriver.embed():
            pass
        made = len(fresh.vector_keys(model)) - before
        fresh.set_meta("model", model if self._embedder.dimensions else "")
        fresh.close()
        return made

    def _sample(self) -> frozenset[bytes]:
        keys = self._derived.vector_keys(self._embedder.model_id)
        return frozenset(keys[:: max(1, len(keys) // _SAMPLE)][:_SAMPLE])

    def _deriver(self, derived: DerivedStore, lease: Lease) -> Deriver:
        return Deriver(self._log, derived, self._embedder, self._cleaners, lease)


def _lock(path: Path) -> Path:
    return path.with_suffix(".lock")


def _remove(path: Path) -> None:
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm"), _lock(path)):
        name.unlink(missing_ok=True)
