"""Whom or what a text means to whoever says it: "me", "my mother", my things, a name, an entity's id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from homeagent.errors import InputError, NotFoundError
from homeagent.masking import masked
from homeagent.memory.distil.keys import value_key
from homeagent.memory.distil.relations import kin_of
from homeagent.memory.knowledge.writing import me, owned_subject, written_subject
from homeagent.memory.store.graph_records import entity_id
from homeagent.memory.text.fold import fold_text
from homeagent.memory.turn import OWNER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from homeagent.memory.knowledge.view import GraphView
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.graph_records import EntityRef

__all__ = ["Naming"]

_ME: Final = frozenset(("", "me", "i", "my", "myself", "我", "俺", "咱", "我自己", "本人"))
_MINE = re.compile(r"^(?:(?:my|our)\s+|我们?的)")


class Naming:
    """Looks names up for one speaker. Nobody else's mother or bicycle is ever meant by his words."""

    def __init__(self, derived: DerivedStore, view: GraphView, speaker: EntityRef) -> None:
        self._derived = derived
        self._view = view
        self._speaker = speaker
        self._anchors = view.merges.members(speaker.entity)

    def meant(self, subject: str) -> set[str]:
        """Return the entities that a text may mean; it need not be known."""
        text = value_key(subject)
        if text in _ME:
            return {self._speaker.entity}
        if text == OWNER:
            return {me("", OWNER).entity}
        if self._derived.entity(subject):
            return {subject}
        kin = kin_of(text)
        mine = {entity_id("owned", anchor, _bare(text)) for anchor in self._anchors}
        if kin is not None:
            named = self._view.only(self._speaker.entity, kin)
            return mine | named | {entity_id("relative", anchor, kin) for anchor in self._anchors}
        if _is_mine(subject):
            return mine
        return mine | {entity_id("named", "", text)} | self._called(text)

    def written(self, subject: str) -> EntityRef:
        """Return whom or what a written fact is about: who goes by that name, else somebody or something new.

        Raises `InputError` when several the viewer knows go by it.
        """
        text = value_key(subject)
        if text in _ME:
            return self._speaker
        if text == OWNER:
            return me("", OWNER)
        known = self._derived.entity(subject)
        if known:
            return known[0]
        kin = kin_of(text)
        if kin is None and _is_mine(subject):
            return owned_subject(subject, _bare(text), self._speaker)
        named = self._view.only(self._speaker.entity, kin) if kin is not None else ()
        found = self._known(text) if kin is None else sorted(self._view.merges.root(each) for each in named)
        if len(found) > 1:
            raise self._several(subject, found)
        return self._derived.entity(found[0])[0] if found else written_subject(subject, self._speaker)

    def one(self, name: str) -> str:
        """Return the one entity that a name or an id stands for. Raises `NotFoundError` for none, `InputError`."""
        if self._derived.entity(name):
            return name
        found = sorted({self._view.merges.root(each) for each in self._seen(self.meant(name))})
        if not found:
            raise NotFoundError(
                f"entity {name!r}", "is not in this home", "Ask what is known, and use a name from there"
            )
        if len(found) > 1:
            raise self._several(name, found)
        return found[0]

    def _known(self, text: str) -> list[str]:
        """Return who goes by a name as far as the viewer can see, those that are one once."""
        return sorted({self._view.merges.root(each) for each in self._seen(self._called(text))})

    def called(self, name: str) -> set[str]:
        """Return the known entities that a name may mean to the speaker; not what is only his."""
        return self._called(value_key(name))

    def _called(self, text: str) -> set[str]:
        """Return what was ever called so, but for the relatives and things of others."""
        found = set(self._derived.named(text))
        for entity in list(found):
            ref = self._derived.entity(entity)[0]
            if ref.kind in ("relative", "owned") and ref.anchor not in self._anchors:
                found.discard(entity)
        return found

    def _seen(self, entities: set[str]) -> set[str]:
        rows = self._view.seen([*self._derived.facts_about(entities), *self._derived.facts_naming(entities)])
        known = {ref.entity for row in rows for ref in (row.subject, row.object) if ref is not None}
        return known & entities

    def _several(self, name: str, found: Iterable[str]) -> InputError:
        listed = "; ".join(f"{entity}: {self._described(entity)}" for entity in found)
        return InputError(f"{name!r}", "is the name of several", f"Use the id of one: {listed}")

    def _described(self, entity: str) -> str:
        rows = self._view.seen(self._derived.facts_about(self._view.merges.members(entity)))
        refs = self._derived.entity(entity)
        kind = refs[0].kind if refs else ""
        known = ", ".join(f"{row.relation} {row.value.text}" for row in rows[:2]) or "nothing else known"
        return masked(f"{kind}, {known}")


def _is_mine(subject: str) -> bool:
    return _MINE.match(fold_text(subject).strip()) is not None


def _bare(text: str) -> str:
    return _MINE.sub("", text)
