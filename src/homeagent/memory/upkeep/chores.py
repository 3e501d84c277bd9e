"""What is due now and then: backups by the rule, and hidden outputs whose time is over.

Called when a command starts and, now and then, by every process that stays.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.paths import make_private

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.memory.memory import Memory
    from homeagent.memory.upkeep.retention import DueOutput

__all__ = ["Chores", "do_chores", "wait_a_day"]

_DAY_SECONDS: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Chores:
    """What was done: the backup that was made, if one was due, and the outputs that were erased."""

    backup: Path | None
    erased: tuple[DueOutput, ...]


def do_chores(memory: Memory) -> Chores:
    """Do what is due; a look at two small files when nothing is. Retention is looked at once a day.

    Raises `HomeAgentError` when the disk is full or a copy can't be erased from; the rule stays, and it is tried again.
    """
    backup = memory.backups.make_due()
    if memory.retention.days is None or not _is_a_day_old(_mark(memory)):
        return Chores(backup, ())
    erased = tuple(memory.retention.run())
    _mark(memory).touch()
    return Chores(backup, erased)


def wait_a_day(memory: Memory) -> None:
    """Let the rule for hidden outputs be applied by itself in a day at the earliest: time to look at what it means."""
    make_private(_mark(memory))
    _mark(memory).touch()


def _mark(memory: Memory) -> Path:
    return memory.home.root / "retention.ran"


def _is_a_day_old(mark: Path) -> bool:
    try:
        return time.time() - mark.stat().st_mtime >= _DAY_SECONDS
    except FileNotFoundError:
        make_private(mark)
        return False
