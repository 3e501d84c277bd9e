"""Writers killed at random moments: what was acknowledged is there afterwards, once, and can be derived again.

Several processes write to one home. Each is sent ``kill -9`` at a moment of its own, some while they still open the
home, and the next round's writers find what is left. After each round the home is opened and held against the promises
the writers had noted down (each on the disk before the writer went on).
"""

from __future__ import annotations

import multiprocessing
import random
import secrets
import signal
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.crash_ledger import Findings, Ledger
from bench.crash_turns import POLICIES
from bench.crash_writer import MARK, Job, write_until_killed
from bench.errors import BenchError
from bench.homes import home_folder
from bench.progress import Progress
from bench.vectors import HashedEmbedder
from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.context import ForkServerContext, ForkServerProcess

__all__ = ["CrashPlan", "crash_report", "crash_table"]

_READY_SECONDS: Final = 120.0
_STEP_SECONDS: Final = 0.004
_EARLY: Final = 0.15
_EARLY_SECONDS: Final = 0.15
_LATE_SECONDS: Final = (0.02, 0.8)


@dataclass(frozen=True, slots=True)
class CrashPlan:
    """How often all writers are killed, how many there are, and the seed of every choice."""

    rounds: int
    writers: int = 4
    seed: int = 1

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.writers < 1:
            raise BenchError("At least one round and one writer are needed")


def crash_report(plan: CrashPlan, home: Path | None = None) -> dict[str, object]:
    """Run the plan in ``home`` (None: a temporary one) and return what was promised and what became of it."""
    progress = Progress("crash")
    with _home(home) as folder:
        run = _Run(plan, folder / "home", folder / "promises")
        for number in range(plan.rounds):
            run.round(number)
            progress.at(number + 1, plan.rounds)
        return {**run.finish(), "seconds": round(progress.done(f"{plan.rounds} rounds"), 1)}


def crash_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{name:<18}{value}" for name, value in report.items())


class _Run:
    """One run of a plan."""

    def __init__(self, plan: CrashPlan, home: Path, promises: Path) -> None:
        self._plan = plan
        self._home = home
        self._random = random.Random(plan.seed)  # noqa: S311 - chooses moments, guards nothing
        self._token = secrets.token_hex(8)
        promises.mkdir(parents=True, exist_ok=True)
        self._files = [promises / f"writer{number}" for number in range(plan.writers)]
        self._ledger = Ledger(self._files)
        self._findings = Findings()
        self._again: dict[int, tuple[str, ...]] = {}
        self._killed = 0
        self._failed = 0
        self._context: ForkServerContext = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["bench.crash_writer"])
        with self._memory() as memory:
            memory.declare_policies(POLICIES)

    def round(self, number: int) -> None:
        """Let every writer write, kill every one, open the home and compare."""
        for process in self._ended(number):
            process.join()
            self._killed += process.exitcode == -signal.SIGKILL
            self._failed += process.exitcode != -signal.SIGKILL
            process.close()
        names = self._ledger.update()
        self._again = {
            writer: self._ledger.under_way(name for name in names if name.startswith(f"w{writer}r"))
            for writer in range(self._plan.writers)
        }
        with self._memory() as memory:
            self._ledger.check(memory, names, self._findings)

    def finish(self) -> dict[str, object]:
        """Compare everything, derive it all again, and return the report."""
        ledger, found = self._ledger, self._findings
        with self._memory() as memory:
            memory.settle(progress=Progress("crash, settling").step)
            ledger.check(memory, ledger.promises, found)
            ledger.check_everything(memory, found)
            digest = memory.digest()
            rebuilt = memory.rebuild(verify=True, progress=Progress("crash, rebuilding").step)
            same = memory.digest() == digest
        with Memory.open(self._home, embedder=NoEmbedder()) as memory:
            ledger.check_words(memory, found)
        wrong = (found.lost, found.doubled, found.torn, found.left_open, found.not_found, found.hidden_computed)
        orphans = _orphans(self._token)
        return {
            "acknowledged": sum(promise.kept or promise.opened for promise in ledger.promises.values()),
            "lost": len(found.lost),
            "doubled": len(found.doubled),
            "rebuild_equal": rebuilt.equal,
            "torn": len(found.torn),
            "left_open": len(found.left_open),
            "not_found": len(found.not_found),
            "hidden_computed": len(found.hidden_computed),
            "interrupted": len(found.interrupted),
            "orphans": orphans,
            "digest_same": same,
            "rounds": self._plan.rounds,
            "writers": self._plan.writers,
            "kills": self._killed,
            "starts_cut_short": self._killed + self._failed - ledger.starts,
            "writers_failed": self._failed,
            "examples": sorted(name for names in wrong for name in names)[:10],
            "differences": list(rebuilt.differences)[:10],
            "passed": not any(wrong) and bool(rebuilt.equal) and same and not orphans and not self._failed,
        }

    def _ended(self, number: int) -> list[ForkServerProcess]:
        """Start the writers of a round and kill each at its moment; return them, dead.

        One that ended by itself has failed, and said why on stderr.
        """
        processes: list[ForkServerProcess] = []
        sizes = [path.stat().st_size if path.exists() else 0 for path in self._files]
        for writer, path in enumerate(self._files):
            job = Job(self._home, path, writer, number, self._token, self._again.get(writer, ()))
            process = self._context.Process(target=write_until_killed, args=(job,), daemon=True)
            process.start()
            processes.append(process)
        moments = [self._moment() for _ in processes]
        began = time.monotonic()
        waiting = dict(enumerate(processes))
        ready = dict.fromkeys(waiting, 0.0)
        while waiting:
            now = time.monotonic()
            for writer, process in list(waiting.items()):
                early, seconds = moments[writer]
                if not ready[writer] and self._files[writer].exists():
                    ready[writer] = now if self._files[writer].stat().st_size > sizes[writer] else 0.0
                since = began if early else ready[writer]
                if not process.is_alive():
                    del waiting[writer]
                elif since and now - since >= seconds:
                    process.kill()
                    del waiting[writer]
            if now - began > _READY_SECONDS:
                raise BenchError(f"a writer of round {number} was not ready after {_READY_SECONDS:.0f} s")
            time.sleep(_STEP_SECONDS)
        return processes

    def _moment(self) -> tuple[bool, float]:
        """Return when to kill a writer: seconds after its start (True), or after it was ready."""
        early = self._random.random() < _EARLY
        return early, self._random.uniform(0, _EARLY_SECONDS) if early else self._random.uniform(*_LATE_SECONDS)

    def _memory(self) -> Memory:
        return Memory.open(self._home, embedder=HashedEmbedder())


@contextmanager
def _home(named: Path | None) -> Iterator[Path]:
    """Give the folder to work in; one that is named must be empty, and stays."""
    if named is not None and named.exists() and any(named.iterdir()):
        raise BenchError(f"{named} is not empty: name a new folder")
    with home_folder(named, "crash") as folder:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder


def _orphans(token: str) -> int:
    """Return how many processes the dead writers left behind, once those that only need a moment are gone."""
    deadline = time.monotonic() + 10
    while (left := _marked(token)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def _marked(token: str) -> int:
    wanted = f"{MARK}={token}".encode()
    count = 0
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            count += wanted in path.read_bytes().split(b"\0")
        except OSError:
            continue
    return count
