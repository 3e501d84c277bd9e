"""The full-text index stays readable however often something was forgotten."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from homeagent.memory import Memory, Place, Segment, Turn
from homeagent.memory.embed import NoEmbedder
from homeagent.memory.store.sqlite import derived_index
from homeagent.memory.store.sqlite.fts_pages import index_levels

MANY = 1100


@pytest.fixture
def home(tmp_path):
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as memory:
        memory.keep(Turn(Place("test", "one"), "ada", (Segment("user", "the kettle whistles"),)))
        words = [" ".join(f"w{7919 * number + each}" for each in range(100)) for number in range(60)]
        memory.keep_all([Turn(Place("test", "one"), "ada", (Segment("user", text),)) for text in words])
        memory.settle()
    return tmp_path / "home"


def levels(connection):
    (block,) = connection.execute("SELECT block FROM terms_data WHERE id = 10").fetchone()
    return index_levels(block)


def forgotten(connection):
    """Do to the index what keeping and forgetting a turn does."""
    connection.execute("INSERT INTO terms(rowid, words) VALUES (999999999, 'secret')")
    connection.commit()
    connection.execute("DELETE FROM terms WHERE rowid = 999999999")
    connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, '1')", (derived_index.UNMERGED,))
    connection.commit()
    assert derived_index.merge_terms(connection)
    connection.commit()


def test_an_index_that_was_merged_more_often_than_sqlite_takes_levels_can_still_be_read(home):
    seen = set()
    with closing(sqlite3.connect(home / "derived.db")) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for _ in range(MANY):
            forgotten(connection)
            seen.add(levels(connection))
    assert 500 < max(seen) < 2000  # it did grow
    with closing(sqlite3.connect(home / "derived.db")) as connection:
        assert derived_index.damages(connection) == []
        assert b"secret" not in b"".join(block for (block,) in connection.execute("SELECT block FROM terms_data"))
    with Memory.open(home, embedder=NoEmbedder()) as memory:
        assert [hit.text for hit in memory.recall("who hears the kettle?").hits] == ["the kettle whistles"]


def test_levels_are_read_from_both_forms_of_the_record():
    assert index_levels(b"\0\0\0\7\x03\x01") == 3
    assert index_levels(b"\0\0\0\7\x8f\x51\x01") == 2001
    assert index_levels(b"\0\0\0\7\xff\0\0\1\x81\x00\x01") == 128
