"""What a long memory costs: the time of a question and of keeping a turn, embedding, RAM, disk, and how it grows.

A home is filled through the public API, with synthetic vectors; then a process of its own opens it with the offline
model, asks, and keeps turns one by one while their vectors are made in the background, as in a running agent.
"""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.cost_turns import CHATS, cost_turns, questions
from bench.cost_vectors import SyntheticEmbedder
from bench.errors import BenchError
from bench.homes import disk_bytes, home_folder
from bench.metrics import percentile
from bench.progress import Progress, say
from bench.vectors import HashedEmbedder
from homeagent.memory import Memory, Place, Viewer
from homeagent.memory.embed import OfflineEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from homeagent.memory.embed import Embedder

__all__ = ["cost_report", "cost_table"]

_SMALL: Final = 10_000
_BATCH: Final = 256
_ASKED: Final = 200
_WARM: Final = 10
_KEPT: Final = 300
_CHECKED: Final = 25
_DEEP: Final = 1_000
_EMBEDDED: Final = 1_000
_ALLOWED_SECONDS: Final = 600
_MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class _Measured:
    """Milliseconds of each question and each kept turn, and the process's resident bytes after the questions."""

    recall: list[float]
    keep: list[float]
    resident: int


def cost_report(segments: int, homes: Path | None, *, offline: bool = True) -> dict[str, object]:
    """Return the cost of a home with ``segments`` segments; above 10,000 also against one with 10,000.

    ``homes`` keeps the filled homes for the next run. ``offline`` False uses a tiny embedder, for tests.
    """
    if segments < 1:
        raise BenchError("A home to measure needs at least one segment: give --segments a number above 0")
    measured, disk, filled = _one(segments, homes, offline)
    report: dict[str, object] = {
        "segments": segments,
        "recall_ms": _spread(measured.recall),
        "keep_ms": _spread(measured.keep),
        "embedded_per_second": round(_embedded_per_second(offline), 1),
        "memory_mb": round(measured.resident / _MEGABYTE, 1),
        "disk_mb": round(disk / _MEGABYTE, 1),
        "filled_per_second": filled,
    }
    if segments > _SMALL:
        small, _, _ = _one(_SMALL, homes, offline)
        report["small"] = {"recall_ms": _spread(small.recall), "keep_ms": _spread(small.keep), "segments": _SMALL}
        report["growth"] = {
            "recall": _growth(measured.recall, small.recall),
            "keep": _growth(measured.keep, small.keep),
        }
    return report


def cost_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{name:<22}{value}" for name, value in report.items())


def _spread(times: list[float]) -> dict[str, float]:
    return {"p50": round(percentile(times, 0.5), 2), "p95": round(percentile(times, 0.95), 2)}


def _growth(large: list[float], small: list[float]) -> float:
    """Return how many times the p95 of the small home the p95 of the large one is."""
    return round(percentile(large, 0.95) / percentile(small, 0.95), 2)


def _embedder(offline: bool) -> Embedder:
    return OfflineEmbedder() if offline else HashedEmbedder()


def _one(segments: int, homes: Path | None, offline: bool) -> tuple[_Measured, int, float | None]:
    """Fill and measure one home; return with it the bytes on the disk and the segments filled a second."""
    with home_folder(homes, f"cost-{segments}-{'offline' if offline else 'hashed'}") as folder:
        filled = _filled(folder, segments, offline)
        size = disk_bytes(folder)
        say(f"{segments:,} segments: a process opens, asks and keeps")
        return _in_process(partial(_measure, folder, segments, offline)), size, filled


def _filled(folder: Path, segments: int, offline: bool) -> float | None:
    """Fill a home that is not full yet; return the segments filled a second, None when it was full."""
    progress = Progress(f"filling {segments:,} segments")
    with Memory.open(folder, embedder=SyntheticEmbedder(_embedder(offline))) as memory:
        there = memory.counts().get("segment", 0)
        if there >= segments:
            memory.settle(progress=progress.step)
            return None
        turns = cost_turns(segments - there, first=memory.counts().get("turn", 0))
        done = there
        while batch := [turn for _, turn in zip(range(_BATCH), turns, strict=False)]:
            memory.keep_all(batch)
            done += sum(len(turn.segments) for turn in batch)
            progress.at(done, segments)
        memory.settle(progress=progress.step)
    return round((segments - there) / progress.done("kept and derived"), 1)


def _in_process(work: Callable[[], _Measured]) -> _Measured:
    """Return what ``work`` returns in a new process, which has nothing of this one in its memory."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    other = context.Process(target=_answer, args=(work, theirs), daemon=True)
    other.start()
    theirs.close()
    try:
        measured: _Measured = ours.recv()
    except EOFError:
        raise BenchError("The measuring process ended without an answer; what it said stands above") from None
    finally:
        other.join(30)
    return measured


def _answer(work: Callable[[], _Measured], answers: Connection) -> None:
    answers.send(work())


def _measure(folder: Path, segments: int, offline: bool) -> _Measured:
    with Memory.open(folder, embedder=_embedder(offline)) as memory:
        recall = [_asked(memory, number, text) for number, text in enumerate(questions(_WARM + _ASKED))]
        resident = _resident()
        keep = _kept(memory, 10 * segments + memory.counts()["turn"])
    return _Measured(recall[_WARM:], keep[_WARM:], resident)


def _asked(memory: Memory, number: int, text: str) -> float:
    """Ask, every second pair of questions as the owner in one chat; return the milliseconds."""
    place = Place("cli", f"chat {number % CHATS}")
    viewer = Viewer("owner", place, ("owner",)) if number % 4 > 1 else None
    started = time.perf_counter()
    memory.recall(text, viewer=viewer)
    return 1000 * (time.perf_counter() - started)


def _kept(memory: Memory, first: int) -> list[float]:
    """Keep turns one by one; return the milliseconds of each. Raises `BenchError` when one can't be found at once."""
    times: list[float] = []
    for turn in cost_turns(2 * (_WARM + _KEPT), first=first):
        if len(times) == _WARM + _KEPT:
            break
        started = time.perf_counter()
        memory.keep(turn)
        times.append(1000 * (time.perf_counter() - started))
        if len(times) % _CHECKED == 0:
            # Far down it may be: the neighbours' vectors are made up, so vectors say nothing that words could go by.
            found = memory.recall(turn.segments[0].text, limit=_DEEP).hits
            if turn.external_id not in {hit.external_id for hit in found}:
                raise BenchError(f"Turn {turn.external_id} was kept but full text does not find it")
    return times


def _embedded_per_second(offline: bool) -> float:
    """Return how many short turns a second the background thread embeds, counted from the first moment of waiting."""
    with home_folder(None, "embedded") as folder, Memory.open(folder, embedder=_embedder(offline)) as memory:
        turns = [turn for turn in cost_turns(2 * _EMBEDDED) if len(turn.segments) == 1 or int(turn.external_id) % 3]
        memory.keep_all(turns[:1])
        _wait(memory)  # the model is loaded
        memory.keep_all(turns[1:_EMBEDDED])
        started = time.perf_counter()
        waiting = memory.pending().get("embed", 0)
        _wait(memory)
        return waiting / max(1e-3, time.perf_counter() - started)


def _wait(memory: Memory) -> None:
    until = time.monotonic() + _ALLOWED_SECONDS
    while memory.pending().get("embed", 0):
        if time.monotonic() > until:
            raise BenchError(f"The background embedded nothing for {_ALLOWED_SECONDS} s")
        time.sleep(0.02)


def _resident() -> int:
    """Return the resident bytes of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise BenchError("This system does not tell the memory of a process in /proc/self/status")
