"""Explicit writes: facts, corrections and merges that somebody put into the memory on purpose, each one event.

They enter computation by the door, as labels. An event that was made in a turn goes when that turn is erased.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from homeagent.memory.distil.keys import sender_key, value_key
from homeagent.memory.distil.relations import KIN, kin_of
from homeagent.memory.door.door import label
from homeagent.memory.store.graph_records import EntityRef, FactRow
from homeagent.memory.store.records import Moment
from homeagent.memory.turn import OWNER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from homeagent.memory.store.graph_records import EntityKind
    from homeagent.memory.store.records import TurnRow, WriteRow

__all__ = [
    "EDIT",
    "FACT",
    "FORGOTTEN_WRITE",
    "MERGE",
    "UNMERGE",
    "WRITTEN_FACTS",
    "hidden_writes",
    "me",
    "owned_subject",
    "subject_payload",
    "written_facts",
    "written_subject",
]

FACT: Final = "fact"
"""A fact is written."""

EDIT: Final = "edit"
"""A fact is said to be wrong, and perhaps what is right."""

MERGE: Final = "merge"
"""Two entities are said to be one."""

UNMERGE: Final = "unmerge"
"""A merge is taken back."""

FORGOTTEN_WRITE: Final = "forgotten-write"
"""A write that was made outside of any turn is forgotten, or (``undo``) brought back."""

WRITTEN_FACTS: Final = frozenset({FACT, EDIT})
"""Kinds of explicit write that make a fact."""


def subject_payload(entity: EntityRef) -> dict[str, str]:
    """Return an entity as an event holds it."""
    return {"kind": entity.kind, "anchor": entity.anchor, "key": entity.key, "name": entity.name.text}


def written_facts(row: WriteRow, turn: TurnRow | None, scope: int) -> list[FactRow]:
    """Return the fact that an explicit write makes; none for a mere retraction."""
    said = json.loads(row.payload)
    if "value" not in said:
        return []
    about, value = said["subject"], label(said["value"])
    kind: EntityKind = about["kind"]
    subject = EntityRef(kind, about["anchor"], about["key"], label(about["name"]))
    key = value_key(value.text)
    relation = str(said["relation"])
    return [
        FactRow(
            source=row.seq,
            position=0,
            subject=subject,
            relation=relation,
            value=value,
            value_key=key,
            object=EntityRef("named", "", key, value) if relation in KIN else None,
            negative=False,
            mode="stated",
            changed=row.kind == EDIT,
            confidence=1.0,
            voice="explicit",
            channel=turn.place.channel if turn is not None else "",
            sender=turn.sender if turn is not None else OWNER,
            scope=scope,
            at=Moment(said["at"][0], said["at"][1]),
            days=(),
            evidence=label(f"{subject.name.text} {relation} {value.text}"),
        )
    ]


def hidden_writes(rows: Iterable[WriteRow], forgotten: Collection[int]) -> frozenset[int]:
    """Return the seqs of the writes that are forgotten now: by themselves, or with their turn, given ``forgotten``."""
    hidden: set[int] = set()
    for row in rows:
        if row.turn in forgotten:
            hidden.add(row.seq)
        if row.kind == FORGOTTEN_WRITE:
            said = json.loads(row.payload)
            (hidden.discard if said["undo"] else hidden.add)(int(said["write"]))
    return frozenset(hidden)


def written_subject(subject: str, speaker: EntityRef) -> EntityRef:
    """Return whom or what a written fact is about: somebody of the speaker's ("my mother"), else what is named."""
    text = value_key(subject)
    kin = kin_of(text)
    if kin is not None:
        return EntityRef("relative", speaker.entity, kin, label(subject))
    return EntityRef("named", "", text, label(subject))


def owned_subject(subject: str, key: str, speaker: EntityRef) -> EntityRef:
    """Return a thing of the speaker's; ``key`` is its name without "my", folded."""
    return EntityRef("owned", speaker.entity, key, label(subject))


def me(channel: str, sender: str) -> EntityRef:
    """Return the entity of a sender."""
    return EntityRef("person", "", sender_key(channel, sender), label(sender))
