"""What a kept turn does not wait for: full text merged, the log folded into its file; both are done all the same."""

from __future__ import annotations

import shutil
import sqlite3

from homeagent.memory.lease import Lease
from homeagent.memory.store.sqlite.derived import SqliteDerived
from homeagent.memory.store.sqlite.log import SqliteLog
from homeagent.memory.tidying import Tidying
from tests.memory.worlds import found, index_terms, opened, turn, user

KEPT = 40


def kept(home, number):
    """Keep turns of which each makes a segment of the full-text index of its own, and merge none."""
    with opened(home) as memory:
        memory.background.stop()
        for each in range(number):
            memory.keep(turn(user(f"apple number{each}"), external_id=str(each)))


def segments(home):
    """How many segments the full-text index consists of (its structure record says so in its third varint)."""
    with sqlite3.connect(home / "derived.db") as connection:
        (record,) = connection.execute("SELECT block FROM terms_data WHERE id = 10").fetchone()
    connection.close()
    return record[5]


def test_merging_makes_one_segment_of_many_and_loses_no_term(tmp_path):
    home = tmp_path / "home"
    kept(home, KEPT)
    before, terms = segments(home), index_terms(home / "derived.db")
    log, derived = SqliteLog(home / "log.db"), SqliteDerived(home / "derived.db")
    Tidying(log, derived, Lease(home / "derive.lock")).rest()
    assert derived.merge_some() is False
    assert derived.damages() == []
    derived.close()
    log.close()
    assert segments(home) < before
    assert index_terms(home / "derived.db") == terms
    with opened(home) as memory:
        memory.background.stop()
        assert found(memory, "apple number7", limit=1) == {"7"}


def test_after_a_merge_no_commit_merges_any_more(tmp_path):
    home = tmp_path / "home"
    kept(home, 1)
    derived = SqliteDerived(home / "derived.db")
    derived.merge_some()
    derived.close()
    before = segments(home)
    with opened(home) as memory:
        memory.background.stop()
        for each in range(KEPT):
            memory.keep(turn(user(f"pear number{each}")))
    assert segments(home) == before + KEPT


def test_folding_brings_the_file_up_to_date_while_it_is_open(tmp_path):
    home = tmp_path / "home"
    kept(home, 1)
    log = SqliteLog(home / "log.db")
    for number in range(70):
        log.add_outcome("test", str(number))
    log.fold()
    shutil.copy(home / "log.db", tmp_path / "alone.db")
    log.close()
    with sqlite3.connect(tmp_path / "alone.db") as connection:
        assert connection.execute("SELECT count(*) FROM outcome WHERE kind = 'test'").fetchone() == (70,)
    connection.close()
