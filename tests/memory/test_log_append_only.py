"""Rows of the log are added and never changed: the file itself refuses everything else."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from homeagent.memory.turn import Attachment
from tests.memory.worlds import HIDDEN, change, opened, reply, tool, turn, user

TABLES = ("attachment", "blob", "closing", "entry", "erased", "erasure", "forget", "identity", "outcome", "policy")
TABLES = (*TABLES, "finished", "segment", "share", "turn")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A log with at least one row in every table that has rows so far."""
    home = tmp_path_factory.mktemp("append") / "home"
    with opened(home) as memory:
        said = tool("seen", arguments='{"a": 1}', attachments=(Attachment("text/plain", b"data"),))
        kept = memory.keep(turn(user("hello"), said, reply("x" * 40_000)))
        gone = memory.keep(turn(user("to be erased")))
        memory.set_policies({"look": HIDDEN})
        memory.link("cli", "owner", "me")
        memory.archive()
        memory.forget(kept)
        memory.sharing.share(memory.find(kept), person="ann")
        memory.erase(gone)
        return memory.home.log


def test_the_log_of_these_tests_has_a_row_in_every_table(log):
    with closing(sqlite3.connect(log)) as connection:
        empty = {name for name in TABLES if not connection.execute(f"SELECT 1 FROM {name}").fetchone()}  # noqa: S608
    assert empty == set()


@pytest.mark.parametrize("table", TABLES)
def test_a_row_can_not_be_updated(log, table):
    with pytest.raises(sqlite3.IntegrityError, match=f"append-only: rows of {table} are never changed"):
        change(log, f"UPDATE {table} SET seq = seq + 1000")  # noqa: S608


ERASED = "erased"


@pytest.mark.parametrize("table", [ERASED if table == "erased" else table for table in TABLES])
def test_a_row_can_not_be_deleted(log, table):
    kept = " WHERE seq NOT IN (SELECT seq FROM erased)"
    with pytest.raises(sqlite3.IntegrityError, match=f"append-only: rows of {table} go only by an erasure"):
        change(log, f"DELETE FROM {table}{'' if table == 'erased' else kept}")  # noqa: S608


def test_a_row_can_not_be_replaced(log):
    columns = "seq, turn, position, role, CAST('other' AS BLOB), NULL, tool, call_id, arguments, error, plugin"
    with pytest.raises(sqlite3.IntegrityError):
        change(log, f"REPLACE INTO segment SELECT {columns}, plugin_version, cites, no_memory FROM segment")  # noqa: S608


def test_an_erasure_lets_go_of_its_own_rows_only(tmp_path):
    with opened(tmp_path / "home") as memory:
        kept = memory.keep(turn(user("stays")))
        before = memory.digest()
        gone = memory.keep(turn(user("goes"), reply("y" * 40_000)))
        memory.erase(gone)
        assert memory.digest() == before
        assert [row.segment.text for row in memory.raw(kept)] == ["stays"]
        assert (rows(memory, "turn"), rows(memory, "segment"), rows(memory, "blob")) == (1, 1, 0)


def rows(memory, table):
    with closing(sqlite3.connect(memory.home.log)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
