"""Looking a turn up costs the same however long the log is: every look-up goes by an index."""

from __future__ import annotations

import sqlite3

import pytest

from homeagent.memory.store.sqlite import log_turns
from homeagent.memory.store.sqlite.log_schema import LOG_SCHEMA
from homeagent.memory.turn import Place, Segment, Turn, TurnId


@pytest.fixture
def log():
    connection = sqlite3.connect(":memory:")
    for step in LOG_SCHEMA.steps:
        step(connection)
    for number, source in enumerate(("chat", "mail")):
        turn = Turn(Place("cli", "main"), "owner", (Segment("user", source),), source=source, external_id="7")
        log_turns.insert_turn(connection, turn, TurnId(f"t{number}"), "", 0)
    yield connection
    connection.close()


def plans(connection, look_up):
    """Return how SQLite goes about each statement that a look-up runs."""
    said = []
    connection.set_trace_callback(said.append)
    look_up()
    connection.set_trace_callback(None)
    return [row[3] for sql in said for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]


def test_a_turn_is_found_by_source_and_name_without_reading_the_others(log):
    found = plans(log, lambda: log_turns.external_turn(log, "chat", "7"))
    assert any("turn_external" in step for step in found)
    assert not any(step.startswith("SCAN") for step in found)


def test_every_way_to_name_a_turn_finds_the_right_ones(log):
    def names(name, source):
        return [row.turn_id for row in log_turns.find_turn(log, name, source)]

    assert names("t1", None) == ["t1"]
    assert names("7", None) == ["t0", "t1"]
    assert names("7", "mail") == ["t1"]
    assert names("7", "letter") == []
    assert names("8", None) == []
    assert names("", "chat") == []
    assert log_turns.external_turn(log, "mail", "7").turn_id == "t1"
