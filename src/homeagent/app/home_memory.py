"""The memory as the agent asks for it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from homeagent.app.home_knowledge import HomeKnowledge, past_turn
from homeagent.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from homeagent.agent import PastTurn
    from homeagent.memory import Explanation, Memory, Place, Recall, Segment, Turn, TurnId, Viewer
    from homeagent.memory.store.records import TurnRow
    from homeagent.memory.turn import Status

__all__ = ["HomeMemory"]

_LOOKED_AT = 10
"""So many times as many turns are looked at as may be in view: archived ones stand among them."""

_FEW: Final = 40
"""So many things are derived before a turn recalls without being asked to: well under a second."""


_MANY_TALK: Final = 4
"""In so many chats at once a turn may be under way while the vectors that wait are made first."""


class HomeMemory:
    """The memory as the agent asks for it (`homeagent.agent.MemoryPort`)."""

    def __init__(self, memory: Memory, talking: Callable[[], int] = lambda: 1) -> None:
        """``talking`` says in how many chats a turn is under way."""
        self._memory = memory
        self._talking = talking
        self.knowledge = HomeKnowledge(memory)

    def begin(self, turn: Turn) -> TurnId:
        """Open a turn with what came in."""
        return self._memory.begin(turn)

    def append(self, turn: TurnId, segment: Segment) -> None:
        """Add a segment to an open turn."""
        self._memory.append(turn, segment)

    def close(self, turn: TurnId, status: Status = "done") -> None:
        """Close a turn for good."""
        self._memory.close(turn, status)

    def keep(self, turn: Turn) -> TurnId:
        """Keep a whole turn."""
        return self._memory.keep(turn)

    def knows(self, source: str, external_id: str) -> bool:
        """Whether a turn of this source and name was ever opened."""
        try:
            return bool(self._memory.find(external_id, source=source))
        except NotFoundError:
            return False

    def recall(self, text: str, *, viewer: Viewer | None, at: datetime | None, limit: int) -> Recall:
        """Return what is remembered about ``text`` and ``viewer`` may see; first the few vectors that wait are made."""
        self.settle_few()  # what was said a moment ago is found by its meaning too
        return self._memory.recall(text, viewer=viewer, at=at, limit=limit)

    def settle_few(self) -> None:
        """Derive what waits, unless it is much, or many talk at once: then that is left to a quieter moment."""
        if self._talking() <= _MANY_TALK and 0 < sum(self._memory.pending().values()) <= _FEW:
            self._memory.settle()

    def explain(self, name: str) -> Explanation:
        """Say segment by segment what of a turn is computed."""
        return self._memory.explain(name)

    def in_view(self, place: Place, limit: int) -> Sequence[PastTurn]:
        """Return the newest closed turns of a chat that were never archived or forgotten, oldest first."""
        return [past_turn(self._memory, row) for row in reversed(self._newest(place, limit))]

    def _newest(self, place: Place, limit: int) -> list[TurnRow]:
        """Return what is in view of a chat, newest first. What left it stands between what stayed."""
        found: list[TurnRow] = []
        for row in islice(self._memory.turns(place), limit * _LOOKED_AT):
            if len(found) == limit:
                break
            if row.closed is None or self._is_archived(row):
                continue
            if not any(each.decision == "forgotten" for each in self._memory.computed(row.turn_id)):
                found.append(row)
        return found

    def _is_archived(self, row: TurnRow) -> bool:
        # A document that was made on purpose takes nothing out of view.
        return any(each.document.startswith("d") for each in self._memory.documents([row.seq]))

    def segments(self, turn: TurnId) -> Sequence[Segment]:
        """Return the raw segments of a turn."""
        return [row.segment for row in self._memory.raw(turn)]

    def archive(self, turns: Sequence[TurnId]) -> None:
        """Put these turns away together."""
        self._memory.archive(turns)

    def forget(self, name: str) -> None:
        """Hide a turn from recall and from views."""
        self._memory.forget(name)
