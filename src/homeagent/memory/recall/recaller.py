"""Recall: a question in, ranked hits out. Reads computed data only, and only what the viewer may see."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from homeagent.errors import EmbedError
from homeagent.memory.compute import QueryText
from homeagent.memory.people.identity import visible
from homeagent.memory.recall import score, speakers
from homeagent.memory.recall.answer import NOTHING, answerable
from homeagent.memory.recall.cues import question_cues, without_names
from homeagent.memory.recall.echoes import Asking, asks_about_asking
from homeagent.memory.recall.hits import HitMaker, Judged
from homeagent.memory.recall.lexical import LexicalSearch, asked_words
from homeagent.memory.recall.mirror import Mirror
from homeagent.memory.recall.neutral import neutral_key, neutral_mean, unpacked_vector
from homeagent.memory.recall.newest import LOOKED_AT, SHARED, Standing, newest_first
from homeagent.memory.recall.outputs import outputs_of
from homeagent.memory.results import Recall
from homeagent.memory.text.dates import Direction, alternative_days, asked_days, day_terms, query_window
from homeagent.memory.text.speech import asks_how_it_stands, corrects, tells_of_change
from homeagent.memory.text.terms import query_terms

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from homeagent.memory.embed.protocol import Embedder
    from homeagent.memory.people.identity import People, Visible
    from homeagent.memory.recall.cues import Question
    from homeagent.memory.recall.lexical import Column
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.records import TurnOutline
    from homeagent.memory.turn import Viewer

    Embedded = tuple[QueryText, NDArray[np.float32] | None]
    """A question and its vector, None where the embedder did not answer."""

__all__ = ["COLUMNS", "Evidence", "Recaller"]

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


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known about the candidates of a question, before it is weighed.

    ``ids`` are the candidate passages in the order of ``passages``, ``outlines`` their turns in the order of ``turns``.
    ``older`` are the rows of turns that say what no longer holds of what is asked for.
    """

    asked: Asked
    columns: dict[str, Column]
    ids: list[int]
    outlines: list[TurnOutline]
    passages: score.Passages
    turns: score.Turns
    question: Question
    older: frozenset[int] = frozenset()


class KnownFacts(Protocol):
    """Knows which turns say what a question asks for."""

    def __call__(self, text: QueryText, /, *, at: datetime, viewer: Viewer | None) -> Mapping[int, bool]:
        """Return these turns (their seq), and of each whether what it says holds at ``at``."""
        ...


def _nothing_known(_text: QueryText, *, at: datetime, viewer: Viewer | None) -> Mapping[int, bool]:
    del at, viewer
    return {}


class Recaller:
    """Answers questions from one derived store."""

    def __init__(self, derived: DerivedStore, embedder: Embedder, known: KnownFacts = _nothing_known) -> None:
        self._derived = derived
        self._embedder = embedder
        self._known = known
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
        """Return the best ``limit`` turns about ``text`` that the viewer may see, as the store is now."""
        return self.recall_under(text, [score.scoring()], viewer=viewer, at=at, limit=limit)[0]

    def recall_under(
        self,
        text: str,
        weightings: Sequence[score.Scoring],
        *,
        viewer: tuple[Viewer | None, People],
        at: datetime,
        limit: int,
    ) -> list[Recall]:
        """Return what `recall` would under each of these weightings, of the same candidates.

        One question at a time: what is kept in memory must not change under it.
        """
        ready = self._embedded_before(text, viewer, at)
        with self._lock:
            self._refresh()
            evidence = self._evidence(self._asked(text, viewer[0], viewer[1], at), ready)
            return [self._recall(evidence, weights, limit) for weights in weightings]

    def evidence(self, text: str, *, viewer: tuple[Viewer | None, People], at: datetime) -> Evidence:
        """Return what is known about each candidate for a question, before it is weighed."""
        ready = self._embedded_before(text, viewer, at)
        with self._lock:
            self._refresh()
            return self._evidence(self._asked(text, viewer[0], viewer[1], at), ready)

    def _embedded_before(self, text: str, viewer: tuple[Viewer | None, People], at: datetime) -> Embedded | None:
        """Embed a question before its turn has come, so that others are answered meanwhile."""
        with self._lock:
            self._refresh()
            if not len(self._mirror.vectors):
                return None
            bare = self._asked(text, viewer[0], viewer[1], at).bare
        return bare, self._embedded(bare)

    def _refresh(self) -> None:
        if self._stale:
            self._stale = False
            self._mirror.clear()
        self._mirror.refresh()

    def _evidence(self, asked: Asked, ready: Embedded | None) -> Evidence:
        """Collect what speaks for and against each candidate; weighing it is another matter.

        ``ready`` is the question's vector, of use unless somebody that it names became known in the meantime.
        """
        columns = self._columns(asked)
        known = self._known(asked.text, at=asked.at, viewer=asked.viewer)
        query = ready[1] if ready is not None and ready[0] == asked.bare else None
        if ready is None or ready[0] != asked.bare:
            query = self._embedded(asked.bare) if len(self._mirror.vectors) else None
        ids, cosine = self._candidates(asked, columns, (known, query))
        turn_ids = sorted({self._mirror.sizes[passage].turn for passage in ids})
        outlines = [self._mirror.turns[turn] for turn in turn_ids]
        row_of = {turn: row for row, turn in enumerate(turn_ids)}
        days = alternative_days(asked_days(asked.text, asked.at))
        legs = [self._lexical.leg(columns[name], ids, days if name == "dates" else ()) for name in COLUMNS]
        owners = np.array([row_of[self._mirror.sizes[passage].turn] for passage in ids], np.intp)
        turns = self._turns(outlines, row_of, (asked, columns["names"], known))
        outputs = self._outputs(ids, asked, columns, turns)
        passages = score.Passages(owners, cosine, *legs, outputs=outputs, asked=asked_words(columns, ids))
        question = question_cues(asked.text, self._unknown_symbol(asked, columns))
        older = frozenset(row_of[turn] for turn in _outdated(known) if turn in row_of)
        return Evidence(asked, columns, ids, outlines, passages, turns, question, older)

    def _recall(self, evidence: Evidence, weights: score.Scoring, limit: int) -> Recall:
        pending = sum(self._derived.pending().values())
        ids, outlines, asked = evidence.ids, evidence.outlines, evidence.asked
        if not ids:
            return Recall((), 0.0, nothing=True, pending=pending)
        ranking = score.rank_turns(evidence.passages, evidence.turns, evidence.question, weights.ranking)
        empty, answered = self._asking(evidence, ranking)
        ranking = score.put_back(ranking, empty, score.ONLY_ASKS)
        chance = answerable(ranking, evidence.passages, evidence.turns, evidence.question, weights.answerable)
        ranking = score.put_back(ranking, answered, score.ONLY_ANSWERED)
        order, older = self._arranged(evidence, ranking, frozenset((*empty, *answered)))
        best = [(outlines[row].seq, ids[int(ranking.passage[row])], row) for row in order]
        hits = self._hits.hits(best, Judged(ranking, evidence.columns, asked.seen, older | evidence.older), limit)
        return Recall(hits, chance, chance < NOTHING, pending)

    def _arranged(
        self, evidence: Evidence, ranking: score.Ranking, asking: frozenset[int]
    ) -> tuple[list[int], frozenset[int]]:
        """Return the rows in the order to show, and which a newer one supersedes; those ``asking`` change nothing."""
        asked, order = evidence.asked, ranking.order.tolist()
        window = query_window(asked.text, asked.at)
        newest = window is not None and window.direction is Direction.LATEST
        if not len(self._mirror.vectors) or not (newest or (window is None and asks_how_it_stands(asked.text))):
            return order, frozenset()
        standing = self._standing(evidence, ranking, asking, newest=newest)
        if not newest and not standing.changed and standing.correction < 0:
            return order, frozenset()
        vectors = self._mirror.vectors.vectors_of([evidence.ids[passage] for passage in ranking.passage.tolist()])
        centred = vectors - self._mean(asked)
        centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6)
        return newest_first(order, standing, centred)

    def _standing(
        self, evidence: Evidence, ranking: score.Ranking, asking: frozenset[int], *, newest: bool
    ) -> Standing:
        """Return what `newest_first` goes by."""
        first = ranking.order[:LOOKED_AT].tolist()
        passages = {row: evidence.ids[int(ranking.passage[row])] for row in first}
        found = self._derived.passages(list(passages.values()))  # without what another process has just taken out
        texts = {row: found[passage].text for row, passage in passages.items() if passage in found}
        changed = frozenset(row for row, text in texts.items() if row not in asking and tells_of_change(text))
        held = {row: evidence.passages.held(int(ranking.passage[row])) for row in first}
        sharing = frozenset(row for row in changed if held[row] >= SHARED * held[first[0]] > 0)
        moments = [row.at_us or 0 for row in evidence.outlines]
        after = int(evidence.turns.after[first[0]])
        return Standing(
            scores=ranking.score,
            plain=ranking.score - ranking.reasons["fact"],
            moments=moments if all(moments) else [row.seq for row in evidence.outlines],
            changed=changed,
            sharing=sharing,
            correction=after if after in texts and after not in asking and corrects(texts[after]) else -1,
            asked=newest,
        )

    def _asking(self, evidence: Evidence, ranking: score.Ranking) -> tuple[list[int], list[int]]:
        """Return of the first rows those that say no more than the question, and those where only a reply does."""
        if asks_about_asking(evidence.asked.text):
            return [], []
        asking = Asking(evidence.asked.text, evidence.question)
        first = ranking.order[:LOOKED_AT].tolist()
        turns = {row: self._derived.computed_of(evidence.outlines[row].seq) for row in first}
        empty = [row for row in first if asking.is_empty(turns[row])]
        return empty, [row for row in first if row not in empty and asking.is_answered(turns[row])]

    def _asked(self, text: str, viewer: Viewer | None, people: People, at: datetime) -> Asked:
        seen = visible(viewer, self._mirror.scopes.items(), people)
        query = QueryText(text)
        names = speakers.nameable(self._mirror.speakers(None if seen is None else seen.scopes))
        bare, named = without_names(query, names)
        return Asked(query, bare, named, at, seen, people, viewer)

    def _columns(self, asked: Asked) -> dict[str, Column]:
        seen = asked.seen
        totals = self._mirror.totals(None if seen is None else seen.scopes)
        audience = None if seen is None else seen.terms
        terms = query_terms(asked.bare).content
        days = [term for term in day_terms(asked_days(asked.text, asked.at)) if term[0] != "w"]
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
        self, asked: Asked, columns: dict[str, Column], about: tuple[Collection[int], NDArray[np.float32] | None]
    ) -> tuple[list[int], NDArray[np.float32]]:
        """Return the best passages of every leg, joined, and their centred cosines (NaN without a vector)."""
        known, query = about
        chosen = {passage for column in columns.values() for passage in column.best(_CANDIDATES)}
        chosen |= {passage for turn in known for passage in self._mirror.passages_of(turn)}
        if query is None:
            ids = sorted(chosen)
            return ids, np.full(len(ids), np.nan, np.float32)
        scopes = None if asked.seen is None else asked.seen.scopes
        mean = self._mean(asked)
        towards = query - mean
        towards /= max(float(np.linalg.norm(towards)), 1e-6)
        nearest = self._mirror.nearest(towards, scopes, _CANDIDATES)
        ids = sorted(self._mirror.sizes.keys() & (chosen | nearest))
        cosine = score.centred_cosine(self._mirror.vectors.vectors_of(ids), query, mean)
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

    def _turns(
        self, rows: Sequence[TurnOutline], row_of: dict[int, int], about: tuple[Asked, Column, Mapping[int, bool]]
    ) -> score.Turns:
        asked, names, known = about
        answer = _answering(asked, known)
        beside = self._mirror.beside_each(rows)
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
            known=np.array([row.seq in answer for row in rows], np.bool_),
        )

    def _outputs(
        self, ids: Sequence[int], asked: Asked, columns: dict[str, Column], turns: score.Turns
    ) -> score.Outputs | None:
        """Return which candidates are of outputs, and what is known about these."""
        sizes = [self._mirror.sizes[passage] for passage in ids]
        if not any(size.output for size in sizes):
            return None
        mentioned = np.isin(ids, columns["names"].ids).tolist()
        quoted = [(size.cues.said_by, names) for size, names in zip(sizes, mentioned, strict=True)]
        if len(asked.named) == 1:
            known = self._mirror.speakers(None if asked.seen is None else asked.seen.scopes)
            about = speakers.quoted_speaks(quoted, asked.named[0], speakers.nameable(known))
        elif asked.viewer is not None and turns.speaker.any():  # where it tells anything that the asker speaks
            about = speakers.quoted_speaks([(who, False) for who, _ in quoted], asked.viewer.person, ())
        else:
            about = [0.0] * len(ids)
        return outputs_of(sizes, about, columns["symbols"].idf)

    def _agreement(self, rows: Sequence[TurnOutline], asked: Asked, names: Column) -> list[float]:
        """Return for each turn whether the person that the question is about speaks in it."""
        said = [(row.sender, self._mirror.scopes[row.scope].channel, row.cues.people) for row in rows]
        if len(asked.named) == 1:
            mentions = [any(names.holds(passage) for passage in self._mirror.passages_of(row.seq)) for row in rows]
            return speakers.named_speaks(said, asked.named[0], mentions)
        if asked.viewer is None or asked.named or not question_cues(asked.text).first_person:
            return [0.0] * len(rows)
        return speakers.asker_speaks(said, asked.viewer, asked.people)

    def _unknown_symbol(self, asked: Asked, columns: dict[str, Column]) -> bool:
        """Whether a number or identifier of the question occurs nowhere; the numbers of its dates do not count."""
        missing = [term for term in columns["symbols"].unheld if any(c.isdigit() for c in term)]
        return bool(missing) and query_window(asked.text, asked.at) is None


def _answering(asked: Asked, known: Mapping[int, bool]) -> frozenset[int]:
    """Return the turns that say what holds; or what held, where the question asks for that."""
    window = query_window(asked.text, asked.at)
    before = window is not None and window.direction is Direction.BEFORE and window.start is window.end is None
    found = frozenset(turn for turn, holds in known.items() if holds != before)
    return found or frozenset(known)


def _outdated(known: Mapping[int, bool]) -> list[int]:
    """Return the turns whose word on what is asked for no longer holds, where another's does."""
    return [turn for turn, holds in known.items() if not holds] if any(known.values()) else []


def _near(row: TurnOutline, rows: Sequence[TurnOutline], place: int) -> int:
    """Return ``place`` when the turn there belongs to the same sitting, else -1."""
    if place < 0:
        return -1
    here, there = row.at_us, rows[place].at_us
    if here is None or there is None:
        return place
    return place if abs(here - there) < _NEAR_SECONDS * 1_000_000 else -1
