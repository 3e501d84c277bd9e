"""What a plugin may ask of documents and facts, and write into them. All text here is compute text, but for `opened`.

Every write is the word of whoever wrote the message of this turn. What he did not say himself in it, the host asks him
about first; from a guest it takes only what he says of himself, and what a plugin put in is always asked about. What is
not allowed raises ``ToolError``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

__all__ = ["DocumentAccess", "Evidence", "FactAccess", "KnownDocument", "KnownFact", "OpenedDocument"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One time that a fact was said: the words, who said them, when, in which turn (empty outside of any)."""

    turn: str
    text: str
    sender: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A claim and the time it held. ``fact`` is its id; ``entity`` and ``object`` are ids of who it is about.

    ``state`` at the moment asked about is one of ``holds``, ``planned``, ``later`` (it was only said afterwards),
    ``over`` (``until`` says since when), ``denied``, ``wrong`` (somebody said so on purpose). ``confidence`` is 0 to 1.
    """

    fact: str
    entity: str
    subject: str
    relation: str
    value: str
    object: str
    state: str
    confidence: float
    since: datetime | None
    until: datetime | None
    said: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """Turns that were archived together, in short: from when to when, where, and what they are about."""

    document: str
    title: str
    turns: tuple[str, ...]
    channel: str
    chat: str
    first: datetime | None
    last: datetime | None
    summary: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A document whole: ``text`` is a view of raw, in the order of time, secrets of a known shape masked.

    ``in_view`` says that its turns are back in the conversation, at their own time.
    """

    known: KnownDocument
    text: str
    in_view: bool = False


class FactAccess(Protocol):
    """Facts about persons and things. A subject is a name, an id, "me", or words such as "my mother" and 我妈妈.

    "me" and "my" are whoever wrote the message of this turn.
    """

    async def about(self, subject: str, *, relation: str = "", at: datetime | None = None) -> Sequence[KnownFact]:
        """Return what is known of a subject, oldest first, what is over too; ``state`` is as of ``at``, or now.

        An empty subject asks about everybody the people present may know of.
        """
        ...

    async def pending(self) -> int:
        """Return how many turns and documents are still to be read for facts."""
        ...

    async def commit(self, subject: str, relation: str, value: str) -> str:
        """Write a fact; return its id."""
        ...

    async def edit(self, fact: str, value: str | None) -> str | None:
        """Say that a fact is wrong, and what is right; return the new fact's id, None without ``value``."""
        ...

    async def merge(self, into: str, other: str) -> int:
        """Say that two names or ids are one; return the number by which `unmerge` takes it back."""
        ...

    async def unmerge(self, merge: int) -> None:
        """Take `merge` back."""
        ...

    async def forget(self, fact: str) -> Sequence[str]:
        """Hide everything that says a fact; return the turns. `restore` brings them back."""
        ...

    async def restore(self, fact: str) -> Sequence[str]:
        """Take `forget` back; return the turns."""
        ...

    async def erase(self, fact: str) -> tuple[Sequence[str], Sequence[str]]:
        """Delete everything that says a fact for good. The owner is always asked.

        Returns the turns that went, and those that stay though they say the same, quote it or cite it.
        """
        ...


class DocumentAccess(Protocol):
    """Documents of which the people present may see every turn."""

    async def find(self, text: str, *, limit: int = 5) -> Sequence[KnownDocument]:
        """Return the documents about ``text``, best first."""
        ...

    async def open(self, document: str) -> OpenedDocument:
        """Return a document whole, and bring its turns back into the conversation where there is room for them."""
        ...

    async def commit(self, title: str, turns: Sequence[str]) -> str:
        """Make a document of these turns; return its id."""
        ...
