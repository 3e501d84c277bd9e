"""A process that writes until it is killed, and notes down each promise that the memory made to it."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from bench.crash_turns import group_of, kind_of, made, segments_of
from bench.vectors import HashedEmbedder
from homeagent.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from homeagent.memory import TurnId

__all__ = ["MARK", "READY", "Job", "write_until_killed"]

READY: Final = "ready"
"""The first line of every start."""

MARK: Final = "HOMEAGENT_BENCH_CRASH"
"""Environment variable by which processes that a killed writer left behind are found."""

_MOST: Final = 12
_TOGETHER: Final = 3


@dataclass(frozen=True, slots=True)
class Job:
    """What one writer does in one round. ``again`` are turns that were under way when it was killed before."""

    home: Path
    promises: Path
    writer: int
    round: int
    token: str
    again: tuple[str, ...] = ()


def write_until_killed(job: Job) -> None:
    """Keep turns in every way there is, and note each promise after it was made; then wait for the end."""
    os.environ[MARK] = job.token
    notes = os.open(job.promises, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with Memory.open(job.home, embedder=HashedEmbedder()) as memory:
        _note(notes, READY, str(job.round))
        for _, names in groupby(job.again, group_of):
            _keep(memory, notes, list(names))
        for number in range(_MOST):
            _write(memory, notes, f"w{job.writer}r{job.round}n{number}")
        while True:
            time.sleep(60)


def _write(memory: Memory, notes: int, name: str) -> None:
    match kind_of(name):
        case "keep":
            _keep(memory, notes, [name])
        case "together":
            _keep(memory, notes, [f"{name}p{part}" for part in range(_TOGETHER)])
        case "steps":
            _steps(memory, notes, name)


def _keep(memory: Memory, notes: int, names: Sequence[str]) -> None:
    """Keep turns in one commit, said before and noted after."""
    _note(notes, "try", *names)
    memory.keep_all([made(name) for name in names])
    _note(notes, "kept", *names)


def _steps(memory: Memory, notes: int, name: str) -> None:
    whole = made(name)
    turn = memory.begin(replace(whole, segments=whole.segments[:1]))
    _note(notes, "begun", name)
    _append(memory, notes, name, turn)
    if random.Random(name).random() < 0.2:  # noqa: S311 - left open on purpose, as a turn under way is
        return
    memory.close(turn)
    _note(notes, "kept", name)


def _append(memory: Memory, notes: int, name: str, turn: TurnId) -> None:
    for segment in list(segments_of(name))[1:]:
        memory.append(turn, segment)
        _note(notes, "appended", name)


def _note(notes: int, what: str, *names: str) -> None:
    """Write lines that are on the disk when this returns."""
    os.write(notes, _lines(what, names))
    os.fsync(notes)


def _lines(what: str, names: Sequence[str]) -> bytes:
    return "".join(f"{what} {name}\n" for name in names).encode("ascii")
