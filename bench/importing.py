"""Keeping whole sets in one home, as a user would, with the speed and the size of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.dialogues import Dialogues
from bench.homes import disk_bytes, fill
from bench.noise_sets import read_noise_set
from bench.toolnoise import POLICIES
from homeagent.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from bench.options import Options
    from homeagent.memory import Turn

__all__ = ["import_report", "import_table"]


def import_report(options: Options, home: Path) -> dict[str, object]:
    """Keep the sets in ``home``, derive everything, and return turns, seconds, turns a second, what waits, bytes."""
    sets = options.sets
    names = sets.chosen(options.names, (*sets.conversations, *sets.noise))
    turns: list[Turn] = []
    for name in names:
        turns += read_noise_set(sets, name).turns("ours") if name in sets.noise else Dialogues(sets, name).turns()
    with Memory.open(home, embedder=options.new_embedder()) as memory:
        if any(name in sets.noise for name in names):
            memory.declare_policies(POLICIES)
        seconds = fill(memory, turns, ", ".join(names))
        pending = sum(memory.pending().values())
        digest = memory.digest()
    return {
        "sets": list(names),
        "home": str(home),
        "turns": len(turns),
        "seconds": round(seconds, 2),
        "turns_per_second": round(len(turns) / seconds, 1) if seconds else None,
        "pending": pending,
        "disk_bytes": disk_bytes(home),
        "raw_digest": digest,
    }


def import_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{name:<18}{value}" for name, value in report.items())
