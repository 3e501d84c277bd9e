"""A memory for tests of a plugin: it knows what it is told to know, and remembers what was written into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent_sdk.errors import ToolError
from homeagent_sdk.recollection import ExplainedSegment, Recollection
from homeagent_sdk.remembering import KnownDocument, KnownFact, OpenedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

__all__ = ["FakeDocuments", "FakeFacts", "FakeMemory"]


class FakeFacts:
    """Facts it is told; ``writes`` is what was done, each as the method's name and its arguments."""

    def __init__(self, known: Sequence[KnownFact] = ()) -> None:
        self.known = tuple(known)
        self.waiting = 0
        self.writes: list[tuple[object, ...]] = []

    async def about(self, subject: str, *, relation: str = "", at: datetime | None = None) -> Sequence[KnownFact]:
        """Return the facts of that subject, by name or id, all if it is empty; of one relation, if it is given."""
        del at
        named = [each for each in self.known if not subject or subject in (each.subject, each.entity)]
        return [each for each in named if relation in ("", each.relation)]

    async def pending(self) -> int:
        """Return ``waiting``."""
        return self.waiting

    async def commit(self, subject: str, relation: str, value: str) -> str:
        """Remember the write; return an id."""
        return self._wrote("commit", subject, relation, value)

    async def edit(self, fact: str, value: str | None) -> str | None:
        """Remember the write; return an id if there is a value."""
        made = self._wrote("edit", fact, value)
        return made if value is not None else None

    async def merge(self, into: str, other: str) -> int:
        """Remember the write; return its number."""
        self._wrote("merge", into, other)
        return len(self.writes)

    async def unmerge(self, merge: int) -> None:
        """Remember the write."""
        self._wrote("unmerge", merge)

    async def forget(self, fact: str) -> Sequence[str]:
        """Remember the write; return the turns of that fact."""
        self._wrote("forget", fact)
        return self._turns(fact)

    async def restore(self, fact: str) -> Sequence[str]:
        """Remember the write; return the turns of that fact."""
        self._wrote("restore", fact)
        return self._turns(fact)

    async def erase(self, fact: str) -> tuple[Sequence[str], Sequence[str]]:
        """Remember the write; return the turns of that fact, and that none stays."""
        self._wrote("erase", fact)
        return self._turns(fact), ()

    def _wrote(self, *write: object) -> str:
        self.writes.append(write)
        return f"fact-{len(self.writes)}"

    def _turns(self, fact: str) -> Sequence[str]:
        return [said.turn for each in self.known if each.fact == fact for said in each.said]


class FakeDocuments:
    """Documents it is told, found whatever is asked; ``commits`` are those that were made, as (title, turns)."""

    def __init__(self, known: Sequence[KnownDocument] = (), texts: Mapping[str, str] | None = None) -> None:
        self.known = tuple(known)
        self.texts = dict(texts or {})
        self.in_view = False
        self.commits: list[tuple[str, tuple[str, ...]]] = []

    async def find(self, text: str, *, limit: int = 5) -> Sequence[KnownDocument]:
        """Return the first of its documents."""
        del text
        return self.known[:limit]

    async def open(self, document: str) -> OpenedDocument:
        """Return that document. Raises ``ToolError`` when it was not told of it."""
        for each in self.known:
            if each.document == document:
                return OpenedDocument(each, self.texts.get(document, ""), self.in_view)
        raise ToolError("document", f"{document!r} is not in this home")

    async def commit(self, title: str, turns: Sequence[str]) -> str:
        """Remember the document; return an id."""
        self.commits.append((title, tuple(turns)))
        return f"document-{len(self.commits)}"


class FakeMemory:
    """A memory that knows what it is told to know.

    ``notes`` is what was noted, ``forgotten`` the turns that were forgotten; ``facts`` and ``documents`` can be set.
    """

    def __init__(self, recollection: Recollection | None = None) -> None:
        self.recollection = recollection or Recollection()
        self.notes: list[str] = []
        self.forgotten: list[str] = []
        self.facts = FakeFacts()
        self.documents = FakeDocuments()

    async def recall(self, question: str, *, limit: int = 5, at: datetime | None = None) -> Recollection:
        """Return the recollection it was made with, whatever is asked."""
        del question, at
        found = self.recollection
        return Recollection(found.hits[:limit], found.nothing, found.pending)

    async def note(self, text: str) -> str:
        """Remember that ``text`` was noted."""
        self.notes.append(text)
        return f"note-{len(self.notes)}"

    async def explain(self, turn: str) -> Sequence[ExplainedSegment]:
        """Raise ``ToolError``: it knows no turns."""
        raise ToolError("turn", f"{turn!r} is not in this home")

    async def read(self, turn: str) -> str:
        """Return the text of that turn in its recollection. Raises ``ToolError`` when it holds none."""
        for hit in self.recollection.hits:
            if hit.turn == turn:
                return hit.text
        raise ToolError("turn", f"{turn!r} is not in this home")

    async def forget(self, turns: Sequence[str]) -> None:
        """Remember that these turns were forgotten."""
        self.forgotten += turns

    async def restore(self, turns: Sequence[str]) -> None:
        """Remember that they no longer are."""
        self.forgotten = [turn for turn in self.forgotten if turn not in turns]
