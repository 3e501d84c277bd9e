"""Several processes on one home: all of them keep, one at a time derives, and one that is killed loses nothing."""

from __future__ import annotations

import signal
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import pytest

from homeagent.memory.store.sqlite.log import SqliteLog
from homeagent.memory.turn import TurnId
from tests.memory.worlds import another_process, computed_texts, found, opened, raw_segments, reply, turn, user

KEEP_MANY = """
name, count = arguments[0], int(arguments[1])
say("ready")
sys.stdin.readline()
with opened() as memory:
    for number in range(count):
        memory.keep(turn(user(f"apple {name} {number}"), external_id=f"{name}-{number}"))
        if number % 10 == 0:
            memory.recall("apple")
say("done")
"""


def test_processes_that_start_at_once_on_a_new_home_all_keep_everything(tmp_path):
    names = ("one", "two", "three")
    with ExitStack() as stack:
        running = [stack.enter_context(another_process(tmp_path / "home", KEEP_MANY, name, 25)) for name in names]
        assert [process.stdout.readline() or process.stderr.read() for process in running] == ["ready\n"] * 3
        for process in running:
            process.stdin.write("go\n")
            process.stdin.flush()
        ends = [process.communicate(timeout=60) for process in running]
    assert ends == [("done\n", "")] * 3
    with opened(tmp_path / "home") as memory:
        kept = [row.external_id for row in memory.turns()]
        assert sorted(kept) == sorted(f"{name}-{number}" for name in names for number in range(25))
        assert len(list(memory.all_computed())) == len(kept)
        assert found(memory, "apple two 17", limit=3) >= {"two-17"}
        assert memory.rebuild(verify=True).equal


OPEN_TURN = """
memory = opened()
opening = memory.begin(turn(user("where are the apples"), external_id=arguments[0]))
memory.append(opening, Segment("assistant", "let me look"))
say(opening)
sys.stdin.readline()
memory.append(opening, Segment("assistant", "in the cellar"))
memory.close(opening)
memory.shutdown()
say("closed")
"""


def test_a_killed_process_leaves_an_interrupted_turn_and_a_living_one_keeps_its_own(tmp_path):
    home = tmp_path / "home"
    with another_process(home, OPEN_TURN, "killed") as killed, another_process(home, OPEN_TURN, "alive") as alive:
        dead, open_still = killed.stdout.readline().strip(), alive.stdout.readline().strip()
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        with opened(home) as memory:
            assert memory.find(dead).status == "interrupted"
            assert raw_segments(memory, dead) == [user("where are the apples"), reply("let me look")]
            assert found(memory, "apples") == {"killed"}
            assert memory.find(open_still).status == "open"
        with opened(home) as memory:
            assert memory.find(open_still).status == "open"
            assert alive.communicate("go on\n", timeout=60) == ("closed\n", "")
            assert memory.find(open_still).status == "done"
            assert computed_texts(memory, open_still)[-1] == "in the cellar"
            assert found(memory, "apples") == {"killed", "alive"}
    assert list((home / "writers").iterdir()) == []


KEEP_FOR_EVER = """
with opened() as memory:
    for number in range(10_000):
        memory.keep(turn(user(f"apple {number}"), external_id=str(number)))
        say(number)
"""


def test_what_was_acknowledged_before_a_kill_is_there_once(tmp_path):
    with another_process(tmp_path / "home", KEEP_FOR_EVER) as process:
        acknowledged = [process.stdout.readline().strip() for _ in range(40)]
        process.send_signal(signal.SIGKILL)
        acknowledged += process.stdout.read().split()
    with opened(tmp_path / "home") as memory:
        kept = [row.external_id for row in memory.turns()]
        assert kept == [str(number) for number in range(len(kept))]
        assert len(acknowledged) <= len(kept) <= len(acknowledged) + 1
        assert memory.pending() == {}
        assert memory.rebuild(verify=True).equal


def test_a_turn_without_a_living_writer_is_closed_by_whoever_opens_next(tmp_path):
    with opened(tmp_path / "home") as memory:
        turn_id = memory.begin(turn(user("hello")))
        with opened(tmp_path / "home") as other:
            assert other.find(turn_id).status == "open"
        memory.append(turn_id, reply("still here"))
    with opened(tmp_path / "home") as memory:
        assert memory.find(turn_id).status == "interrupted"
        assert computed_texts(memory, turn_id) == ["hello", "still here"]


def test_two_that_open_a_home_at_once_after_a_kill_both_can(tmp_path):
    opened(tmp_path / "home").shutdown()
    log = SqliteLog(tmp_path / "home" / "log.db")
    with ThreadPoolExecutor(4) as pool:
        for number in range(8):
            left = log.open_turn(turn(user("hello")), TurnId(f"t-left-{number}"), "killed")
            both = [pool.submit(lambda: opened(tmp_path / "home").shutdown()) for _ in range(4)]
            for each in both:
                each.result()
            assert log.turn(left).status == "interrupted"
    log.close()


@pytest.mark.parametrize("lock", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"])
def test_a_new_home_that_another_process_is_about_to_make_is_waited_for(tmp_path, lock):
    path = tmp_path / "log.db"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("PRAGMA user_version = 0")
        other.execute(lock)
        timer = threading.Timer(0.3, other.execute, ["ROLLBACK"])
        timer.start()
        try:
            SqliteLog(path).close()
        finally:
            timer.join()
