"""Restoring: a backup becomes the log of this home; what was here is put aside, and everything is derived again."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from homeagent.errors import HomeError, StoreError
from homeagent.memory.lease import Lease
from homeagent.memory.store.sqlite.log_restore import copy_checked, count_turns, erase_again, let_go

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.paths import Home

__all__ = ["Restored", "restore"]


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore did: turns that are here now, turns erased again, and where what was here is kept, if anywhere."""

    turns: int
    erased: int
    aside: Path | None


def restore(home: Home, backup: Path, *, replace: bool) -> Restored:
    """Put a backup in the place of the home's log. Nobody may have the home open.

    What was erased since the backup was made is erased again. Raises `HomeError` when the home holds turns and
    ``replace`` is False, `StoreError` when the backup can't be used or a process has the home open; then nothing
    changes.
    """
    home.prepare()
    part = home.root / ".restore.part"
    part.unlink(missing_ok=True)
    try:
        with Lease(home.lease).held(1.0) as held:
            if not held:
                raise StoreError(str(home.root), "is open in another process", "Close it and try again")
            let_go(home.log)
            here = count_turns(home.log)
            if here and not replace:
                raise HomeError(
                    str(home.root), f"holds {here} turns", "Add --yes; what is here is kept as a copy that is named"
                )
            copy_checked(backup, part)
            erased = erase_again(home.log, part, time.time_ns() // 1000)
            aside = home.log.with_name(f"log.before-{datetime.now(UTC):%Y%m%dT%H%M%S%f}.db") if here else None
            if aside is not None:
                home.log.rename(aside)
            for name in ("", "-wal", "-shm"):
                home.derived.with_name(home.derived.name + name).unlink(missing_ok=True)
            part.replace(home.log)
        return Restored(count_turns(home.log), erased, aside)
    finally:
        part.unlink(missing_ok=True)
