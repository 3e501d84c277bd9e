"""What the graph hands out. All text here is compute text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import date, datetime

    from homeagent.memory.store.graph_records import EntityKind, Mode, Voice
    from homeagent.memory.turn import TurnId

__all__ = ["Document", "Entity", "Fact", "Saying", "State"]

State = Literal["holds", "planned", "later", "over", "denied", "wrong"]
"""How a claim stood at the moment asked about: it held, was to come, was only made later, was over, was denied (it is
the denial), or was said on purpose to be wrong."""


@dataclass(frozen=True, slots=True)
class Saying:
    """One time that a fact was said: in which turn, by whom, in what words, from where in raw.

    ``turn`` is None for a fact that was written on purpose outside of any turn. ``segment`` is the log seq of the raw
    segment, ``span`` the characters of it, None where a cleaner rewrote it.
    """

    turn: TurnId | None
    external_id: str
    segment: int | None
    span: tuple[int, int] | None
    text: str
    by: str
    voice: Voice
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim and the time it held. ``fact`` is the id of the claim, the same after a rebuild.

    ``subject`` and ``object`` are entity ids (``object`` is empty where the value is a mere text). ``negative``: it
    was denied. ``since`` and ``until`` bound it, as far as was said; ``current`` tells whether it held at the moment
    asked about, ``state`` says more. ``retracted``: somebody said on purpose that it was wrong. ``days`` are those
    it speaks of.
    """

    fact: str
    subject: str
    subject_name: str
    relation: str
    value: str
    object: str
    negative: bool
    mode: Mode
    confidence: float
    since: datetime | None
    until: datetime | None
    current: bool
    state: State
    retracted: bool
    days: tuple[tuple[date, date], ...]
    said: tuple[Saying, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something that facts speak of, with every name it goes by, the most used first."""

    entity: str
    kind: EntityKind
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Turns that were archived together, in short. Its text is asked for by itself.

    ``summary`` are whole sentences out of it, ``tags`` the words that set it apart from the home's other documents.
    ``pending`` tells that they are still to be worked out.
    """

    document: str
    title: str
    turns: tuple[TurnId, ...]
    channel: str
    chat: str
    first: datetime | None
    last: datetime | None
    summary: tuple[str, ...]
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    pending: bool
