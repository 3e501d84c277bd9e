"""The checks of a case, each asked of a memory and answered with what was found."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from homeagent.check.case import SOURCE, RecallCheck
from homeagent.check.report import CheckResult
from homeagent.check.scan import DerivedText, compared
from homeagent.errors import NotFoundError
from homeagent.memory.turn import Viewer

if TYPE_CHECKING:
    from datetime import datetime

    from homeagent.check.case import Case, Check
    from homeagent.memory import Memory, Recall, Turn

__all__ = ["Checker"]

_LOOK_AT = 10
"""How many hits are looked at when an order is checked: those below ``top`` tell absent from lower."""


class Checker:
    """Answers the checks of one case after its last step."""

    def __init__(self, memory: Memory, case: Case, asked_at: datetime | None) -> None:
        self._memory = memory
        self._case = case
        self._asked_at = asked_at

    def result(self, check: Check) -> CheckResult:
        """Return whether a check holds, and what was found."""
        if isinstance(check, RecallCheck):
            label = f"recall {check.query!r} {check.expectation}"
            return CheckResult(f"{label} {' '.join(check.turns)}".rstrip(), *self._recalled(check))
        if check.kind == "raw_equal":
            return CheckResult("raw_equal", *self._raw_equal())
        marker = compared(check.text)
        holders = [text for text in self._computed if marker in text]
        if check.kind == "computed":
            why = f"in {len(holders)} computed texts" if holders else "in no computed text"
            return CheckResult(f"computed {check.text!r}", bool(holders), why)
        places = self._derived.places(check.text)
        why = f"{len(holders)} computed texts hold it; in the file it stands in {', '.join(places)}"
        return CheckResult(
            f"never_computed {check.text!r}",
            not holders and not places,
            why if holders or places else "nowhere",
        )

    @cached_property
    def _computed(self) -> list[str]:
        return [compared(row.text.text) for row in self._memory.all_computed()]

    @cached_property
    def _derived(self) -> DerivedText:
        return DerivedText(self._memory.home.derived)

    def _recalled(self, check: RecallCheck) -> tuple[bool, str]:
        found = self._memory.recall(
            check.query,
            viewer=Viewer(check.person, check.place, self._case.members(check.place)),
            at=check.at or self._asked_at,
            limit=max(check.top, _LOOK_AT),
        )
        names = [hit.external_id if hit.source == SOURCE else f"({hit.external_id})" for hit in found.hits]
        got = f"got {', '.join(names[: check.top + 2]) or 'nothing'}"
        match check.expectation:
            case "abstain":
                return found.nothing, _abstained(found)
            case "must_include_turn":
                return check.turns[0] in names[: check.top], f"wanted within {check.top}, {got}"
            case "must_not_include_turn":
                return check.turns[0] not in names[: check.top], f"not wanted within {check.top}, {got}"
            case _:
                first, *others = check.turns
                below = names.index(first) if first in names[: check.top] else -1
                lower = all(other not in names or names.index(other) > below for other in others)
                return below >= 0 and lower, f"wanted within {check.top} before the others, {got}"

    def _raw_equal(self) -> tuple[bool, str]:
        erased = {step.name for step in self._case.steps if step.kind == "erase"}
        for turn in self._case.turns:
            if turn.external_id not in erased:
                wrong = self._difference(turn)
                if wrong:
                    return False, f"turn {turn.external_id}: {wrong}"
        return True, "every turn reads back as it was said"

    def _difference(self, turn: Turn) -> str:
        try:
            row = self._memory.find(turn.external_id, source=SOURCE)
        except NotFoundError:
            return "is gone"
        at = row.at.datetime() if row.at is not None else None
        if (row.place, row.sender, row.members, at) != (turn.place, turn.sender, turn.members, turn.at):
            return "its place, people or time differ"
        kept = [each.segment for each in self._memory.segments(row)]
        if len(kept) != len(turn.segments):
            return f"has {len(kept)} segments, had {len(turn.segments)}"
        for number, (now, then) in enumerate(zip(kept, turn.segments, strict=True)):
            if now != then:
                return f"segment {number} differs"
        return ""


def _abstained(found: Recall) -> str:
    says = "has nothing" if found.nothing else "has something"
    best = f", best hit {found.hits[0].external_id}" if found.hits else ""
    return f"the memory says that it {says} (answerable {found.answerable:.2f}{best})"
