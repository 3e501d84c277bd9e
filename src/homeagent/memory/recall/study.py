"""A look into recall, to measure and to fit it: one question under several weightings, and the evidence itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from homeagent.memory.people.identity import People
    from homeagent.memory.recall.recaller import Evidence, Recaller
    from homeagent.memory.recall.score import Scoring
    from homeagent.memory.results import Recall
    from homeagent.memory.turn import Viewer

__all__ = ["Study"]


class Study:
    """What `Memory.recall` goes by, laid open. It finds no more than a recall by the same viewer would."""

    def __init__(self, recaller: Recaller, people: Callable[[], People]) -> None:
        self._recaller = recaller
        self._people = people

    def recalls(
        self, text: str, weightings: Sequence[Scoring], *, viewer: Viewer | None, at: datetime, limit: int
    ) -> list[Recall]:
        """Return what a recall would hand out under each of the weightings, in their order, of the same candidates."""
        return self._recaller.recall_under(text, weightings, viewer=(viewer, self._people()), at=at, limit=limit)

    def evidence(self, text: str, *, viewer: Viewer | None, at: datetime) -> Evidence:
        """Return what is known about each candidate before it is weighed, as `score.rank_turns` takes it."""
        return self._recaller.evidence(text, viewer=(viewer, self._people()), at=at)
