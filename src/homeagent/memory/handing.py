"""What is handed out to a person or a model: recall, documents and facts, with secrets of a known shape masked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from homeagent.masking import masked, masked_terms, secrets_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.knowledge.results import Document, Fact
    from homeagent.memory.results import Hit, Recall
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.turn import TurnId

__all__ = ["Exposed", "exposed", "masked_document", "masked_fact", "masked_recall"]


@dataclass(frozen=True, slots=True)
class Exposed:
    """Where raw holds a secret: the turn, the segment's position, what kind, and what is shown in its place."""

    turn: TurnId
    external_id: str
    segment: int
    tool: str | None
    kind: str
    masked: str


def masked_recall(found: Recall) -> Recall:
    """Return what recall found with the secrets in its texts masked; the order and the places stay."""
    return replace(found, hits=tuple(_masked_hit(hit) for hit in found.hits))


def _shown(text: str) -> str:
    return masked(text, said=False)


def _masked_hit(hit: Hit) -> Hit:
    neighbours = tuple(replace(each, text=_shown(each.text)) for each in hit.neighbours)
    return replace(hit, text=_shown(hit.text), why=masked_terms(hit.why, hit.text), neighbours=neighbours)


def masked_document(document: Document) -> Document:
    """Return a document in short with the secrets in its words masked."""
    return replace(
        document,
        title=_shown(document.title),
        summary=tuple(map(_shown, document.summary)),
        tags=tuple(map(_shown, document.tags)),
        entities=tuple(map(_shown, document.entities)),
    )


def masked_fact(fact: Fact) -> Fact:
    """Return a fact with the secrets in its value and in the words that say it masked; ids and places stay."""
    said = tuple(replace(each, text=masked(each.text)) for each in fact.said)
    return replace(fact, subject_name=masked(fact.subject_name), value=masked(fact.value), said=said)


def exposed(log: LogStore) -> Iterator[Exposed]:
    """Yield every secret of a known shape in raw, oldest turn first: words, outputs and arguments."""
    for row in log.all_segments():
        segment = row.segment
        for text in (segment.text, segment.arguments or ""):
            for secret in secrets_in(text):
                turn = log.turn(row.turn)
                if turn is not None:
                    name, external = turn.turn_id, turn.external_id
                    yield Exposed(name, external, row.position, segment.tool, secret.kind, secret.masked)
