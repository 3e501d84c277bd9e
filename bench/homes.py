"""Homes to measure in: a folder of our own that is thrown away, or one that is kept and filled once."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.progress import Progress
from homeagent.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from homeagent.memory import Turn
    from homeagent.memory.embed import Embedder
    from homeagent_sdk import MemoryPolicy

__all__ = ["disk_bytes", "fill", "home_folder", "opened"]

_BATCH: Final = 256


@contextmanager
def home_folder(kept: Path | None, name: str) -> Iterator[Path]:
    """Give the folder for one home: below ``kept``, where it stays, or a temporary one."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept / name.replace("/", "_")
        return
    with tempfile.TemporaryDirectory(prefix="homeagent-bench-") as folder:
        yield Path(folder) / "home"


@contextmanager
def opened(
    folder: Path,
    embedder: Embedder,
    turns: Sequence[Turn],
    what: str,
    *,
    policies: Mapping[str, MemoryPolicy] | None = None,
) -> Iterator[Memory]:
    """Give the memory in ``folder`` with the turns kept in it and everything derived under the declared policies."""
    with Memory.open(folder, embedder=embedder) as memory:
        if policies:
            memory.declare_policies(policies)
        fill(memory, turns, what)
        yield memory


def fill(memory: Memory, turns: Sequence[Turn], what: str) -> float:
    """Keep the turns and wait until everything is derived; return the seconds. Turns that are there already stay."""
    progress = Progress(what)
    for start in range(0, len(turns), _BATCH):
        memory.keep_all(turns[start : start + _BATCH])
        progress.at(start, len(turns))
    memory.settle(progress=progress.step)
    return progress.done(f"{len(turns):,} turns kept and derived")


def disk_bytes(folder: Path) -> int:
    """Return how many bytes the files below a folder take."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
