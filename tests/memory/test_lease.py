"""The derive lease: one holder at a time, among threads and among processes, and none after a death."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from homeagent.memory.lease import Lease, is_held
from homeagent.memory.writers import Writers

HOLD = """
import sys
from pathlib import Path
from homeagent.memory.lease import Lease
with Lease(Path(sys.argv[1])).held() as held:
    print(held, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "derive.lock"


def test_two_who_look_at_once_both_see_that_a_dead_ones_lock_is_held_by_nobody(path):
    path.touch()
    looking = os.open(path, os.O_RDWR)
    fcntl.flock(looking, fcntl.LOCK_SH)  # as another process does that looks just now
    assert not is_held(path)
    fcntl.flock(looking, fcntl.LOCK_EX)  # and one that opened a turn
    assert is_held(path)
    os.close(looking)


def test_a_lease_is_held_inside_the_block_only(path):
    lease = Lease(path)
    with lease.held(0) as held:
        assert held
        assert is_held(path)
        with Lease(path).held(0) as other:
            assert not other
    assert not is_held(path)
    with Lease(path).held(0) as other:
        assert other


def test_its_holder_may_take_it_again_and_lets_go_at_the_end(path):
    lease = Lease(path)
    with lease.held() as outer, lease.held() as inner:
        assert outer
        assert inner
    assert not is_held(path)


def test_it_is_let_go_of_when_the_block_fails(path):
    lease = Lease(path)
    with pytest.raises(ValueError, match="no"), lease.held():
        raise ValueError("no")
    assert not is_held(path)
    with lease.held(0) as held:
        assert held


@pytest.mark.parametrize("same", [True, False], ids=["one object", "two objects"])
def test_who_waits_gets_it_when_the_other_lets_go_or_false_when_he_does_not(path, same):
    mine = Lease(path)
    theirs = mine if same else Lease(path)
    taken, let_go, seen = threading.Event(), threading.Event(), []

    def hold():
        with theirs.held():
            taken.set()
            let_go.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait(10)
    began = time.monotonic()
    with mine.held(0.1) as held:
        seen.append(held)
    waited = time.monotonic() - began
    let_go.set()
    with mine.held(10) as held:
        seen.append(held)
    thread.join()
    assert seen == [False, True]
    assert 0.05 < waited < 5


def test_only_one_of_many_threads_and_objects_is_inside(path):
    leases, inside, most = [Lease(path), Lease(path)], [], []

    def work(lease):
        for _ in range(20):
            with lease.held(30) as held:
                assert held
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.0005)
                inside.pop()

    threads = [threading.Thread(target=work, args=(lease,)) for lease in leases * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 80


def test_a_killed_process_holds_it_no_longer(path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as process:
        assert process.stdout.readline() == "True\n"
        with Lease(path).held(0) as held:
            assert not held
        process.send_signal(signal.SIGKILL)
        process.wait()
        with Lease(path).held(0) as held:
            assert held


def test_the_lock_of_a_writer_is_held_until_it_is_released_and_then_gone(tmp_path):
    writers, others = Writers(tmp_path), Writers(tmp_path)
    name = writers.mine()
    assert writers.mine() == name != others.mine()
    others.sweep()
    assert not others.is_gone(name)
    writers.release()
    assert others.is_gone(name)
    assert [path.stem for path in tmp_path.iterdir()] == [others.mine()]
    writers.release()
    assert writers.mine() != name


def test_the_locks_of_the_dead_are_swept_away(tmp_path):
    writers = Writers(tmp_path)
    (tmp_path / "dead.lock").touch()
    assert writers.is_gone("dead")
    assert writers.is_gone("never")
    assert writers.is_gone("")
    writers.sweep()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_is_being_taken_while_another_process_sweeps_is_held(tmp_path):
    stop, others = threading.Event(), Writers(tmp_path)

    def sweep():
        while not stop.is_set():
            others.sweep()

    thread = threading.Thread(target=sweep)
    thread.start()
    lost = []
    until = time.monotonic() + 1
    while time.monotonic() < until:
        writers = Writers(tmp_path)
        lost += [name for name in [writers.mine()] if not (tmp_path / f"{name}.lock").exists()]
        writers.release()
    stop.set()
    thread.join()
    assert lost == []
