"""From passages to index terms: what of a turn is searched by words, by days, by speaker, and what is embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from homeagent.memory.compute import ComputeText
from homeagent.memory.recall.cues import said_by, turn_cues
from homeagent.memory.store.protocols import IndexedPassage
from homeagent.memory.store.records import NO_CUES, OutputCues, TurnCues
from homeagent.memory.text.dates import day_terms, spoken_days, turn_day_terms
from homeagent.memory.text.terms import passage_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from homeagent.memory.store.records import Computed, Moment, Passage

__all__ = ["INDEX_VERSION", "cues_of", "indexed"]

INDEX_VERSION = "index-5"
"""Part of a turn's fingerprint: raise it when the same passages give other terms or another text to embed."""

_ASKS = 0.5
"""The share of its characters in questions above which a piece of an output asks."""


def indexed(passages: Sequence[Passage], speaker: ComputeText, at: Moment | None) -> list[IndexedPassage]:
    """Return the passages of one turn with their terms by column."""
    moment = at.datetime() if at is not None else None
    own_days = turn_day_terms(moment)
    named = passage_terms(speaker)
    names = (*named.words, *named.bigrams, *named.symbols)
    return [_one(passage, names, own_days, at) for passage in passages]


def cues_of(rows: Sequence[Computed]) -> TurnCues:
    """Return what the words of a turn look like: of its people's where they speak, else of the assistant's."""
    said = [row.text for row in rows if row.role in ("user", "system") and row.text.text.strip()]
    answered = [row.text for row in rows if row.role == "assistant" and row.text.text.strip()]
    found = turn_cues(ComputeText.joined([*said, *answered]))
    return TurnCues(
        found.words,
        found.asks,
        found.first_person,
        found.time,
        found.number,
        people=bool(said),
        assistant=bool(answered),
    )


def _one(passage: Passage, names: Sequence[str], own_days: Sequence[str], at: Moment | None) -> IndexedPassage:
    terms = passage_terms(passage.text)
    spoken = day_terms(spoken_days(passage.text, at.datetime() if at is not None else None))
    columns = {
        "words": terms.words,
        "bigrams": terms.bigrams,
        "symbols": terms.symbols,
        "days": (*own_days, *spoken),
        "speaker": names,
    }
    return IndexedPassage(passage, passage.text, columns, _output_cues(passage))


def _output_cues(passage: Passage) -> OutputCues:
    if passage.kind != "output":
        return NO_CUES
    cues = turn_cues(passage.text)
    return OutputCues(cues.asks > _ASKS, cues.first_person, cues.time, cues.number, said_by(passage.text))
