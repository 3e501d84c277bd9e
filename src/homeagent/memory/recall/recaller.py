"""Recall: a question in, ranked hits out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.compute import QueryText
from homeagent.memory.identity import visible
from homeagent.memory.recall.lexical import LexicalSearch
from homeagent.memory.recall.mirror import Mirror
from homeagent.memory.results import Hit, Neighbour, Recall
from homeagent.memory.text.dates import day_terms, query_window
from homeagent.memory.text.terms import query_terms

if TYPE_CHECKING:
    from datetime import datetime

    from homeagent.memory.embed.protocol import Embedder
    from homeagent.memory.identity import People
    from homeagent.memory.store.protocols import DerivedStore
    from homeagent.memory.turn import Viewer

__all__ = ["Recaller"]


class Recaller:
    def __init__(self, derived: DerivedStore, embedder: Embedder) -> None:
        self._derived = derived
        self._embedder = embedder
        self._mirror = Mirror(derived, embedder.model_id if embedder.dimensions else "", embedder.dimensions)
        self._lexical = LexicalSearch(derived, self._mirror)

    def refresh(self) -> None:
        self._mirror.refresh()

    def forget_all(self) -> None:
        self._mirror.clear()

    def recall(self, text: str, *, viewer: tuple[Viewer | None, People], at: datetime, limit: int) -> Recall:
        query = QueryText(text)
        seen = visible(viewer[0], self._derived.scopes(), viewer[1])
        audience = None if seen is None else seen.terms
        scopes = None if seen is None else seen.scopes
        totals = self._mirror.totals(scopes)
        terms = query_terms(query).content
        window = query_window(query, at)
        days = day_terms([window.days]) if window is not None and window.days is not None else ()
        legs = {
            name: self._lexical.leg(name, found, audience, totals)
            for name, found in (("words", terms.words), ("bigrams", terms.bigrams), ("symbols", terms.symbols), ("days", days))
        }
        fused: dict[int, float] = {}
        n = max(1, totals.passages)
        for leg in legs.values():
            v = np.array(list(leg.scores.values()) or [0.0])
            mean, dev = v.sum() / n, np.sqrt(max(1e-6, (v**2).sum() / n - (v.sum() / n) ** 2))
            for p, s in leg.scores.items():
                fused[p] = fused.get(p, 0.0) + (s - mean) / max(dev, 0.3)
        if self._embedder.dimensions and len(self._mirror.vectors):
            q = self._embedder.query(query)
            found = self._mirror.vectors.search(q, allowed_groups=scopes, limit=300)
            ids = sorted(set(fused) | set(found.ids.tolist()))
            known = [p for p in ids if p in self._mirror.vectors]
            for p, s in zip(known, self._mirror.vectors.scores_of(q, known).tolist(), strict=True):
                fused[p] = fused.get(p, 0.0) + (s - found.mean) / max(found.deviation, 0.015)
        best: dict[int, tuple[float, int]] = {}
        for p, s in fused.items():
            t = self._mirror.sizes[p].turn
            if t not in best or best[t][0] < s:
                best[t] = (s, p)
        ranked = sorted(best.items(), key=lambda kv: (-kv[1][0], kv[0]))[:limit]
        turns = self._derived.turns([t for t, _ in ranked])
        passages = self._derived.passages([p for _, (_, p) in ranked])
        hits = []
        for t, (s, p) in ranked:
            row = turns[t]
            span = next((x for x in passages[p].text.spans), None)
            hits.append(Hit(row.turn_id, row.source, row.external_id, passages[p].text.text, s, (), 0,
                (span.raw_start, span.raw_end) if span and span.raw_start is not None and span.raw_end is not None else None,
                row.place, row.sender, row.at.datetime() if row.at else None, ()))
        pending = self._derived.pending()
        return Recall(tuple(hits), 0.5, not hits, sum(pending.values()))
