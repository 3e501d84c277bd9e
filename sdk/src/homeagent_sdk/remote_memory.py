"""The home's memory as a plugin in its own process reaches it: every question goes to the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

from homeagent_sdk.recollection import Recollection
from homeagent_sdk.remembering import OpenedDocument
from homeagent_sdk.wire_values import WireError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from homeagent_sdk.recollection import ExplainedSegment
    from homeagent_sdk.remembering import DocumentAccess, FactAccess, KnownDocument, KnownFact

__all__ = ["MEMORY_METHODS", "RemoteMemory"]

T = TypeVar("T")

MEMORY_METHODS: Final = frozenset(
    {"recall", "note", "explain", "read", "forget", "restore"}
    | {f"facts.{name}" for name in ("about", "pending", "commit", "edit", "merge", "unmerge")}
    | {f"facts.{name}" for name in ("forget", "restore", "erase")}
    | {f"documents.{name}" for name in ("find", "open", "commit")}
)
"""What may be asked, by the names of the SDK's protocols."""


class _Remote:
    def __init__(self, ask: Callable[[str, tuple[object, ...], dict[str, object]], Awaitable[object]]) -> None:
        self._ask = ask

    async def _get(self, kind: type[T], method: str, *given: object, **named: object) -> T:
        value = await self._ask(method, given, named)
        if not isinstance(value, kind):
            raise WireError(method, f"the core returned a {type(value).__name__}", "Use an SDK of the same version")
        return value


class RemoteFacts(_Remote):
    """The SDK's ``FactAccess``."""

    async def about(self, subject: str, *, relation: str = "", at: datetime | None = None) -> Sequence[KnownFact]:
        """Return what is known of a subject."""
        return await self._get(tuple, "facts.about", subject, relation=relation, at=at)

    async def pending(self) -> int:
        """Return how much is still to be read."""
        return await self._get(int, "facts.pending")

    async def commit(self, subject: str, relation: str, value: str) -> str:
        """Write a fact."""
        return await self._get(str, "facts.commit", subject, relation, value)

    async def edit(self, fact: str, value: str | None) -> str | None:
        """Say that a fact is wrong, and what is right."""
        return cast("str | None", await self._get(object, "facts.edit", fact, value))

    async def merge(self, into: str, other: str) -> int:
        """Say that two are one."""
        return await self._get(int, "facts.merge", into, other)

    async def unmerge(self, merge: int) -> None:
        """Take `merge` back."""
        await self._get(object, "facts.unmerge", merge)

    async def forget(self, fact: str) -> Sequence[str]:
        """Hide what says a fact."""
        return await self._get(tuple, "facts.forget", fact)

    async def restore(self, fact: str) -> Sequence[str]:
        """Take `forget` back."""
        return await self._get(tuple, "facts.restore", fact)

    async def erase(self, fact: str) -> tuple[Sequence[str], Sequence[str]]:
        """Delete what says a fact."""
        return await self._get(tuple, "facts.erase", fact)


class RemoteDocuments(_Remote):
    """The SDK's ``DocumentAccess``."""

    async def find(self, text: str, *, limit: int = 5) -> Sequence[KnownDocument]:
        """Return the documents about a text."""
        return await self._get(tuple, "documents.find", text, limit=limit)

    async def open(self, document: str) -> OpenedDocument:
        """Return a document whole."""
        return await self._get(OpenedDocument, "documents.open", document)

    async def commit(self, title: str, turns: Sequence[str]) -> str:
        """Make a document of turns."""
        return await self._get(str, "documents.commit", title, tuple(turns))


class RemoteMemory(_Remote):
    """The SDK's ``MemoryAccess``."""

    async def recall(self, question: str, *, limit: int = 5, at: datetime | None = None) -> Recollection:
        """Return what is remembered about a question."""
        return await self._get(Recollection, "recall", question, limit=limit, at=at)

    async def note(self, text: str) -> str:
        """Keep a note."""
        return await self._get(str, "note", text)

    async def explain(self, turn: str) -> Sequence[ExplainedSegment]:
        """Say what of a turn is computed."""
        return await self._get(tuple, "explain", turn)

    async def read(self, turn: str) -> str:
        """Return what is computed of a turn."""
        return await self._get(str, "read", turn)

    async def forget(self, turns: Sequence[str]) -> None:
        """Hide turns."""
        await self._get(object, "forget", tuple(turns))

    async def restore(self, turns: Sequence[str]) -> None:
        """Take `forget` back."""
        await self._get(object, "restore", tuple(turns))

    @property
    def facts(self) -> FactAccess:
        """What is known of persons and things."""
        return RemoteFacts(self._ask)

    @property
    def documents(self) -> DocumentAccess:
        """What was archived."""
        return RemoteDocuments(self._ask)
