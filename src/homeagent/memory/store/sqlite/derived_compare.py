"""Whether two derived files hold the same, row by row."""

from __future__ import annotations

import itertools
import sqlite3
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["TABLES", "compared"]

TABLES = {
    "computed": "SELECT * FROM computed ORDER BY segment",
    "chat": "SELECT * FROM chat ORDER BY chat",
    "audience": "SELECT * FROM audience ORDER BY audience",
    "scope": "SELECT * FROM scope ORDER BY scope",
    "turn": "SELECT * FROM turn ORDER BY seq",
    "passage": "SELECT * FROM passage ORDER BY passage",
    "terms": "SELECT rowid, * FROM terms ORDER BY rowid",
    "embedded": "SELECT * FROM embedded ORDER BY text_key",
    "copied_run": "SELECT * FROM copied_run ORDER BY chat, own, gram, segment, context",
    "copied_unit": "SELECT * FROM copied_unit ORDER BY chat, own, unit, segment",
    "document": "SELECT * FROM document ORDER BY document",
    "document_turn": "SELECT * FROM document_turn ORDER BY document, position",
    "document_part": "SELECT * FROM document_part ORDER BY document, kind, position",
    "document_term": "SELECT * FROM document_term ORDER BY document, term",
    "fact": "SELECT * FROM fact ORDER BY source, position",
    "mention": "SELECT * FROM mention ORDER BY source, position",
}
"""What of a derived file is compared exactly; vectors are compared by their angle, queues and counters not at all."""

_VECTORS = "SELECT model, text_key, data FROM vector WHERE model = ? ORDER BY text_key"
_LEAST_COSINE = 1.0 - 1e-4


def compared(one: Path, other: Path, model: str) -> tuple[dict[str, int], list[str]]:
    """Return how many rows of each table were compared, and the first difference of each table that has one."""
    left, right = _opened(one), _opened(other)
    rows: dict[str, int] = {}
    differences: list[str] = []
    try:
        for table, sql in TABLES.items():
            pairs = itertools.zip_longest(left.execute(sql), right.execute(sql))
            rows[table] = _compare(table, pairs, differences)
        pairs = itertools.zip_longest(left.execute(_VECTORS, (model,)), right.execute(_VECTORS, (model,)))
        rows["vector"] = _compare_vectors(pairs, differences)
    finally:
        left.close()
        right.close()
    return rows, differences


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


def _compare(table: str, pairs: Iterator[tuple[object, object]], differences: list[str]) -> int:
    count = 0
    same = True
    for mine, theirs in pairs:
        count += 1
        if same and mine != theirs:
            same = False
            differences.append(f"{table}, row {count}: {_shown(mine)} is {_shown(theirs)} when derived again")
    return count


def _compare_vectors(pairs: Iterator[tuple[object, object]], differences: list[str]) -> int:
    count = 0
    same = True
    for mine, theirs in pairs:
        count += 1
        if same and not _alike(mine, theirs):
            same = False
            differences.append(f"vector, row {count}: {_shown(mine)} is {_shown(theirs)} when derived again")
    return count


def _alike(mine: object, theirs: object) -> bool:
    match mine, theirs:
        case (str(), bytes(), bytes(one)), (str(), bytes(), bytes(other)):
            if mine[:2] != theirs[:2] or len(one) != len(other):
                return False
            first, second = (np.frombuffer(data, dtype="<f2").astype(np.float64) for data in (one, other))
            length = float(np.linalg.norm(first) * np.linalg.norm(second))
            return length > 0 and float(first @ second) / length >= _LEAST_COSINE
        case _:
            return False


def _shown(row: object) -> str:
    """Return a row's key for a message: no text of it, a message may be logged."""
    return repr(row[0]) if isinstance(row, tuple) else "no row"
