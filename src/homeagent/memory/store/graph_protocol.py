"""What the memory asks of a store for documents and the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from homeagent.memory.store.hiding_protocol import HidingStore

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from homeagent.memory.store.graph_records import DocumentFeatures, EntityRef, FactRow
    from homeagent.memory.store.records import DocumentRow, Step, Todo

__all__ = ["GraphStore"]


class GraphStore(HidingStore, Protocol):
    """Facts and documents of the computed half."""

    def waits(self, item: Todo) -> bool:
        """Whether a thing is still on the queue as it was asked for."""
        ...

    def pending_graph(self) -> int:
        """Return how many turns and documents wait for their facts and features."""
        ...

    def drop(self, seq: int, step: Step) -> None:
        """Take a thing off the queue whatever it was asked for: it will be asked for anew."""
        ...

    def put_extracted(self, turn: int, outcome: int) -> None:
        """Remember that ``outcome`` of the log holds facts that a model found in a turn."""
        ...

    def extracted(self, turn: int) -> list[int]:
        """Return the outcomes that hold facts a model found in a turn, oldest first."""
        ...

    def remove_extracted(self, turn: int) -> None:
        """Forget which outcomes hold facts of a turn."""
        ...

    def put_facts(self, source: int, rows: Sequence[FactRow], names: Sequence[EntityRef]) -> None:
        """Store the facts of a turn or explicit write, and the other names it gives, in place of those it had."""
        ...

    def remove_facts(self, source: int) -> None:
        """Take the facts of a turn or explicit write away."""
        ...

    def facts_about(self, entities: Collection[str], relation: str | None = None) -> list[FactRow]:
        """Return the facts whose subject is one of these entities, oldest source first."""
        ...

    def facts_naming(self, entities: Collection[str], relation: str | None = None) -> list[FactRow]:
        """Return the facts whose object is one of these entities, oldest source first."""
        ...

    def facts_in(self, sources: Collection[int] | None) -> list[FactRow]:
        """Return the facts of these turns and explicit writes, or all."""
        ...

    def facts_claiming(self, claim: str) -> list[FactRow]:
        """Return every time that a claim was made."""
        ...

    def facts_of_relation(self, relation: str) -> list[FactRow]:
        """Return the facts of a relation, oldest source first."""
        ...

    def named(self, key: str) -> list[str]:
        """Return the entities that were ever called so; ``key`` is a folded name."""
        ...

    def mentions(self) -> list[tuple[EntityRef, int]]:
        """Return every entity, once for each name it goes by, with how often it does."""
        ...

    def entity(self, entity: str) -> list[EntityRef]:
        """Return an entity by each name it goes by, the most used first."""
        ...

    def put_document(self, row: DocumentRow) -> None:
        """Store which turns are one document, in place of what was known of that; its features go."""
        ...

    def remove_document(self, outcome: int) -> None:
        """Take a document away."""
        ...

    def documents(self) -> list[DocumentRow]:
        """Return every document, oldest first."""
        ...

    def document_at(self, outcome: int) -> DocumentRow | None:
        """Return the document that the log row ``outcome`` began."""
        ...

    def documents_with(self, turns: Collection[int]) -> list[DocumentRow]:
        """Return the documents that hold one of these turns."""
        ...

    def newest_archived(self, chat: int) -> int | None:
        """Return the newest turn of a chat that is in a document."""
        ...

    def put_features(self, document: str, features: DocumentFeatures) -> None:
        """Store what was worked out of a document."""
        ...

    def remove_features(self, document: str) -> None:
        """Take what was worked out of a document away."""
        ...

    def features(self, document: str) -> DocumentFeatures | None:
        """Return what was worked out of a document, or None while it waits."""
        ...

    def document_frequencies(self, terms: Collection[str]) -> dict[str, int]:
        """Return in how many documents each of the terms occurs."""
        ...
