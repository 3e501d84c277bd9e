"""What keeping a turn costs does not grow with the home: one commit a file, few pages, and nobody waits for it."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from homeagent.memory.door.copies import Copyable, Salt, sketch_of
from homeagent.memory.store.sqlite.derived import SqliteDerived
from tests.memory.worlds import found, opened, reply, tool, turn, user

_HEADER = 32
_FRAME = 24 + 4096


def commits(wal):
    """How many commits a WAL holds: the frames that name the size of the file after them."""
    data = wal.read_bytes()
    return sum(any(data[at + 4 : at + 8]) for at in range(_HEADER, len(data), _FRAME))


@pytest.mark.parametrize(
    "segments", [(user("apples"),), (user("apples"), tool("pears"), tool("plums"), reply("they are fruit"))]
)
def test_a_kept_turn_is_one_commit_in_each_file(tmp_path, segments):
    with opened(tmp_path / "home") as memory:
        memory.background.stop()
        memory.keep(turn(user("before")))
        wals = [tmp_path / "home" / f"{name}.db-wal" for name in ("log", "derived")]
        before = [commits(wal) for wal in wals]
        memory.keep(turn(*segments, external_id="a"))
        assert [commits(wal) for wal in wals] == [count + 1 for count in before]
        assert found(memory, "apples") == {"a"}
        assert memory.pending() == {}


def test_the_first_question_of_a_thread_does_not_wait_for_who_writes(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.keep(turn(user("apples")))
    derived = SqliteDerived(tmp_path / "home" / "derived.db")
    with derived.transaction():
        derived.set_meta("written", "but not committed")
        told: list[str | None] = ["nothing"]
        thread = threading.Thread(target=lambda: told.append(derived.meta("written")), daemon=True)
        thread.start()
        thread.join(20)
        assert told == ["nothing", None]
    derived.close()


@pytest.mark.parametrize("length", [0, 6, 7, 60, 4000])
def test_a_hash_that_comes_twice_is_kept_once_and_all_are_sorted(length):
    text = "the kettle whistles on the stove. " * (length // 34) + "x" * (length % 34)
    runs = sketch_of(Copyable((text, text), ()), Salt(b"salt")).runs
    assert runs.tolist() == np.unique(runs, axis=0).tolist()
    assert (len(runs) > 0) == (length >= 7)
