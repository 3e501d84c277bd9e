"""Who speaks: whether a turn is said by the person that a question is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.compute import QueryText
from homeagent.memory.recall.score import without_names
from homeagent.memory.turn import OWNER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from homeagent.memory.identity import People
    from homeagent.memory.store.records import IndexedTurn
    from homeagent.memory.turn import Viewer

__all__ = ["Speakers"]

_NOBODY = frozenset({"", OWNER, "user", "assistant", "system", "用户", "助手"})


class Speakers:
    """The person one question is about, as far as its words tell: one named speaker, or the asker himself."""

    def __init__(self, named: tuple[str, ...], viewer: Viewer | None, people: People, about_asker: bool) -> None:
        self._named = named
        self._people = people
        self._asker = people.person(viewer.place.channel, viewer.person) if viewer is not None and about_asker else None

    @staticmethod
    def names(speakers: Iterable[str]) -> tuple[str, ...]:
        """Return those sender ids that a question may name: not "user", not the owner's id."""
        return tuple(each for each in speakers if each not in _NOBODY)

    def agreement(self, rows: Sequence[IndexedTurn], words: Callable[[IndexedTurn], str]) -> list[float]:
        """Return for each turn 1 where that person speaks, -1 where somebody else does without naming him, else 0."""
        if len(self._named) == 1:
            return [self._named_speaks(row, words) for row in rows]
        if self._asker is None or self._named:
            return [0.0] * len(rows)
        persons = [self._people.person(row.place.channel, row.sender) if row.cues.people else None for row in rows]
        if self._asker not in persons or len(set(persons) - {None}) == 1:
            return [0.0] * len(rows)  # where only one person speaks, that he speaks tells nothing
        return [1.0 if person == self._asker else 0.0 for person in persons]

    def _named_speaks(self, row: IndexedTurn, words: Callable[[IndexedTurn], str]) -> float:
        if row.sender == self._named[0]:
            return 1.0
        if row.sender in _NOBODY or not row.cues.people:
            return 0.0
        return 0.0 if without_names(QueryText(words(row) + " x"), self._named)[1] else -1.0
