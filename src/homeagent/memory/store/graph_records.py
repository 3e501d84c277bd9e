"""Rows of the graph and of documents as the store hands them out: frozen, typed, no SQL."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from homeagent.memory.compute import ComputeText
    from homeagent.memory.store.records import Moment

__all__ = [
    "DocumentFeatures",
    "EntityKind",
    "EntityRef",
    "FactRow",
    "Mode",
    "Voice",
    "claim_id",
    "entity_id",
]

EntityKind = Literal["person", "relative", "named", "owned"]
"""What an entity goes by: a sender id, who it is to somebody, its name, or whose it is."""
Mode = Literal["stated", "past", "planned", "reported"]
"""Whether a claim is about now, about what is over, about what is to come, or another's word."""
Voice = Literal["explicit", "self", "user", "tool", "assistant"]
"""In whose word a claim is taken: written on purpose, a person of himself, of others, a tool, the assistant."""


def _hash(prefix: str, *parts: str) -> str:
    data = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return prefix + hashlib.blake2b(data, digest_size=10).hexdigest()


def entity_id(kind: EntityKind, anchor: str, key: str) -> str:
    """Return the id of an entity: the same in every home and after every rebuild."""
    return _hash("e", kind, anchor, key)


def claim_id(subject: str, relation: str, value_key: str, *, negative: bool) -> str:
    """Return the id of a claim, whoever makes it and whenever."""
    return _hash("f", subject, relation, value_key, "-" if negative else "+")


@dataclass(frozen=True, slots=True)
class EntityRef:
    """Somebody or something that a fact speaks of.

    A ``person`` is a sender (``key``: channel and sender id, or ``owner``), a ``relative`` is somebody to ``anchor``
    (``key``: mother, colleague...), ``owned`` a thing of ``anchor``; ``named`` goes by its name or its words alone.
    ``name`` is how it was called here. ``entity`` depends on kind, anchor and key alone.
    """

    kind: EntityKind
    anchor: str
    key: str
    name: ComputeText

    @property
    def entity(self) -> str:
        """The id."""
        return entity_id(self.kind, self.anchor, self.key)


@dataclass(frozen=True, slots=True)
class FactRow:
    """A claim as it was made once.

    ``source`` is the seq of the turn, or of the explicit write, and ``position`` its place there. ``value`` is verbatim
    compute text, ``value_key`` its folded form. ``negative`` denies the claim, ``changed`` says that it takes the place
    of another. ``voice``: in whose word it is taken; ``channel`` and ``sender`` name the turn's sender. ``days`` are
    the days it speaks of, as ISO dates from-to. ``evidence`` is the sentence, its spans lead to raw.
    """

    source: int
    position: int
    subject: EntityRef
    relation: str
    value: ComputeText
    value_key: str
    object: EntityRef | None
    negative: bool
    mode: Mode
    changed: bool
    confidence: float
    voice: Voice
    channel: str
    sender: str
    scope: int
    at: Moment | None
    days: tuple[tuple[str, str], ...]
    evidence: ComputeText

    @property
    def fact(self) -> str:
        """The id of the claim."""
        return claim_id(self.subject.entity, self.relation, self.value_key, negative=self.negative)


@dataclass(frozen=True, slots=True)
class DocumentFeatures:
    """What was worked out of a document: the sentences that say most, its terms with counts, who and what it names."""

    summary: tuple[ComputeText, ...]
    terms: tuple[tuple[str, int], ...]
    entities: tuple[tuple[ComputeText, int], ...]
