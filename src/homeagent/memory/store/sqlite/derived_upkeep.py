"""Upkeep of ``derived.db`` between times: the full-text index's small segments merged, the WAL folded into the file.

FTS5 and SQLite would do both inside whichever commit comes next. Then every twentieth `keep` would wait for it; so the
commits leave it to the background, and do it themselves only when far too much is left over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from homeagent.memory.store.sqlite import derived_index
from homeagent.memory.store.sqlite.derived_graph import DerivedGraph

if TYPE_CHECKING:
    import sqlite3

__all__ = ["DerivedUpkeep", "leave_merging"]

_SEGMENTS: Final = 100
"""So many full-text segments of one size are merged by the commit that makes one more (FTS5's own figure: 16)."""

_PAGES: Final = 64
"""Pages that one step of merging writes: some milliseconds."""


def leave_merging(connection: sqlite3.Connection) -> None:
    """Tell the full-text index not to merge its segments inside commits; it remembers that in its own table."""
    found = dict(connection.execute("SELECT k, v FROM terms_config"))
    if (found.get("automerge"), found.get("crisismerge")) != (0, _SEGMENTS):
        connection.execute("INSERT INTO terms(terms, rank) VALUES ('automerge', 0)")
        connection.execute("INSERT INTO terms(terms, rank) VALUES ('crisismerge', ?)", (_SEGMENTS,))


class DerivedUpkeep(DerivedGraph):
    """The part of `SqliteDerived` that nothing waits for."""

    def merge_terms(self) -> bool:
        """Leave no deleted term in the full-text index; say whether there was something to do."""
        with self._database.read() as connection:
            if not derived_index.is_unmerged(connection):
                return False
        with self._database.write() as connection:
            return derived_index.merge_terms(connection)

    def merge_some(self) -> bool:
        """Merge some small segments of the full-text index, of one size; say whether there may be more."""
        with self._database.write() as connection:
            leave_merging(connection)
            before = connection.total_changes
            connection.execute("INSERT INTO terms(terms, rank) VALUES ('merge', ?)", (_PAGES,))
            return connection.total_changes - before > 1  # less says that there was nothing (FTS5's documentation)

    def damages(self) -> list[str]:
        """Return what is wrong inside the full-text index, a sentence each."""
        with self._database.write() as connection:
            return derived_index.damages(connection)

    def fold(self) -> None:
        """Write what the WAL holds into the file, as far as nobody reads it, and let nobody wait."""
        self._database.fold()
