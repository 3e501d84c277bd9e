"""The SDK's facts and documents for one turn: what the people present may see, and writes that they agreed to."""

from __future__ import annotations

import asyncio
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from homeagent.errors import InputError, NotFoundError
from homeagent.memory import Viewer
from homeagent.memory.distil.relations import kin_of
from homeagent_sdk import Evidence, KnownDocument, KnownFact, OpenedDocument, ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from homeagent.agent.consent import Consent
    from homeagent.agent.incoming import OpenTurn
    from homeagent.agent.ports import KnowledgePort
    from homeagent.memory import Document, Fact

__all__ = ["TurnDocuments", "TurnFacts", "may_take_back", "refused"]

_OWN: Final = frozenset(("", "me", "i", "myself", "我", "我自己", "本人"))
_MINE = re.compile(r"^(?:(?:my|our)\s+|我们?的?)", re.IGNORECASE)


@contextmanager
def refused(field: str = "") -> Iterator[None]:
    """Turn what the memory refuses into what a tool refuses."""
    try:
        yield
    except (InputError, NotFoundError) as error:
        raise ToolError(field, f"{error.where} {error.problem}", error.next_step) from error


class TurnFacts:
    """The SDK's ``FactAccess`` for one turn."""

    def __init__(self, turn: OpenTurn, knowledge: KnowledgePort, consent: Consent) -> None:
        self._turn = turn
        self._knowledge = knowledge
        self._consent = consent

    async def about(self, subject: str, *, relation: str = "", at: datetime | None = None) -> Sequence[KnownFact]:
        """Return what is known of a subject, oldest first."""
        moment = at or self._turn.at
        viewer = viewer_of(self._turn)
        with refused("subject"):
            found = await asyncio.to_thread(self._knowledge.facts, subject, relation, viewer=viewer, at=moment)
        return tuple(_known(each) for each in found)

    async def pending(self) -> int:
        """Return how many turns and documents are still to be read."""
        return await asyncio.to_thread(self._knowledge.pending)

    async def commit(self, subject: str, relation: str, value: str) -> str:
        """Write a fact."""
        own = _is_own(subject)
        if not own:
            await self._consent.owner_only("subject")
        spoken = [value] if subject.strip().casefold() in _OWN else [_MINE.sub("", subject.strip()), value]
        await self._consent.to(
            "May this be written into the memory?",
            "可以把这条写进记忆吗？",
            f"{subject or 'me'} - {relation} - {value}",
            unless=spoken,
        )
        with refused():
            return await asyncio.to_thread(
                self._knowledge.commit_fact, subject, relation, value, turn=self._turn.info.turn_id
            )

    async def edit(self, fact: str, value: str | None) -> str | None:
        """Say that a fact is wrong, and what is right."""
        await self._consent.owner_only("fact")
        with refused("fact"):
            claim = await asyncio.to_thread(self._knowledge.claim, fact)
            change = f"{claim}\n-> {value if value is not None else '(wrong, 不对)'}"
            unless = [value] if value else []
            await self._consent.to(
                "May this be corrected in the memory?", "可以这样更正记忆吗？", change, unless=unless
            )
            return await asyncio.to_thread(self._knowledge.edit_fact, fact, value, turn=self._turn.info.turn_id)

    async def merge(self, into: str, other: str) -> int:
        """Say that two are one."""
        await self._consent.owner_only("into")
        question = "Are these two one in the memory?", "记忆里的这两个是同一个吗？"
        await self._consent.to(*question, f"{into}\n{other}", unless=[into, other])
        with refused("into"):
            return await asyncio.to_thread(self._knowledge.merge, into, other, viewer=viewer_of(self._turn))

    async def unmerge(self, merge: int) -> None:
        """Take a merge back."""
        await self._consent.owner_only("undo")
        await self._consent.to("Take this merge back?", "撤销这次合并吗？", f"merge {merge}", unless=[str(merge)])
        with refused("undo"):
            await asyncio.to_thread(self._knowledge.unmerge, merge)

    async def forget(self, fact: str) -> Sequence[str]:
        """Hide everything that says a fact."""
        return await self._hide(fact, "May this be forgotten?", "可以忘掉这条吗？", undo=False)

    async def restore(self, fact: str) -> Sequence[str]:
        """Bring it back."""
        return await self._hide(fact, "May this be brought back?", "可以恢复这条吗？", undo=True)

    async def erase(self, fact: str) -> tuple[Sequence[str], Sequence[str]]:
        """Delete everything that says a fact for good; return what went, and what stays and says the same."""
        await self._consent.owner_only("fact")
        with refused("fact"):
            detail = await self._described(fact)
            await self._consent.to("Delete this for good? It can't be undone.", "彻底删除？无法恢复。", detail)
            gone, left = await asyncio.to_thread(self._knowledge.erase_fact, fact)
        self._turn.look_again()
        return tuple(gone), tuple(left)

    async def _hide(self, fact: str, english: str, chinese: str, *, undo: bool) -> Sequence[str]:
        await self._consent.owner_only("fact")
        with refused("fact"):
            detail = fact if undo else await self._described(fact)
            await self._consent.to(english, chinese, detail, unless=[fact])
            turns = tuple(await asyncio.to_thread(self._knowledge.forget_fact, fact, undo=undo))
        self._turn.look_again()
        return turns

    async def _described(self, fact: str) -> str:
        claim = await asyncio.to_thread(self._knowledge.claim, fact)
        turns = await asyncio.to_thread(self._knowledge.saying, fact)
        said = await asyncio.to_thread(self._knowledge.speakers, turns)
        return "\n".join([claim, *(f"- {sender}: {words}" for _, sender, words in said)])


class TurnDocuments:
    """The SDK's ``DocumentAccess`` for one turn."""

    def __init__(self, turn: OpenTurn, knowledge: KnowledgePort, consent: Consent) -> None:
        self._turn = turn
        self._knowledge = knowledge
        self._consent = consent

    async def find(self, text: str, *, limit: int = 5) -> Sequence[KnownDocument]:
        """Return the documents about a text, best first."""
        viewer = viewer_of(self._turn)
        found = await asyncio.to_thread(self._knowledge.find_documents, text, viewer=viewer, limit=limit)
        return tuple(_short(each) for each in found)

    async def open(self, document: str) -> OpenedDocument:
        """Return a document whole; its turns come back into this chat's window, at their own time, if they fit."""
        viewer = viewer_of(self._turn)
        with refused("document"):
            found, text = await asyncio.to_thread(self._knowledge.open_document, document, viewer=viewer)
        here = (found.channel, found.chat) == (self._turn.info.channel, self._turn.info.chat)
        past = await asyncio.to_thread(self._knowledge.past, document) if here else ()
        return OpenedDocument(_short(found), text, bool(past) and self._turn.bring_back(past))

    async def commit(self, title: str, turns: Sequence[str]) -> str:
        """Make a document of these turns."""
        await self._consent.owner_only("turns")
        with refused("turns"):
            said = await asyncio.to_thread(self._knowledge.speakers, turns)
            detail = "\n".join([title, *(f"- {sender}: {words}" for _, sender, words in said)])
            await self._consent.to("Make a document of these?", "把这些归成一份文档吗？", detail, unless=[title])
            return await asyncio.to_thread(self._knowledge.commit_document, title, turns)


async def may_take_back(
    turn: OpenTurn, knowledge: KnowledgePort, consent: Consent, turns: Sequence[str], *, undo: bool
) -> None:
    """Ask whether these turns may be forgotten, or brought back. Raises ``ToolError``.

    A guest may only forget what he said himself.
    """
    with refused("turns"):
        said = await asyncio.to_thread(knowledge.speakers, turns)
    own = {(place.channel, sender) for place, sender, _ in said} == {(turn.info.channel, turn.info.person)}
    if not own or undo:
        await consent.owner_only("turns")
    question = (
        ("May this be brought back?", "可以恢复这些吗？") if undo else ("May this be forgotten?", "可以忘掉这些吗？")
    )
    await consent.to(*question, "\n".join(f"- {sender}: {words}" for _, sender, words in said), unless=turns)


def viewer_of(turn: OpenTurn) -> Viewer:
    """Return who looks: whoever is present in a turn."""
    incoming = turn.incoming
    return Viewer(incoming.person, incoming.place, incoming.members)


def _is_own(subject: str) -> bool:
    """Whether a subject is the speaker, or somebody or something of his."""
    text = subject.strip().casefold()
    return text in _OWN or _MINE.match(text) is not None or kin_of(text) is not None


def _known(fact: Fact) -> KnownFact:
    said = tuple(Evidence(each.turn or "", each.text, each.by, each.at) for each in fact.said)
    return KnownFact(
        fact.fact,
        fact.subject,
        fact.subject_name,
        fact.relation,
        fact.value,
        fact.object,
        fact.state,
        fact.confidence,
        fact.since,
        fact.until,
        said,
    )


def _short(document: Document) -> KnownDocument:
    return KnownDocument(
        document.document,
        document.title,
        document.turns,
        document.channel,
        document.chat,
        document.first,
        document.last,
        document.summary,
        document.tags,
        document.entities,
    )
