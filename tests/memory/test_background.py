"""The thread behind a memory: it goes on after what it could foresee, and starts again after what nobody foresaw."""

from __future__ import annotations

import threading

import pytest

from homeagent.memory.background import Background


def threads_but(others: set[threading.Thread]) -> list[threading.Thread]:
    """Return the threads of this kind that were not there before."""
    return [each for each in threading.enumerate() if each.name == "homeagent-embed" and each not in others]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_in_the_work_ends_it_only_until_it_is_woken_again():
    worked = threading.Event()
    faults = [ZeroDivisionError("a rule that divides")]

    def work():
        if faults:
            raise faults.pop()
        worked.set()
        return 0

    others = set(threading.enumerate())
    background = Background(work)
    background.wake()
    for thread in threads_but(others):
        thread.join()
    assert not worked.is_set()
    background.wake()
    assert worked.wait(10)
    background.stop()


def test_it_works_until_nothing_is_left_and_ends_when_it_is_stopped():
    left = [1, 1, 1]
    done = threading.Event()

    def work():
        if left:
            return left.pop()
        done.set()
        return 0

    others = set(threading.enumerate())
    background = Background(work)
    background.wake()
    assert done.wait(10)
    background.stop()
    assert threads_but(others) == []
    background.wake()
    assert threads_but(others) == []


def test_it_rests_once_when_nothing_was_asked_of_it_for_a_while_and_hears_who_wakes_it_then():
    worked, rested = threading.Semaphore(0), threading.Semaphore(0)

    def work():
        worked.release()
        return 0

    background = Background(work, rested.release)
    for _ in range(2):
        background.wake()
        assert worked.acquire(timeout=30)
        assert rested.acquire(timeout=30)
    assert not rested.acquire(blocking=False)
    background.stop()
