"""An erasure killed at any step is ended by whoever comes next: the next start, or a process that has the home open."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.memory.test_erase import WORDS, files_holding, keep_secret
from tests.memory.worlds import HIDDEN, PLAIN, LetterEmbedder, found, opened, turn, user

CHINESE = "鞋柜右格的备用电池"

ERASER = """
import os, signal, sys
from tests.memory.worlds import LetterEmbedder, opened
home, turn, part, step, when = sys.argv[1:]
memory = opened(home, LetterEmbedder())
store = {"log": memory._log, "derived": memory._derived}[part]
real = getattr(store, step)

def killed(*arguments, **named):
    if when == "after":
        real(*arguments, **named)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(store, step, killed)
memory.erase(turn)
"""

STEPS = [
    ("log", "erase", "before"),
    ("log", "erase", "after"),
    ("derived", "remove_turn", "before"),
    ("derived", "remove_turn", "after"),
    ("log", "compact", "before"),
    ("log", "compact", "after"),
    ("derived", "compact", "before"),
    ("derived", "compact", "after"),
    ("log", "finish_erasures", "before"),
]
LEFT_BEHIND = (
    "derived.damaged-1.db",
    "derived.verify.db",
    "derived.new.db-wal",
    ".log.v1.db.part",
    ".restore.part-journal",
    "backups/log-20260503T120000Z.part",
)
"""What processes that were killed, or found a damaged file, may have left in the home."""

ENOUGH_SECONDS = 30.0


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    with opened(folder, LetterEmbedder()) as memory:
        memory.set_policies({"hide": HIDDEN, "plain": PLAIN})
        memory.keep(turn(user("hello"), external_id="stays"))
        memory.kept = keep_secret(memory)
        memory.keep(turn(user(CHINESE), external_id="chinese"))
        memory.archive()
        memory.settle()
        (folder / "backups").mkdir()
        for name in LEFT_BEHIND:
            (folder / name).write_text(" ".join(WORDS))
    return folder


def kill_an_erasure(home, turn_id, step):
    done = subprocess.run(
        [sys.executable, "-c", ERASER, str(home), turn_id, *step],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")


@pytest.mark.parametrize("step", STEPS)
def test_the_next_start_leaves_nothing_of_it(home, step):
    with opened(home) as memory:
        kept = memory.find(f"name-{WORDS[0]}").turn_id
    kill_an_erasure(home, kept, step)
    with opened(home, LetterEmbedder()) as memory:
        if step == ("log", "erase", "before"):  # it was never said to be done
            memory.erase(kept)
        assert files_holding(home, *WORDS) == set()
        assert {row.external_id for row in memory.turns()} == {"stays", "chinese"}
        assert memory.rebuild(verify=True).equal
        assert memory._log.unfinished_erasures() == []


@pytest.mark.parametrize("step", STEPS[1:])
def test_a_process_that_has_the_home_open_ends_it_at_its_next_question_and_shows_nothing(home, step):
    with opened(home, LetterEmbedder()) as memory:
        kept = memory.find(f"name-{WORDS[0]}").turn_id
        assert f"name-{WORDS[0]}" in found(memory, " ".join(WORDS))
        kill_an_erasure(home, kept, step)
        assert f"name-{WORDS[0]}" not in found(memory, " ".join(WORDS))
        until = time.monotonic() + ENOUGH_SECONDS
        while files_holding(home, *WORDS) and time.monotonic() < until:
            time.sleep(0.05)
        assert files_holding(home, *WORDS) == set()


def test_chinese_words_and_their_pairs_are_gone_after_a_kill_too(home):
    with opened(home) as memory:
        kept = memory.find("chinese").turn_id
    kill_an_erasure(home, kept, ("derived", "remove_turn", "after"))
    with opened(home):
        pairs = [CHINESE[at : at + 2] for at in range(len(CHINESE) - 1)]
        assert files_holding(home, CHINESE, *pairs) == set()
