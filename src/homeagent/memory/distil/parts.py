"""What a rule finds in a sentence, before it is known who speaks: parties and drafts of facts, as character ranges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from homeagent.memory.store.graph_records import Mode

__all__ = ["Clause", "Draft", "Focus", "Party", "Reading"]


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody or something in a sentence.

    ``me`` is who speaks; a ``relative`` is the ``key`` (mother, colleague...) of ``anchor``; ``owned`` belongs to
    ``anchor``; ``named`` goes by its words. ``start`` and ``end`` are where it stands in the segment.
    """

    kind: Literal["me", "relative", "owned", "named"]
    start: int
    end: int
    key: str = ""
    anchor: Party | None = None
    person: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact as a rule reads it: ``start`` and ``end`` are where its value stands in the segment."""

    subject: Party
    relation: str
    start: int
    end: int
    object: Party | None = None
    negative: bool = False
    changed: bool = False
    mode: Mode = "stated"
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence with one verb: its folded text, and where it begins in the segment."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Focus:
    """What was spoken of last: whom "she", "it" or a missing subject can mean.

    ``owner`` tells whether a sentence without a subject may be the speaker's own; ``changed`` that he has just said he
    was wrong. ``relation`` is that of the clause before. ``first``: nobody else was spoken of before, so that a
    sentence without a subject can only be the speaker's own.
    """

    subject: Party | None = None
    person: Party | None = None
    thing: Party | None = None
    owner: bool = True
    changed: bool = False
    relation: str = ""
    first: bool = True

    def on(self, party: Party) -> Focus:
        """Return the focus after ``party`` was spoken of."""
        if party.kind == "me" or party.person:
            person = self.person if party.kind == "me" else party
            return replace(self, subject=party, person=person, first=party.kind == "me")
        return replace(self, subject=party, thing=party, first=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a clause says, and what is in focus after it."""

    drafts: tuple[Draft, ...]
    focus: Focus
