"""Backups by rule: a copy of the log every so many hours, in the home, the newest few kept.

Whatever process runs calls `Backups.make_due` now and then; there is no clockwork of its own. A copy inside the home
helps against a damaged file and a mistake, not against a lost disk: for that, copy one elsewhere.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from homeagent.errors import HomeError, InputError
from homeagent.paths import make_private

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from homeagent.memory.lease import Lease
    from homeagent.memory.store.protocols import LogStore
    from homeagent.paths import Home

__all__ = ["BackupRule", "Backups"]

_NAME: Final = "log-%Y%m%dT%H%M%SZ.db"
_LEAST_HOURS: Final = 0.1


@dataclass(frozen=True, slots=True)
class BackupRule:
    """A backup every ``hours``; of those the newest ``keep`` stay."""

    hours: float
    keep: int


class Backups:
    """Makes the backups that the rule asks for. Each is erased from when something is erased."""

    def __init__(self, home: Home, log: LogStore, lease: Lease, clock: Callable[[], datetime]) -> None:
        self._home = home
        self._log = log
        self._lease = lease
        self._clock = clock

    @property
    def rule(self) -> BackupRule | None:
        """The rule, or None where there is none."""
        try:
            said = json.loads(self._path.read_text("utf-8"))
            return BackupRule(float(said["hours"]), int(said["keep"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def set_rule(self, rule: BackupRule | None) -> None:
        """Set the rule, None for no backups by themselves; those that are there stay.

        Raises `InputError`, and `HomeError` when it can't be written down.
        """
        if rule is not None and (not _LEAST_HOURS <= rule.hours < 100_000 or rule.keep < 1):
            step = f"Give at least {_LEAST_HOURS} hours, and at least 1 to keep"
            raise InputError("backups", f"can't be made every {rule.hours} hours, {rule.keep} kept", step)
        part = self._path.with_suffix(".part")
        try:
            if rule is None:
                self._path.unlink(missing_ok=True)
                return
            make_private(part)
            part.write_text(json.dumps({"hours": rule.hours, "keep": rule.keep}), "utf-8")
            part.replace(self._path)
        except OSError as error:
            step = "Free some space or mend the permissions; the rule is as it was"
            raise HomeError(str(self._path), f"can't be written ({error.strerror or error})", step) from error

    def made(self) -> list[Path]:
        """Return the backups made by the rule, oldest first."""
        return sorted(self._home.backups.glob("log-*.db"))

    def make_due(self) -> Path | None:
        """Make a backup when one is due; return it, or None. Safe to call often, from any process."""
        rule = self.rule
        if rule is None or not self._is_due(rule):
            return None
        with self._lease.held(1.0) as held:  # an erasure holds it too: none slips in between
            if not held or not self._is_due(rule):
                return None
            self._home.backups.mkdir(mode=0o700, exist_ok=True)
            target = self._home.backups / self._clock().astimezone(UTC).strftime(_NAME)
            part = target.with_suffix(".part")
            part.unlink(missing_ok=True)
            self._log.copy_to(part)
            part.replace(target)
            for old in self.made()[: -rule.keep]:
                old.unlink(missing_ok=True)
        return target

    def _is_due(self, rule: BackupRule) -> bool:
        for path in reversed(self.made()):
            with contextlib.suppress(ValueError):
                made = datetime.strptime(path.name, _NAME).replace(tzinfo=UTC)
                return (self._clock() - made).total_seconds() >= rule.hours * 3600
        return True

    @property
    def _path(self) -> Path:
        return self._home.root / "backups.json"
