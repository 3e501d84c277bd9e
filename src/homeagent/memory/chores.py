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
    from homeagent.memory.retention import DueOutput

__all__ = ["Chores", "do_chores"]

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
    if memory.retention.days is None or not _once_a_day(memory.home.root / "retention.ran"):
        return Chores(backup, ())
    return Chores(backup, tuple(memory.retention.run()))


def _once_a_day(mark: Path) -> bool:
    """Whether this is the first time for a day; it is marked so."""
    try:
        if time.time() - mark.stat().st_mtime < _DAY_SECONDS:
            return False
        mark.touch()
    except FileNotFoundError:
        make_private(mark)
    return True
