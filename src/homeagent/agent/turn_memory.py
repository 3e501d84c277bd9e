"""The SDK's ``MemoryAccess`` for one call of a tool: the memory as the people present may see it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from homeagent.agent.remembering import TurnDocuments, TurnFacts, may_take_back, refused, viewer_of
from homeagent.errors import NotFoundError
from homeagent.memory import Segment, Turn
from homeagent_sdk import ExplainedSegment, Recollected, Recollection, ToolError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from homeagent.agent.consent import Consent
    from homeagent.agent.incoming import OpenTurn
    from homeagent.agent.ports import MemoryPort

__all__ = ["TurnMemory"]

_SHARE_OF_NOTE = 0.75
"""So much of a note's words the speaker has to have said himself; the rest is how it is put."""


class TurnMemory:
    """The SDK's ``MemoryAccess`` for one turn: the memory as the people present may see it."""

    def __init__(self, turn: OpenTurn, memory: MemoryPort, consent: Consent) -> None:
        self._turn = turn
        self._memory = memory
        self._consent = consent
        self._facts = TurnFacts(turn, memory.knowledge, consent)
        self._documents = TurnDocuments(turn, memory.knowledge, consent)

    @property
    def facts(self) -> TurnFacts:
        """What is known of persons and things."""
        return self._facts

    @property
    def documents(self) -> TurnDocuments:
        """What was archived, by matter."""
        return self._documents

    async def recall(self, question: str, *, limit: int = 5, at: datetime | None = None) -> Recollection:
        """Return what is remembered about a question."""
        viewer, moment = viewer_of(self._turn), at or self._turn.at
        found = await asyncio.to_thread(self._memory.recall, question, viewer=viewer, at=moment, limit=max(1, limit))
        hits = tuple(
            Recollected(
                hit.turn, hit.text, hit.at, hit.sender, hit.place.channel, hit.place.chat, hit.why, hit.superseded
            )
            for hit in found.hits
        )
        return Recollection(hits, found.nothing, found.pending)

    async def note(self, text: str) -> str:
        """Keep an explicit note in this chat."""
        incoming = self._turn.incoming
        question = "May this be noted in the memory?", "可以把这条记下来吗？"
        await self._consent.to(*question, text, unless=[text], share=_SHARE_OF_NOTE)
        turn = Turn(
            incoming.place,
            incoming.person,
            (Segment("user", text, no_memory=incoming.no_memory),),
            at=self._turn.at,
            members=incoming.members,
            source="note",
        )
        return await asyncio.to_thread(self._memory.keep, turn)

    async def explain(self, turn: str) -> Sequence[ExplainedSegment]:
        """Say for each segment of a turn what of it is computed, and why."""
        try:
            found = await asyncio.to_thread(self._memory.explain, turn)
        except NotFoundError as error:
            raise ToolError("turn", error.problem, error.next_step) from error
        return tuple(
            ExplainedSegment(
                each.position,
                each.role,
                each.tool or "",
                each.decision or "",
                each.reason,
                each.raw_length,
                each.computed_length,
            )
            for each in found.segments
        )

    async def read(self, turn: str) -> str:
        """Return what is computed of a turn, whole."""
        with refused("turn"):
            return await asyncio.to_thread(self._memory.knowledge.read, turn, viewer=viewer_of(self._turn))

    async def forget(self, turns: Sequence[str]) -> None:
        """Hide turns from recall."""
        await self._take_back(turns, undo=False)

    async def restore(self, turns: Sequence[str]) -> None:
        """Bring them back."""
        await self._take_back(turns, undo=True)

    async def _take_back(self, turns: Sequence[str], *, undo: bool) -> None:
        knowledge = self._memory.knowledge
        await may_take_back(self._turn, knowledge, self._consent, turns, undo=undo)
        with refused("turns"):
            await asyncio.to_thread(knowledge.forget, turns, undo=undo)
        self._turn.look_again()
