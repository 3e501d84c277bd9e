"""A cleaner that misbehaves in any way costs its own output and nothing else: not the process, not the next call."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from homeagent.memory.door.runner import Cleaned, CleanerProcess
from homeagent.memory.store.records import PolicyRow
from homeagent.memory.store.sqlite.log import SqliteLog
from tests.memory.worlds import cleaned, computed_texts, decisions, opened, tables_holding, tool, turn, user

HANGS = 'regex("(a+)+$","")'
BAIT = "a" * 40 + "!"

MODULE = """
import json, os, signal, struct, sys, threading, time

def raises(text: str) -> str:
    raise ValueError("no good")

def tells(text: str) -> str:
    return str(int(text))

def nothing(text: str) -> str:
    return None

def data(text: str) -> str:
    return b"bytes"

def prints(text: str) -> str:
    print("noise"); sys.stdout.write("noise"); os.write(1, b"noise"); os.write(2, b"noise")
    return text.upper()

def explodes(text: str) -> str:
    return text * 1000

def exits(text: str) -> str:
    sys.exit("bye")

def dies(text: str) -> str:
    os._exit(0)

def is_killed(text: str) -> str:
    os.kill(os.getpid(), signal.SIGKILL)

def interrupts(text: str) -> str:
    raise KeyboardInterrupt

def eats(text: str) -> str:
    return "x" * 10**11

def sleeps(text: str) -> str:
    time.sleep(60)

def spins(text: str) -> str:
    while True: pass

def recurses(text: str) -> str:
    return recurses(text)

def half(text: str) -> str:
    return "\\ud800\\0" + text

def odd_words(text: str) -> str:
    raise ValueError("half a pair: \\ud800")

def _to_every_pipe(frame):
    for descriptor in range(3, 20):
        try: os.write(descriptor, frame)
        except OSError: pass

def garbage(text: str) -> str:
    _to_every_pipe(struct.pack(">II", 4, 0))
    return text

def forges(text: str) -> str:
    header = json.dumps({"status": "ok", "kind": "", "message": ""}).encode()
    _to_every_pipe(struct.pack(">II", 10 + len(header), len(header)) + header + b"forged")
    return text

def if_asked(text: str) -> str:
    if "sleep" in text: time.sleep(60)
    return text.upper()
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """The name of an importable module of bad cleaners."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "bad_cleaners.py").write_text(MODULE)
    (folder / "slow_import.py").write_text(f"import time\ntime.sleep(0.4)\n{MODULE}")
    sys.path.append(str(folder))
    yield "bad_cleaners"
    sys.path.remove(str(folder))


@pytest.fixture
def runner(plugin):
    with closing(CleanerProcess(seconds=1.0)) as runner:
        yield runner


BAD = {
    "raises": ("text", "failed: no good"),
    "nothing": ("text", "returned NoneType, not str"),
    "data": ("text", "returned bytes, not str"),
    "explodes": ("text" * 1000, "more than four times"),
    "exits": ("text", "failed: bye"),
    "dies": ("text", "died"),
    "is_killed": ("text", "died"),
    "interrupts": ("text", "died"),
    "eats": ("text", "failed: MemoryError"),
    "recurses": ("text", "recursion"),
    "missing": ("text", "no attribute 'missing'"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_cleaner_gives_a_reason_and_the_next_one_runs(runner, plugin, name):
    text, reason = BAD[name]
    result = runner.clean(f"{plugin}:{name}", text)
    assert result.text is None
    assert reason in result.reason
    assert runner.clean("head(3)", "abcdef") == Cleaned("abc")


@pytest.mark.parametrize(
    ("cleaner", "text"),
    [(HANGS, BAIT), ("bad_cleaners:sleeps", "x"), ("bad_cleaners:spins", "x")],
    ids=["regex", "sleeps", "spins"],
)
def test_a_cleaner_that_hangs_is_stopped_in_time_and_the_next_one_runs(runner, cleaner, text):
    began = time.monotonic()
    result = runner.clean(cleaner, text)
    assert result.text is None
    assert "stopped after 1 s" in result.reason
    assert runner.clean("head(3)", "abcdef") == Cleaned("abc")
    assert time.monotonic() - began < 5


def test_a_cleaner_that_hung_gets_less_time_the_next_times(runner):
    began = time.monotonic()
    reasons = [runner.clean(HANGS, BAIT).reason for _ in range(5)]
    assert time.monotonic() - began < 6
    assert [reason.removeprefix("its cleaner was stopped after ") for reason in reasons] == [
        *("1 s", "0.5 s", "0.25 s", "0.25 s", "0.25 s")
    ]


def test_a_cleaner_that_hung_once_still_cleans_what_it_can(runner, plugin):
    assert runner.clean(f"{plugin}:if_asked", "sleep").text is None
    assert [runner.clean(f"{plugin}:if_asked", "fine").text for _ in range(3)] == ["FINE"] * 3


def test_a_cleaner_that_hung_often_and_is_slow_to_load_still_cleans_what_it_can(plugin):
    with closing(CleanerProcess(seconds=0.5)) as runner:
        for _ in range(2):
            assert runner.clean("slow_import:if_asked", "sleep").text is None
        assert runner.clean("slow_import:if_asked", "fine") == Cleaned("FINE")


def test_what_a_cleaner_prints_disturbs_nothing(runner, plugin, capfd):
    assert [runner.clean(f"{plugin}:prints", "text") for _ in range(3)] == [Cleaned("TEXT")] * 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("text", ["", "\0", "\ud800", "\ud83d\ude00", "中文 😀", "x" * 3_000_000])
def test_any_text_goes_through_a_cleaner_unharmed(runner, text):
    assert runner.clean("head(10000000)", text) == Cleaned(text)


def test_a_cleaner_may_return_any_text(runner, plugin):
    assert runner.clean(f"{plugin}:half", "x") == Cleaned("\ud800\0x")


def test_the_largest_result_is_four_times_the_input_and_four_kibibytes_more_in_bytes(runner):
    def grown(text, extra):
        filler = "z" * (4 * len(text.encode()) + 4096 + extra)
        return runner.clean(f'regex("(?s)^.*$","{filler}")', text)

    for text in ("", "abc", "中文"):
        assert len(grown(text, 0).text) == 4 * len(text.encode()) + 4096
        assert "more than four times" in grown(text, 1).reason


def test_several_threads_share_one_process(runner):
    results = {}

    def work(number):
        results[number] = [runner.clean(f"head({number})", "abcdefgh").text for _ in range(20)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: ["abcdefgh"[:number]] * 20 for number in range(4)}


def test_a_closed_runner_leaves_no_process_and_can_be_used_again(runner):
    runner.clean("head(1)", "x")
    worker = runner._process
    runner.close()
    assert worker.poll() is not None
    runner.close()
    assert runner.clean("head(1)", "xy") == Cleaned("x")


def test_a_worker_that_was_killed_while_idle_is_started_again(runner):
    assert runner.clean("head(1)", "xy") == Cleaned("x")
    runner._process.kill()
    runner._process.wait()
    assert runner.clean("head(1)", "xy") == Cleaned("x")


def test_the_worker_ends_with_the_process_that_started_it(plugin):
    code = (
        "from homeagent.memory.door.runner import CleanerProcess; import os\n"
        "runner = CleanerProcess(); runner.clean('head(1)', 'x'); print(runner._process.pid, flush=True); os._exit(0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    worker = int(done.stdout)
    until = time.monotonic() + 5
    while time.monotonic() < until and is_alive(worker):
        time.sleep(0.01)
    assert not is_alive(worker)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123 - no path of ours
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_garbage_in_the_pipe_is_a_reason_and_no_error(runner, plugin):
    result = runner.clean(f"{plugin}:garbage", "text")
    assert result.text is None or result.text == "text"


def test_a_forged_reply_is_never_taken_for_the_answer_to_another_request(runner, plugin):
    runner.clean(f"{plugin}:forges", "text")
    assert runner.clean("head(3)", "abcdef") in (Cleaned("abc"), Cleaned(None))


# -- through the whole memory --------------------------------------------------------------------------------------


def declare_function(memory, reference):
    """What a plugin's function cleaner leaves in the log."""
    log = SqliteLog(memory.home.log)
    log.add_policy(PolicyRow(0, "tool", "look", "declared", "set", cleaner=reference))
    log.close()


@pytest.mark.parametrize("name", ["raises", "nothing", "explodes", "dies", "eats"])
def test_a_turn_with_a_bad_cleaner_is_kept_and_only_its_output_is_left_out(tmp_path, plugin, name):
    with opened(tmp_path / "home") as memory:
        declare_function(memory, f"{plugin}:{name}")
        kept = memory.keep(turn(user("hello"), tool("apples " * 900, arguments='{"a": 1}'), user("again")))
        (_, (decision, reason), _) = decisions(memory, kept)
        assert decision == "failed"
        assert reason.startswith("left out, its cleaner")
        assert computed_texts(memory, kept) == ["hello", "look a=1", "again"]
        memory.set_policies({"look": cleaned("head(6)")})
        assert computed_texts(memory, kept) == ["hello", "look a=1\napples", "again"]


def test_a_hanging_pattern_costs_its_own_output_only(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": cleaned(HANGS)})
        kept = memory.keep(turn(user("hello"), tool(BAIT), tool("fine a"), user("again")))
        assert [each for each, _ in decisions(memory, kept)] == ["whole", "failed", "cleaned", "whole"]
        assert computed_texts(memory, kept) == ["hello", "look", "look\nfine ", "again"]


def test_a_rebuild_equals_what_a_hanging_cleaner_left(tmp_path):
    with opened(tmp_path / "home") as memory:
        memory.set_policies({"look": cleaned(HANGS)})
        memory.keep(turn(tool(BAIT)))
        assert memory.rebuild(verify=True).differences == ()


def test_the_reason_why_an_output_is_left_out_quotes_nothing_of_it(tmp_path, plugin):
    with opened(tmp_path / "home") as memory:
        declare_function(memory, f"{plugin}:tells")
        kept = memory.keep(turn(tool("marker-qx77zk93vv")))
        assert [each for each, _ in decisions(memory, kept)] == ["failed"]
        assert tables_holding(memory.home.derived, "marker-qx77zk93vv") == []


@pytest.mark.parametrize("cleaner", ["bad_cleaners:odd_words", 'regex("\ud800","")'])
def test_half_a_pair_in_a_reason_does_no_harm(tmp_path, plugin, cleaner):
    home = tmp_path / "home"
    with opened(home) as memory:
        declare_function(memory, cleaner)
        try:
            memory.keep(turn(user("hello"), tool("apples"), external_id="a"))
        finally:
            memory.shutdown()
            opened(home).shutdown()
