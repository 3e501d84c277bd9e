"""Recall: a question in, ranked hits out. Reads computed data only, and only what the viewer may see."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from homeagent.errors import EmbedError
from homeagent.memory.compute import QueryText
from homeagent.memory.people.identity import visible
from homeagent.memory.recall import score, speakers
from homeagent.memory.recall.hits import HitMaker, Judged
from homeagent.memory.recall.lexical import LexicalSearch
from homeagent.memory.recall.mirror import Mirror
from homeagent.memory.recall.neutral import neutral_key, neutral_mean, unpacked_vector
from homeagent.memory.recall.newest import newest_first
from homeagent.memory.results import Recall
from homeagent.memory.text.dates import Direction, day_terms, query_window, spoken_days
from homeagent.memory.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from homeagent.memory.embed.protocol import Embedder
    from homeagent.memory.people.identity import People, Visible
    from homeagent.memory.recall.lexical import Column
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.records import TurnOutline
    from homeagent.memory.turn import Viewer

__all__ = ["COLUMNS", "Recaller"]

COLUMNS = ("words", "bigrams", "symbols", "dates", "names")
"""The lexical legs."""

_LOG = logging.getLogger(__name__)
_CANDIDATES = 150
_NEAR_SECONDS = 8 * 3600


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what recall goes by: who may see what, whose names it holds, when it is asked."""

    text: QueryText
    bare: QueryText
    named: tuple[str, ...]
    at: datetime
    seen: Visible | None
    people: People
    viewer: Viewer | None


class Recaller:
    """Answers questions from one derived store."""

    def __init__(self, derived: DerivedStore, embedder: Embedder) -> None:
        self._derived = derived
        self._embedder = embedder
        self._mirror = Mirror(derived, embedder.model_id)
        self._lexical = LexicalSearch(derived, self._mirror)
        self._hits = HitMaker(derived, self._mirror)
        self._neutral: NDArray[np.float32] | None = None
        self._lock = threading.RLock()
        self._stale = False

    def forget_all(self) -> None:
        """Drop every copy in memory before the next question; one that is being answered goes on with what it has."""
        self._stale = True

    def recall(self, text: str, *, viewer: tuple[Viewer | None, People], at: datetime, limit: int) -> Recall:
        """Return the best ``limit`` turns about ``text`` that the viewer may see, as the store is now.

        One question at a time: what is kept in memory must not change under it.
        """
        known: dict[QueryText, NDArray[np.float32] | None] = {}
        while True:
            with self._lock:
                if self._stale:
                    self._stale = False
                    self._mirror.clear()
                self._mirror.refresh()
                asked = self._asked(text, viewer[0], viewer[1], at)
                if asked.bare in known or not len(self._mirror.vectors):
                    return self._recall(asked, known.get(asked.bare), limit)
            known[asked.bare] = self._embedded(asked.bare)  # others may ask meanwhile

    def _recall(self, asked: Asked, query: NDArray[np.float32] | None, limit: int) -> Recall:
        columns = self._columns(asked)
        ids, cosine = self._candidates(asked, columns, query)
        pending = sum(self._derived.pending().values())
        if not ids:
            return Recall((), 0.0, nothing=True, pending=pending)
        turn_ids = sorted({self._mirror.sizes[passage].turn for passage in ids})
        outlines = [self._mirror.turns[turn] for turn in turn_ids]
        row_of = {turn: row for row, turn in enumerate(turn_ids)}
        legs = [self._lexical.leg(columns[name], ids) for name in COLUMNS]
        owners = np.array([row_of[self._mirror.sizes[passage].turn] for passage in ids], np.intp)
        passages = score.Passages(owners, cosine, *legs)
        turns = self._turns(outlines, row_of, (asked, columns["names"]))
        question = score.question_cues(asked.text, self._unknown_symbol(asked, columns))
        ranking = score.rank_turns(passages, turns, question, score.scoring().ranking)
        chance = score.answerable(ranking, passages, question, score.scoring().answerable)
        order, older = self._arranged(asked, ranking, outlines, ids)
        best = [(turn_ids[row], ids[int(ranking.passage[row])], row) for row in order]
        hits = self._hits.hits(best, Judged(ranking, columns, asked.seen, older), limit)
        return Recall(hits, chance, chance < score.NOTHING, pending)

    def _arranged(
        self, asked: Asked, ranking: score.Ranking, rows: Sequence[TurnOutline], ids: Sequence[int]
    ) -> tuple[list[int], frozenset[int]]:
        """Return the rows of the ranking in the order to show, and which are superseded by a newer one."""
        order = ranking.order.tolist()
        window = query_window(asked.text, asked.at)
        if window is None or window.direction is not Direction.LATEST or not len(self._mirror.vectors):
            return order, frozenset()
        vectors = self._mirror.vectors.vectors_of([ids[passage] for passage in ranking.passage.tolist()])
        centred = vectors - self._mean(asked)
        centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6)
        moments = [row.at_us or 0 for row in rows]
        moments = moments if all(moments) else [row.seq for row in rows]
        return newest_first(order, ranking.score, moments, centred)

    def _asked(self, text: str, viewer: Viewer | None, people: People, at: datetime) -> Asked:
        seen = visible(viewer, self._mirror.scopes.items(), people)
        query = QueryText(text)
        names = speakers.nameable(self._mirror.speakers(None if seen is None else seen.scopes))
        bare, named = score.without_names(query, names)
        return Asked(query, bare, named, at, seen, people, viewer)

    def _columns(self, asked: Asked) -> dict[str, Column]:
        seen = asked.seen
        totals = self._mirror.totals(None if seen is None else seen.scopes)
        audience = None if seen is None else seen.terms
        terms = query_terms(asked.bare).content
        days = [term for term in day_terms(spoken_days(asked.text, asked.at)) if term[0] != "w"]
        named = [word for name in asked.named for word in query_terms(QueryText(name)).words]
        sought = (
            ("words", "words", terms.words),
            ("bigrams", "bigrams", terms.bigrams),
            ("symbols", "symbols", terms.symbols),
            ("dates", "days", days),
            ("names", "words", named),
        )
        return {leg: self._lexical.column(column, found, audience, totals) for leg, column, found in sought}

    def _candidates(
        self, asked: Asked, columns: dict[str, Column], query: NDArray[np.float32] | None
    ) -> tuple[list[int], NDArray[np.float32]]:
        """Return the best passages of every leg, joined, and their centred cosines (NaN without a vector)."""
        chosen = {passage for column in columns.values() for passage in column.best(_CANDIDATES)}
        vectors = self._mirror.vectors
        if query is None:
            ids = sorted(chosen)
            return ids, np.full(len(ids), np.nan, np.float32)
        scopes = None if asked.seen is None else asked.seen.scopes
        mean = self._mean(asked)
        towards = query - mean
        towards /= max(float(np.linalg.norm(towards)), 1e-6)
        found = vectors.search(towards, allowed_groups=scopes, limit=_CANDIDATES)
        ids = sorted(self._mirror.sizes.keys() & (chosen | set(found.ids.tolist())))
        cosine = score.centred_cosine(vectors.vectors_of(ids), query, mean)
        return ids, cosine

    def _embedded(self, text: QueryText) -> NDArray[np.float32] | None:
        """Return the question's vector; None, and words alone decide, when the embedder does not answer."""
        try:
            return self._embedder.query(text)
        except EmbedError as error:
            _LOG.warning("recall goes by words alone: %s", error)
            return None

    def _mean(self, asked: Asked) -> NDArray[np.float32]:
        """Return the point that the visible vectors are centred on."""
        total, count = self._mirror.vector_total(None if asked.seen is None else asked.seen.scopes)
        return score.shrunk_mean(total, count, self._neutral_mean())

    def _neutral_mean(self) -> NDArray[np.float32]:
        """Return the mean vector of ordinary sentences, which stands in for a memory that is still small."""
        if self._neutral is None:
            stored = self._derived.meta(neutral_key(self._embedder.model_id))
            self._neutral = unpacked_vector(stored) if stored is not None else neutral_mean(self._embedder)
        return self._neutral

    def _turns(self, rows: Sequence[TurnOutline], row_of: dict[int, int], about: tuple[Asked, Column]) -> score.Turns:
        asked, names = about
        beside = [self._mirror.beside(row.seq) for row in rows]
        cues = [row.cues for row in rows]
        before = [_near(row, rows, row_of.get(turn, -1)) for row, (turn, _) in zip(rows, beside, strict=True)]
        after = [_near(row, rows, row_of.get(turn, -1)) for row, (_, turn) in zip(rows, beside, strict=True)]
        answers = [
            row.cues.assistant and not row.cues.people and place >= 0 and not rows[place].cues.assistant
            for row, place in zip(rows, before, strict=True)
        ]
        return score.Turns(
            before=np.array(before, np.intp),
            after=np.array(after, np.intp),
            words=np.array([each.words for each in cues], np.float32),
            asks=np.array([each.asks for each in cues], np.float32),
            speaker=np.array(self._agreement(rows, asked, names), np.float32),
            assistant=np.array(answers, np.bool_),
            first_person=np.array([each.first_person for each in cues], np.bool_),
            time=np.array([each.time for each in cues], np.bool_),
            number=np.array([each.number for each in cues], np.bool_),
        )

    def _agreement(self, rows: Sequence[TurnOutline], asked: Asked, names: Column) -> list[float]:
        """Return for each turn whether the person that the question is about speaks in it."""
        said = [(row.sender, self._mirror.scopes[row.scope].channel, row.cues.people) for row in rows]
        if len(asked.named) == 1:
            mentions = [any(p in names.terms for p in self._mirror.passages_of(row.seq)) for row in rows]
            return speakers.named_speaks(said, asked.named[0], mentions)
        if asked.viewer is None or asked.named or not score.question_cues(asked.text).first_person:
            return [0.0] * len(rows)
        return speakers.asker_speaks(said, asked.viewer, asked.people)

    def _unknown_symbol(self, asked: Asked, columns: dict[str, Column]) -> bool:
        """Whether a number or identifier of the question occurs nowhere; the numbers of its dates do not count."""
        missing = [term for term in columns["symbols"].unheld if any(c.isdigit() for c in term)]
        return bool(missing) and query_window(asked.text, asked.at) is None


def _near(row: TurnOutline, rows: Sequence[TurnOutline], place: int) -> int:
    """Return ``place`` when the turn there belongs to the same sitting, else -1."""
    if place < 0:
        return -1
    here, there = row.at_us, rows[place].at_us
    if here is None or there is None:
        return place
    return place if abs(here - there) < _NEAR_SECONDS * 1_000_000 else -1
