"""The owner's rule for outputs that a policy hides: keep them, or erase them after some days. Both are events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from homeagent.errors import InputError
from homeagent.memory.store.records import Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from homeagent.memory.erasing.forgetting import Forgetting
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import TurnRow
    from homeagent.memory.turn import TurnId

__all__ = ["BY", "DueOutput", "Retention"]

BY: Final = "retention"
"""Who an erasure by this rule is said to be by."""

_RULE: Final = "retention"
_LONGEST: Final = 36_500


@dataclass(frozen=True, slots=True)
class DueOutput:
    """A hidden output whose time is over; ``size`` in bytes of text and arguments."""

    turn: TurnId
    external_id: str
    segment: int
    tool: str
    size: int


class Retention:
    """Applies the rule to hidden outputs and nothing else: a turn's words, and what is computed, are never touched."""

    def __init__(
        self, log: LogStore, derived: DerivedStore, forgetting: Forgetting, clock: Callable[[], datetime]
    ) -> None:
        self._log = log
        self._derived = derived
        self._forgetting = forgetting
        self._clock = clock

    def keep(self) -> None:
        """Keep hidden outputs for good. This is so until a rule is set."""
        self._log.add_outcome(_RULE, json.dumps({"days": None}))

    def erase_after(self, days: int) -> None:
        """Erase hidden outputs ``days`` after their turn. Raises `InputError` unless that is 1 to 36,500."""
        if not 1 <= days <= _LONGEST:
            raise InputError("--after-days", f"is {days}", f"Give a number of days from 1 to {_LONGEST}")
        self._log.add_outcome(_RULE, json.dumps({"days": days}))

    @property
    def days(self) -> int | None:
        """After how many days hidden outputs are erased; None when they are kept."""
        rules = [row for row in self._log.outcomes() if row.kind == _RULE]
        days: int | None = json.loads(rules[-1].payload)["days"] if rules else None
        return days

    def due(self) -> list[DueOutput]:
        """Return the hidden outputs whose time is over now, oldest first; a turn without a time is never due."""
        return [output for _, _, output in self._due()]

    def run(self) -> list[DueOutput]:
        """Erase what is due, by one erasure; return it."""
        found = list(self._due())
        if found:
            self._forgetting.erase_outputs([(turn, seq) for turn, seq, _ in found], by=BY)
        return [output for _, _, output in found]

    def room(self) -> dict[str, dict[str, int]]:
        """Return what takes the room, in bytes: layers of the log, layers of the computed half, texts by tool."""
        return {"log": self._log.layers(), "derived": self._derived.layers(), "tools": self._log.texts()}

    def _due(self) -> Iterator[tuple[TurnRow, int, DueOutput]]:
        days = self.days
        if days is None:
            return
        before = Moment.of(self._clock() - timedelta(days=days)).microseconds
        for turn in self._log.turns():
            if turn.closed is None or turn.at is None or turn.at.microseconds > before:
                continue
            hidden = {row.segment for row in self._derived.computed_of(turn.seq) if _is_hidden(row.role, row.decision)}
            for row in self._log.segments(turn.seq) if hidden else ():
                if row.seq in hidden:
                    segment = row.segment
                    size = len(f"{segment.text}{segment.arguments or ''}".encode("utf-8", "surrogatepass"))
                    output = DueOutput(turn.turn_id, turn.external_id, row.position, segment.tool or "", size)
                    yield turn, row.seq, output


def _is_hidden(role: str, decision: str) -> bool:
    return role == "tool" and decision == "hidden"
