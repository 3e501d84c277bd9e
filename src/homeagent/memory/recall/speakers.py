"""Who speaks: whether a turn is said by the person that a question is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.text.fold import fold_text
from homeagent.memory.turn import OWNER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.people.identity import People
    from homeagent.memory.turn import Viewer

__all__ = ["asker_speaks", "nameable", "named_speaks", "quoted_speaks"]

_NOBODY = frozenset({"", OWNER, "user", "assistant", "system", "用户", "助手"})

Said = tuple[str, str, bool]
"""Of a turn: its sender, the channel, and whether people speak in it at all."""


def nameable(speakers: Iterable[str]) -> tuple[str, ...]:
    """Return those sender ids that a question may name: not "user", not the owner's id."""
    return tuple(sorted(each for each in speakers if each not in _NOBODY))


def named_speaks(said: Sequence[Said], name: str, mentions: Sequence[bool]) -> list[float]:
    """Return for each turn 1 where ``name`` speaks, -1 where another does without mentioning him, else 0."""
    return [
        1.0 if sender == name else 0.0 if sender in _NOBODY or not people or mentioned else -1.0
        for (sender, _, people), mentioned in zip(said, mentions, strict=True)
    ]


def asker_speaks(said: Sequence[Said], viewer: Viewer, persons: People) -> list[float]:
    """Return for each turn 1 where the asker himself speaks, else 0; all 0 where only one person ever speaks."""
    asker = persons.person(viewer.place.channel, viewer.person)
    who = [persons.person(channel, sender) if people else None for sender, channel, people in said]
    if asker not in who or len(set(who) - {None}) == 1:
        return [0.0] * len(said)
    return [1.0 if person == asker else 0.0 for person in who]


def quoted_speaks(quoted: Sequence[tuple[str, bool]], name: str, others: Iterable[str]) -> list[float]:
    """Return for each piece of an output 1 where ``name`` is quoted or written about, -1 where another is quoted.

    ``quoted``: who is named in front of the piece, folded, and whether it names ``name`` at all. ``others`` are the
    people who are known; a piece with nobody's name in front is about whom it names, and with another's says 0 of him.
    """
    wanted = fold_text(name)
    known = {fold_text(other) for other in others} - {wanted}
    return [
        1.0 if who == wanted else (0.0 if mentioned else -1.0) if who in known else float(mentioned)
        for who, mentioned in quoted
    ]
