"""Deriving: everything computed is made here from the log, through the door, a queue entry at a time.

The log commits first. Whatever it holds that was never queued is queued before each batch, and a step and its queue
entry change in one transaction, so a crash repeats work and neither loses nor doubles it. Segments pass the door in the
order of the log, because what a reply may not repeat depends on what was hidden before it.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.distilling import Distiller
from homeagent.memory.door.copies import sketch_of
from homeagent.memory.door.door import NOTHING, Door, all_copies, carried, label
from homeagent.memory.door.quotes import Quotes
from homeagent.memory.embed.protocol import makes_vectors
from homeagent.memory.indexing import INDEX_VERSION, cues_of, indexed
from homeagent.memory.keeping import home_secret
from homeagent.memory.passages import turn_passages
from homeagent.memory.people.sharing import standing_shares
from homeagent.memory.policy.book import PolicyBook
from homeagent.memory.policy.touched import Touched
from homeagent.memory.policy.trial import Parts, Trial
from homeagent.memory.recall.neutral import neutral_key, neutral_mean, packed_vector
from homeagent.memory.store.protocols import Scope, chat_key
from homeagent.memory.store.records import IndexedTurn, Todo
from homeagent.memory.tidying import Tidying

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from homeagent.memory.door.door import CleanerRunner, Passed
    from homeagent.memory.door.quotes import CopyIndex
    from homeagent.memory.embed.protocol import Embedder
    from homeagent.memory.lease import Lease
    from homeagent.memory.results import PolicyChange
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import Computed, Entry, SegmentRow, TurnRow

__all__ = ["Deriver"]

_QUEUED = "queued_through"
_MODEL = "model"
_BATCH = 64
_EMBED_BATCH = 64
_EMBED_CHARACTERS = 16_000
"""So many characters are embedded in some two seconds: whoever ends the program waits for no more."""
_STORED = 16
_PAGE = 2000
_FEW = 16
"""Lines that one kept turn adds to the log, with some outputs of tools."""
_WRITE_SECONDS = 0.04
_WAIT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class _State:
    """What the door goes by, read from the log at one point."""

    door: Door
    book: PolicyBook
    forgotten: frozenset[int]
    pins: Mapping[int, Sequence[tuple[int, int]]]


class Deriver:
    """Makes the computed half from the log. One process at a time does, under the lease."""

    def __init__(
        self,
        log: LogStore,
        derived: DerivedStore,
        embedder: Embedder,
        cleaners: CleanerRunner,
        lease: Lease,
        before: DerivedStore | None = None,
    ) -> None:
        """``before``, for a rebuild: where what a cleaner made that is gone by now can still be read."""
        self.carried = 0
        """How many rows were taken over because their cleaner is gone."""
        self.tidying = Tidying(log, derived, lease)
        self._before = before if before is not None else derived
        self._log = log
        self._derived = derived
        self._embedder = embedder
        self._cleaners = cleaners
        self._lease = lease
        self._embedding = threading.Lock()
        self._distiller = Distiller(log, derived, lease)
        self._secret = home_secret(log)
        self._quotes = Quotes(derived, self._secret)
        self._touched = Touched(log, derived, self._quotes, self._distiller)

    def catch_up(
        self,
        *,
        seconds: float = 60.0,
        budget: float = math.inf,
        progress: Callable[[int, int], None] | None = None,
    ) -> bool:
        """Bring full text up to the log's present end; False when that was not reached.

        It is not when another process keeps the lease for ``seconds``, or after working for ``budget`` seconds.
        ``progress`` is told (done, still to do). Vectors are another step: `embed`.
        """
        done = 0
        until = time.monotonic() + budget
        while time.monotonic() < until:
            with self._lease.held(seconds) as held:
                if not held:
                    return False
                count, ended = self._round()
            done += count
            if progress is not None and count:
                waiting = self._derived.pending()
                progress(done, waiting.get("door", 0) + waiting.get("index", 0))
            if ended:
                return True
        return False

    def _round(self) -> tuple[int, bool]:
        """Take note of what is new and do a batch; return how many are done, and whether that was everything.

        What a kept turn needs is one commit, and what it reads then it reads as it was written, from the same cache.
        """
        with self._log.snapshot():
            entries = self._unheard()
            with self._derived.transaction() if 0 < len(entries) <= _FEW else nullcontext():
                self._queue_new(entries)
                done = self._run_some() if self._waits() else 0
                ended = not self._waits()
                if ended:
                    self._derived.merge_terms()
                return done, ended

    def _waits(self) -> bool:
        return bool(self._derived.todo(("door", "index"), 1))

    def embed(self, limit: int = _EMBED_BATCH) -> int:
        """Embed up to ``limit`` waiting turns; return how many are done. The lease is held only to store."""
        if not makes_vectors(self._embedder):
            return 0
        with self._embedding:  # the background thread and `settle` take turns instead of doing the same batch twice
            return self._embed_batch(limit)

    def _embed_batch(self, limit: int) -> int:
        model = self._embedder.model_id
        batch = self._derived.todo(("embed",), limit)
        if not batch:
            return 0
        missing = self._derived.unembedded(model, [item.seq for item in batch])
        while len(batch) > 1 and sum(map(len, missing.values())) > _EMBED_CHARACTERS:
            batch = batch[: len(batch) // 2]
            missing = self._derived.unembedded(model, [item.seq for item in batch])
        keys = sorted(missing)
        vectors = self._embedder.passages([missing[key] for key in keys]) if keys else np.zeros((0, 0), np.float32)
        packed = [(key, vector.astype("<f2").tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        for start in range(0, len(packed), _STORED):  # whoever keeps something waits for one part at most
            if not self._stored(model, packed[start : start + _STORED], ()):
                return 0
        return len(batch) if self._stored(model, (), batch) else 0

    def _stored(self, model: str, packed: Sequence[tuple[bytes, bytes]], done: Sequence[Todo]) -> bool:
        """Store vectors and what is ``done`` with them, in one commit; False when the lease was not to be had."""
        with self._lease.held() as held:
            if held:
                with self._derived.transaction():
                    self._derived.put_vectors(model, packed, [item.seq for item in done])
                    for item in done:
                        self._derived.finish(item)
                    self._keep_neutral()
            return held

    def _keep_neutral(self) -> None:
        """Store the mean of ordinary sentences for this model, so that the first question need not work it out."""
        key = neutral_key(self._embedder.model_id)
        if self._derived.meta(key) is None:
            self._derived.set_meta(key, packed_vector(neutral_mean(self._embedder)))

    def distil(self) -> int:
        """Make the facts of some waiting turns, or the features of some documents; return how many are done."""
        return self._distiller.run()

    def use_model(self) -> None:
        """Queue every turn for embedding when the computed half was made with another model; the same for facts."""
        self._distiller.use_rules(fresh=self._derived.meta(_QUEUED) is None)
        model = self._embedder.model_id
        if self._derived.meta(_MODEL) == model:
            return
        with self._lease.held() as held:
            if held:
                with self._derived.transaction():
                    self._derived.set_meta(_MODEL, model)
                    if not makes_vectors(self._embedder):
                        return
                    self._derived.drop_other_vectors(model)
                    seqs = [row.seq for row in self._log.turns() if row.closed is not None]
                    self._derived.queue(Todo(seq, "embed", model) for seq in seqs)

    def compare(
        self, after: PolicyBook, *, examples: int, progress: Callable[[int, int], None] = lambda _done, _left: None
    ) -> PolicyChange:
        """Return what would be computed otherwise under the policies ``after``; nothing is changed."""
        parts = Parts(self._log, self._derived, self._quotes, self._touched, self._distiller, self._door)
        return Trial(parts, examples).run(PolicyBook(self._log.policies()), after, progress)

    def take_note(self, seconds: float = 60.0) -> int | None:
        """Queue what is new in the log, hide what it hides, derive nothing.

        Return how many segments wait for the door then; None when the lease was not to be had.
        """
        with self._lease.held(seconds) as held:
            if not held:
                return None
            self._queue_new(self._unheard())
            return self._derived.pending().get("door", 0)

    def work(self) -> int:
        """Do some of what waits, text first, then vectors, then facts; return 0 when nothing does."""
        self.tidying.some()
        if self._derived.todo(("door",), 1) or self._derived.todo(("index",), 1):
            self.catch_up(seconds=_WAIT_SECONDS, budget=_WAIT_SECONDS)
            return 1
        return self.embed() or self.distil()

    def _door(self, book: PolicyBook, index: CopyIndex) -> Door:
        return Door(book, Quotes(index, self._secret), self._cleaners)

    def _state(self) -> _State:
        book = PolicyBook(self._log.policies())
        return _State(Door(book, self._quotes, self._cleaners), book, self._log.forgotten(), self._log.pins())

    def _queue_new(self, entries: Sequence[Entry]) -> None:
        """Queue what the log holds and derived never heard of; ``entries`` is the first page of that."""
        while entries:
            with self._derived.transaction():
                for entry in entries:
                    self._queue_entry(entry)
                self._derived.set_meta(_QUEUED, str(entries[-1].seq))
            entries = self._log.entries(entries[-1].seq, _PAGE) if len(entries) == _PAGE else ()

    def _unheard(self) -> list[Entry]:
        return self._log.entries(int(self._derived.meta(_QUEUED) or 0), _PAGE)

    def _queue_entry(self, entry: Entry) -> None:
        match entry.kind:
            case "segment":
                self._derived.queue([Todo(entry.seq, "door", "new")])
            case "closing" if entry.turn is not None:
                self._derived.queue([Todo(entry.turn, "index", f"closing-{entry.seq}")])
            case "forget" if entry.turn is not None:
                rows = self._log.segments(entry.turn)
                self._derived.queue(Todo(row.seq, "door", f"forget-{entry.seq}") for row in rows)
                self._distiller.take_event(entry)
            case "share" if entry.turn is not None:
                self._derived.queue([Todo(entry.turn, "index", f"share-{entry.seq}")])
            case "policy":
                self._touched.take(entry.seq)
            case "erasure":
                self._take_out(entry.seq)
            case "outcome" | "write":
                self._distiller.take_event(entry)
            case _:
                pass

    def _take_out(self, erasure: int) -> None:
        """Take what an erasure deleted out of everything computed; later replies of its chat are looked at again."""
        erased = self._log.erased(erasure)
        self._distiller.take_out(frozenset(erased))
        rows = (self._derived.computed(seq) for seq in erased)
        single = {row.turn for row in rows if row is not None} - set(erased)  # turns that lose an output and stay
        closed = self._derived.turns([*erased, *single])
        for seq in erased:
            self._derived.remove_turn(seq)
        self._derived.queue(Todo(seq, "index", f"erasure-{erasure}") for seq in single)
        for turn in closed.values():
            later = self._log.replies_after(turn.place, turn.seq)
            self._derived.queue(Todo(seq, "door", f"erasure-{erasure}") for seq in later)

    def _run_some(self) -> int:
        """Do a batch of segments, and where those were all of them one of turns; return how many are done."""
        state = self._state()  # after the queue: it knows every policy that is queued
        segments = self._derived.todo(("door",), _BATCH)
        self._run(segments, state)
        turns = self._derived.todo(("index",), _BATCH) if len(segments) < _BATCH else []
        self._run(turns, state)
        return len(segments) + len(turns)

    def _run(self, batch: Sequence[Todo], state: _State) -> None:
        """Do a batch in short transactions, each step with its queue entry."""
        at = 0
        while at < len(batch):
            with self._derived.transaction():
                until = time.monotonic() + _WRITE_SECONDS
                while at < len(batch) and time.monotonic() < until:
                    if batch[at].step == "index":
                        self._index(batch[at].seq)
                    else:
                        self._let_through(batch[at].seq, state)
                    self._derived.finish(batch[at])
                    at += 1

    def _let_through(self, seq: int, state: _State) -> None:
        row = self._log.segment(seq)
        turn = self._log.turn(row.turn) if row is not None else None
        if row is None or turn is None:
            return  # erased meanwhile
        passed = self._carried(row, state.door.admit(row, turn, state.pins.get(seq, ())))
        computed = passed.computed
        if turn.seq in state.forgotten:
            computed = replace(computed, decision="forgotten", reason="forgotten by its owner", text=NOTHING)
        old = self._derived.computed(seq)
        self._put_sketch(row, turn, passed, old)
        later = self._touched.changed_reply(row, turn.place) if _reply_changed(computed, old) else set()
        self._derived.queue(Todo(each, "door", f"reply-{seq}") for each in later)
        if computed == old:
            return
        self._derived.put_computed(computed)
        if old is not None:
            self._distiller.changed(computed.turn)
            self._derived.queue([Todo(computed.turn, "index", f"door-{seq}")])

    def _carried(self, row: SegmentRow, passed: Passed) -> Passed:
        """Return what a cleaner that can't be run any more once made of this segment, where that is still known."""
        known = self._before.computed(row.seq) if passed.gone else None
        if known is None or known.fingerprint != passed.computed.fingerprint:
            return passed
        self.carried += 1
        return carried(passed, row.segment, known)

    def _put_sketch(self, row: SegmentRow, turn: TurnRow, passed: Passed, old: Computed | None) -> None:
        """Store by what copies of a segment are known, in place of what was stored for ``old``."""
        chat = chat_key(turn.place)
        salt = self._quotes.salt(chat)
        if old is not None and not passed.own:
            self._derived.remove_sketch(chat, row.seq, sketch_of(all_copies(row.segment, old.text), salt))
        elif old is not None:
            self._derived.remove_own_sketch(row.seq)
        copyable = passed.copyable
        if copyable.texts or copyable.tokens:
            self._derived.add_sketch(chat, row.seq, sketch_of(copyable, salt), own=passed.own)

    def _index(self, seq: int) -> None:
        row = self._log.turn(seq)
        if row is None or row.closed is None:
            return  # erased meanwhile
        computed = self._derived.computed_of(seq)
        scope = Scope.of(row.place, {row.sender, *row.members}, standing_shares(self._log.shares(seq)))
        said = (row.turn_id, row.source, row.external_id, row.place, row.sender, row.at, row.status)
        turn = IndexedTurn(seq, *said, scope.key, scope.chat, cues_of(computed))
        items = indexed(turn_passages(seq, computed), label(row.sender), row.at)
        self._derived.put_turn(turn, scope, items, _fingerprint(computed))
        self._distiller.indexed(seq, computed)
        if makes_vectors(self._embedder) and items:
            # Its own name each time: what is indexed again while it is embedded stays in the queue.
            self._derived.queue([Todo(seq, "embed", secrets.token_hex(4))])


def _reply_changed(now: Computed, old: Computed | None) -> bool:
    """Whether what a reply may be quoted for by the replies after it is another now."""
    return old is not None and now.role == "assistant" and (now.text != old.text or now.cuts != old.cuts)


def _fingerprint(computed: Iterable[Computed]) -> str:
    return "|".join([INDEX_VERSION, *(row.fingerprint for row in computed)])
