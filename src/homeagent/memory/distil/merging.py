"""Entities that are one: explicit merges, which can be taken back, and suggestions of what else may be."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from homeagent.memory.distil.names import TITLES_ZH, looks_like_person
from homeagent.memory.distil.tagging import is_chinese
from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from homeagent.memory.store.graph_records import EntityRef

__all__ = ["Merges", "Suggestion", "live_merges", "suggestions"]

_LARGEST_BLOCK: Final = 40
"""Entities that share a key; where more do, the key is a common word and says nothing."""
_TITLE = re.compile(r"^(?:mr|mrs|ms|miss|dr|prof|aunt|uncle|sir|the)\.? |(?:先生|女士|小姐|太太)$")
_PUNCTUATION = re.compile(r"[^\w]+|_")
_NICK = re.compile("^[阿小老大]([\u4e00-\u9fff])$")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Two entities that may be one, the better known first, with the reason and how sure it is, 0 to 1."""

    into: str
    other: str
    into_name: str
    other_name: str
    why: str
    score: float


class Merges:
    """Which entities were said to be one. The smallest change possible: facts keep the entity they were said of."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._parent: dict[str, str] = {}
        self._members: dict[str, set[str]] = {}
        for into, other in pairs:
            one, two = self.root(into), self.root(other)
            if one != two:
                self._parent[two] = one
                few, many = sorted((self._members.pop(one, {one}), self._members.pop(two, {two})), key=len)
                many |= few  # the smaller into the larger: however they join, each moves few times
                self._members[one] = many

    def root(self, entity: str) -> str:
        """Return the entity that stands for all that are one with ``entity``."""
        root = entity
        while root in self._parent:
            root = self._parent[root]
        while entity != root:  # so that a long chain is walked once
            self._parent[entity], entity = root, self._parent[entity]
        return root

    def members(self, entity: str) -> frozenset[str]:
        """Return all that are one with ``entity``, itself too."""
        root = self.root(entity)
        return frozenset(self._members.get(root, {root}))


def suggestions(mentions: Sequence[tuple[EntityRef, int]], merges: Merges, most: int = 50) -> list[Suggestion]:
    """Return pairs of entities whose names are so alike that they may be one, the surest first.

    Entities meet only in blocks of one key (whole name, name without title, given name, words in any order), and in a
    block each meets the best known one only, so the work grows with the number of names, not with its square.
    """
    counts: dict[str, int] = defaultdict(int)
    best: dict[str, tuple[int, EntityRef]] = {}
    blocks: dict[tuple[str, float, str], dict[str, EntityRef]] = defaultdict(dict)
    for ref, count in mentions:
        counts[ref.entity] += count
        if count > best.get(ref.entity, (0, ref))[0]:
            best[ref.entity] = (count, ref)
        for key in _keys(ref):
            blocks[key].setdefault(ref.entity, ref)
    found: dict[tuple[str, str], Suggestion] = {}
    for (why, score, _), block in sorted(blocks.items(), key=lambda item: (-item[0][1], item[0])):
        if not 1 < len(block) <= _LARGEST_BLOCK:
            continue
        into, *rest = sorted(block, key=lambda entity: (-counts[entity], entity))
        for other in rest:
            if merges.root(into) != merges.root(other) and _may_be_one(block[into], block[other]):
                names = block[into].name.text, block[other].name.text
                found.setdefault((into, other), Suggestion(into, other, *names, why, score))
    return sorted(found.values(), key=lambda each: (-each.score, each.into, each.other))[:most]


def live_merges(events: Iterable[tuple[int, Mapping[str, object]]]) -> Merges:
    """Return the merges that were not taken back; ``events`` are (seq, payload) of merges and unmerges in order."""
    pairs: dict[int, tuple[str, str]] = {}
    for seq, said in events:
        undone = said.get("merge")
        if isinstance(undone, int):
            pairs.pop(undone, None)
        else:
            pairs[seq] = (str(said["into"]), str(said["other"]))
    return Merges(pairs.values())


def _may_be_one(one: EntityRef, other: EntityRef) -> bool:
    """Two senders are never suggested: who is who is said by links. A thing of mine is none of another's."""
    if one.kind == other.kind == "person":
        return False
    return (
        one.kind not in ("owned", "relative") or other.kind not in ("owned", "relative") or one.anchor == other.anchor
    )


def _keys(ref: EntityRef) -> Iterator[tuple[str, float, str]]:
    name = fold_text(ref.name.text).strip()
    plain = _PUNCTUATION.sub("", name)
    if not plain:
        return
    yield "the same name", 0.9, plain
    bare = _TITLE.sub("", name).strip()
    if bare:
        yield "the same name but for a title", 0.7, _PUNCTUATION.sub("", bare)
    if is_chinese(name):
        if len(name) == 3 and looks_like_person(name):
            yield "a given name", 0.5, name[1:]
        if len(name) == 2 and not name.endswith(tuple(TITLES_ZH)):
            yield "a given name", 0.5, name
        nick = _NICK.match(name)
        if nick or (len(name) == 3 and looks_like_person(name)):
            yield "a nickname", 0.3, nick[1] if nick else name[-1]
        return
    words = sorted(_PUNCTUATION.split(bare))
    if len(words) > 1:
        yield "the same words", 0.6, " ".join(words)
        yield "a first name", 0.4, _PUNCTUATION.split(bare)[0]
    elif ref.kind in ("named", "person"):
        yield "a first name", 0.4, plain
