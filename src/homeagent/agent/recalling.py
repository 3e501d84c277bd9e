"""What the memory has to say to a turn: recalled once for the prompt, and whenever a tool asks."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from homeagent.agent.marking import marked
from homeagent.memory import Recall, Viewer
from homeagent.memory.compute import QueryText
from homeagent.memory.packing import pack
from homeagent.memory.text.speech import is_question
from homeagent.models.messages import Recalled

if TYPE_CHECKING:
    from datetime import datetime

    from homeagent.agent.incoming import Incoming
    from homeagent.agent.ports import MemoryPort
    from homeagent.agent.tokens import Count
    from homeagent.memory import Fact, Hit

__all__ = [
    "BEYOND",
    "FAR_BEHIND",
    "IN_VIEW",
    "LOOK_AT",
    "NOTHING_FITS",
    "NO_ROOM",
    "ONLY_ASKS",
    "RecalledPassage",
    "Why",
    "asks",
    "chosen",
    "quotable",
    "recall_for",
    "with_facts",
]

IN_VIEW: Final = "it is in view already"
"""Why a passage was left out: the model sees its turn anyway."""

NO_ROOM: Final = "there was no room for it"
"""Why a passage was left out: others filled the share of the prompt."""

ONLY_ASKS: Final = "it only asked the same"
"""Why a passage was left out: an earlier question answers nothing."""

NOTHING_FITS: Final = "nothing that was found answers this"
"""Why a passage was left out: recall says that nothing is to the point."""

BEYOND: Final = "others came first"
"""Why a passage was left out: as many as were wanted came before it."""

FAR_BEHIND: Final = "it fits much less than the best"
"""Why a passage was left out: it is no answer beside the best one."""

_FAR: Final = 0.3
"""A passage with less than this share of the best one's evidence is not quoted as an answer."""

LOOK_AT: Final = 5
"""So many times as many hits are looked at as are quoted: some are earlier questions, which answer nothing."""


@dataclass(frozen=True, slots=True)
class RecalledPassage:
    """One hit and what became of it: ``left_out`` says why the model did not get it, empty when it did."""

    hit: Hit
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Why:
    """What was recalled for a message and why.

    ``nothing`` says that nothing is to the point, ``answerable`` how likely the memory holds an answer, ``pending`` how
    many turns were not fully searchable yet. ``facts`` are those that hold of what the passages speak of; ``packed`` is
    the text of both that the model got.
    """

    question: str
    passages: tuple[RecalledPassage, ...] = ()
    nothing: bool = True
    answerable: float = 0.0
    pending: int = 0
    facts: tuple[Fact, ...] = ()
    packed: str = ""

    @property
    def shown(self) -> tuple[Hit, ...]:
        """The hits that the model got."""
        return tuple(each.hit for each in self.passages if not each.left_out)

    def as_text(self) -> str:
        """Return what the model gets as data in a prompt; empty when that is nothing."""
        return marked("memory", self.packed) if self.packed else ""

    def as_recalled(self) -> tuple[Recalled, ...]:
        """Return the hits that the model got, for a model that answers from memory itself."""
        return tuple(
            Recalled(
                hit.text,
                f"{hit.place.channel}/{hit.place.chat}",
                hit.at,
                hit.sender,
                f"{hit.source} {hit.external_id}" if hit.external_id else hit.turn,
                superseded=hit.superseded,
            )
            for hit in self.shown
        )


async def recall_for(incoming: Incoming, text: str, at: datetime, memory: MemoryPort, limit: int) -> Why:
    """Return what the memory has to say to a message, in front of whoever is present."""
    if not text.strip():
        return Why(text)
    viewer = Viewer(incoming.person, incoming.place, incoming.members)
    found: Recall = await asyncio.to_thread(memory.recall, text, viewer=viewer, at=at, limit=limit)
    passages = tuple(RecalledPassage(hit) for hit in found.hits)
    return Why(text, passages, found.nothing, found.answerable, found.pending)


async def with_facts(why: Why, incoming: Incoming, at: datetime, memory: MemoryPort) -> Why:
    """Return ``why`` with what now holds of the matters that its passages speak of."""
    if why.nothing:
        return why
    viewer = Viewer(incoming.person, incoming.place, incoming.members)
    turns = [each.hit.turn for each in why.passages]
    return replace(why, facts=tuple(await asyncio.to_thread(memory.knowledge.around, turns, viewer=viewer, at=at)))


def chosen(why: Why, in_view: frozenset[str], room: int, count: Count) -> Why:
    """Return ``why`` with what the model gets: not the turns in view, and as much as ``room`` tokens hold."""
    found = Recall(tuple(each.hit for each in why.passages), why.answerable, why.nothing, why.pending)
    packed = pack(found, why.facts, budget=room - count(marked("memory", "")), count=count, in_view=in_view)
    reasons = {hit.turn: IN_VIEW if reason == "in view" else NO_ROOM for hit, reason in packed.left_out}
    passages = tuple(RecalledPassage(each.hit, reasons.get(each.hit.turn, "")) for each in why.passages)
    return replace(why, passages=passages, facts=packed.facts, packed=packed.text)


def asks(text: str) -> bool:
    """Whether a message asks for something, so that the memory may answer it."""
    return is_question(QueryText(text))


def quotable(why: Why, limit: int) -> Why:
    """Return ``why`` with the passages that a model gets which only quotes them: at most ``limit`` that may answer."""
    passages: list[RecalledPassage] = []
    taken, best = 0, 0.0
    for each in why.passages:
        reason = NOTHING_FITS if why.nothing else ONLY_ASKS if asks(each.hit.text) else ""
        best = each.hit.score if not taken and not reason else best
        reason = reason or (FAR_BEHIND if each.hit.score < best * _FAR else BEYOND if taken == limit else "")
        taken += not reason
        passages.append(RecalledPassage(each.hit, reason))
    return Why(why.question, tuple(passages), why.nothing, why.answerable, why.pending)
