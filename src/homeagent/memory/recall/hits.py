"""From ranked turns to hits: text, span, reasons, neighbours; the same words said twice are shown once."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from homeagent.memory.results import Hit, Neighbour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from homeagent.memory.compute import Span
    from homeagent.memory.people.identity import Visible
    from homeagent.memory.recall.lexical import Column
    from homeagent.memory.recall.mirror import Mirror
    from homeagent.memory.recall.score import Ranking
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.records import IndexedTurn, Passage

    Read = tuple[Mapping[int, IndexedTurn], Mapping[int, str]]
    """The turns of the hits and those beside them, and what these say, by turn."""

__all__ = ["HitMaker", "Judged"]

Found = tuple[int, int, int]
"""A turn, its best passage, and its row in the ranking."""

_AROUND = 600
"""Characters that are shown of an output around the piece that matched."""
_PIECES = 4
"""Pieces before it and behind it that are read for that."""
_LEAST_REASON = 0.25
_LOOK_AHEAD = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """What a hit's reasons are read from; ``older`` are rows that a newer turn speaks of anew."""

    ranking: Ranking
    columns: Mapping[str, Column]
    seen: Visible | None
    older: frozenset[int]


class HitMaker:
    """Reads what a hit shows."""

    def __init__(self, derived: DerivedStore, mirror: Mirror) -> None:
        self._derived = derived
        self._mirror = mirror

    def hits(self, best: Sequence[Found], judged: Judged, limit: int) -> tuple[Hit, ...]:
        """Return up to ``limit`` hits, best first, each with the turns beside it."""
        chosen = self._without_repeats(best[: limit * _LOOK_AHEAD])[:limit]
        passages = self._derived.passages([passage for _, passage, _ in chosen])
        beside = [each for turn, _, _ in chosen for each in self._mirror.beside(turn) if each >= 0]
        rows = self._derived.turns([*(turn for turn, _, _ in chosen), *beside])
        firsts = [passage for each in dict.fromkeys(beside) for passage in self._mirror.passages_of(each)[:1]]
        texts = {each.turn: each.text.text for each in self._derived.passages(firsts).values()}
        shown = self._shown(passages)
        return tuple(
            replace(self._hit((turn, row), passages[passage], (rows, texts), judged), text=shown[passage])
            for turn, passage, row in chosen
            if turn in rows and passage in passages  # another process may just have taken it out
        )

    def _shown(self, passages: Mapping[int, Passage]) -> dict[int, str]:
        """Return what is shown of each passage: of an output the pieces around it too, what is near first."""
        beside: dict[int, list[int]] = {}
        for each in passages.values():
            if each.kind == "output":
                pieces = self._mirror.passages_of(each.turn)
                place = bisect.bisect_left(pieces, each.passage)
                beside[each.passage] = list(pieces[max(0, place - _PIECES) : place + _PIECES + 1])
        around = self._derived.passages([piece for pieces in beside.values() for piece in pieces])
        shown = {passage: each.text.text for passage, each in passages.items()}
        for passage, pieces in beside.items():
            shown[passage] = _joined(passages[passage], [around[piece] for piece in pieces if piece in around])
        return shown

    def _without_repeats(self, best: Sequence[Found]) -> list[Found]:
        """Return the turns without those that say, in the same chat, only what another says; the newest stays."""
        texts = self._derived.passages([passage for _, passage, _ in best])
        turns = self._mirror.turns
        best = [found for found in best if found[0] in turns and found[1] in texts]
        keys = [(turns[turn].scope, turns[turn].sender, texts[passage].text.text) for turn, passage, _ in best]
        newest: dict[tuple[int, str, str], int] = {}
        for key, (turn, _, _) in zip(keys, best, strict=True):
            newest[key] = max(newest.get(key, turn), turn)
        return [found for key, found in zip(keys, best, strict=True) if newest[key] == found[0]]

    def _hit(self, found: tuple[int, int], passage: Passage, read: Read, judged: Judged) -> Hit:
        turn, row = read[0][found[0]], found[1]
        first = next(iter(passage.text.spans), None)
        computed = self._derived.computed(first.segment) if first is not None else None
        return Hit(
            turn=turn.turn_id,
            source=turn.source,
            external_id=turn.external_id,
            text=passage.text.text,
            score=round(float(judged.ranking.score[row]), 4),
            why=_reasons(judged, row, passage.passage),
            segment=computed.position if computed is not None else 0,
            span=_raw_range(first),
            place=turn.place,
            sender=turn.sender,
            at=turn.at.datetime() if turn.at is not None else None,
            neighbours=self._neighbours(turn, read, judged.seen),
            superseded=row in judged.older,
        )

    def _neighbours(self, turn: IndexedTurn, read: Read, seen: Visible | None) -> tuple[Neighbour, ...]:
        rows, texts = read
        found: list[Neighbour] = []
        for offset, seq in zip((-1, 1), self._mirror.beside(turn.seq), strict=True):
            row = rows.get(seq)
            if row is None or (seen is not None and row.scope not in seen.scopes):
                continue
            text = texts.get(seq, "")
            if not text:
                continue  # forgotten, or nothing of it may be computed
            at = row.at.datetime() if row.at is not None else None
            found.append(Neighbour(row.turn_id, row.external_id, offset, text, at))
        return tuple(found)


def _joined(middle: Passage, pieces: Sequence[Passage]) -> str:
    """Return the text of a piece with those before and behind it in the same output, up to `_AROUND` characters."""
    texts = {each.passage: each.text.text for each in pieces if _segment(each) == _segment(middle)}
    text, low, high = middle.text.text, middle.passage, middle.passage
    while low - 1 in texts or high + 1 in texts:
        before, after = texts.get(low - 1), texts.get(high + 1)
        if before is not None and (after is None or middle.passage - low <= high - middle.passage):
            longer, low = before + text, low - 1
        else:
            longer, high = text + (after or ""), high + 1
        if len(longer) > _AROUND:
            break
        text = longer
    return text


def _segment(passage: Passage) -> int:
    """Return the segment that a passage begins in; -1 where it has no spans."""
    first = next(iter(passage.text.spans), None)
    return first.segment if first is not None else -1


def _raw_range(span: Span | None) -> tuple[int, int] | None:
    if span is None or span.raw_start is None or span.raw_end is None:
        return None
    return span.raw_start, span.raw_end


def _reasons(judged: Judged, row: int, passage: int) -> tuple[str, ...]:
    """Return what speaks for a hit, the strongest first: the kind of evidence, its share, the terms that matched."""
    shares = sorted(((float(part[row]), name) for name, part in judged.ranking.reasons.items()), reverse=True)
    reasons: list[str] = []
    for share, name in shares:
        if share < _LEAST_REASON:
            continue
        terms = judged.columns[name].terms_of(passage) if name in judged.columns else []
        reasons.append(f"{name} +{share:.1f}" + (f": {' '.join(terms[:8])}" if terms else ""))
    return tuple(reasons)
