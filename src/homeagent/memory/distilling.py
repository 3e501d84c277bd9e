"""The steps behind the index: facts of a turn, features of a document. Recall never waits for them.

Both work from what the door let through and nothing else. What changes at the door loses its facts at once, in the same
transaction, and gets them back when its turn in the queue comes: nothing hidden, forgotten or erased keeps a fact.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from homeagent.memory.archive import ARCHIVED, COMMITTED, added_to, first_event
from homeagent.memory.distil.keys import DISTIL_VERSION, TurnWords
from homeagent.memory.distil.model import MODEL_FACTS, facts_of_outcome
from homeagent.memory.documents.features import features
from homeagent.memory.door.door import label
from homeagent.memory.knowledge.writing import FORGOTTEN_WRITE, WRITTEN_FACTS, hidden_writes, written_facts
from homeagent.memory.people.sharing import standing_shares
from homeagent.memory.store.protocols import Scope
from homeagent.memory.store.records import Todo
from homeagent.memory.turn import INJECTED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from homeagent.memory.lease import Lease
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.graph_records import EntityRef, FactRow
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import Computed, DocumentRow, Entry, OutcomeRow, TurnRow, WriteRow

__all__ = ["RULES", "Distiller"]

RULES: Final = "rules"
"""Under this name the computed half remembers by which rules its facts were made."""

_BATCH = 32


class Distiller:
    """Makes facts and features from computed text. What writes runs under the lease and its transaction."""

    def __init__(self, log: LogStore, derived: DerivedStore, lease: Lease) -> None:
        self._log = log
        self._derived = derived
        self._lease = lease

    def use_rules(self, *, fresh: bool) -> None:
        """Queue every turn and explicit write again when their facts were made by other rules than these.

        ``fresh``: nothing was derived yet.
        """
        if self._derived.meta(RULES) == DISTIL_VERSION:
            return
        with self._lease.held() as held:
            if held:
                with self._derived.transaction():
                    self._derived.set_meta(RULES, DISTIL_VERSION)
                    seqs = [] if fresh else [row.seq for row in self._log.turns() if row.closed is not None]
                    seqs += [] if fresh else [row.seq for row in self._log.writes() if row.kind in WRITTEN_FACTS]
                    self._derived.queue(Todo(seq, "distil", DISTIL_VERSION) for seq in seqs)

    # -- what happened: called in the transaction that takes note of it ------------------------------------------

    def take_event(self, entry: Entry) -> None:
        """Queue what an outcome, an explicit write or the forgetting of a turn asks for."""
        if entry.kind == "forget":
            for each in self._log.writes():
                if each.turn == entry.turn and each.kind in WRITTEN_FACTS:
                    self._again(each.seq, entry.seq)
            return
        if entry.kind == "outcome":
            outcome = self._log.outcome(entry.seq)
            if outcome is not None and outcome.kind == ARCHIVED:
                self._take_document(outcome)
            elif outcome is not None and outcome.kind == MODEL_FACTS:
                turn = int(json.loads(outcome.payload)["turn"])
                self._derived.put_extracted(turn, outcome.seq)
                self._derived.queue([Todo(turn, "distil", f"{DISTIL_VERSION}-{outcome.seq}")])
            return
        written = self._log.write(entry.seq)
        if written is not None and written.kind == COMMITTED:
            self._take_document(written)
        elif written is not None and written.kind in WRITTEN_FACTS:
            self._derived.queue([Todo(entry.seq, "distil", DISTIL_VERSION)])
        elif written is not None and written.kind == FORGOTTEN_WRITE:
            self._again(int(json.loads(written.payload)["write"]), entry.seq)

    def _again(self, write: int, event: int) -> None:
        """Take the fact of an explicit write away, and queue it: it may have been brought back."""
        self._derived.remove_facts(write)
        self._derived.queue([Todo(write, "distil", f"{DISTIL_VERSION}-{event}")])

    def take_out(self, gone: Collection[int]) -> None:
        """Take what was erased out of facts and documents; ``gone`` are the seqs of all rows that were deleted."""
        for document in self._derived.documents_with(gone):
            left = tuple(turn for turn in document.turns if turn not in gone)
            self._derived.remove_document(document.outcome)
            if left and document.outcome not in gone:
                self._put_document(replace(document, turns=left))
        for seq in gone:
            self._derived.remove_facts(seq)
            self._derived.remove_extracted(seq)
            self._derived.drop(seq, "distil")

    def changed(self, turn: int) -> None:
        """Take what was made of a turn away, because the door lets other text through now; `indexed` follows."""
        self._derived.remove_facts(turn)
        self._derived.drop(turn, "distil")
        for document in self._derived.documents_with([turn]):
            self._derived.remove_features(document.document)
            self._derived.drop(document.outcome, "document")

    def indexed(self, turn: int, rows: Sequence[Computed]) -> None:
        """Queue a turn that was indexed, and the documents that hold it."""
        mark = _mark(rows)
        self._derived.queue([Todo(turn, "distil", mark)])
        self._derived.queue(Todo(each.outcome, "document", mark) for each in self._derived.documents_with([turn]))

    # -- the steps themselves ------------------------------------------------------------------------------------

    def run(self, limit: int = _BATCH) -> int:
        """Do up to ``limit`` waiting turns, else documents; return how many are done.

        The lease is held only to store. What was asked otherwise meanwhile is not stored, it still waits.
        """
        batch = self._derived.todo(("distil",), limit) or self._derived.todo(("document",), limit)
        if not batch:
            return 0
        ready = [(item, self._prepared(item)) for item in batch]
        with self._lease.held() as held:
            if not held:
                return 0
            with self._derived.transaction():
                for item, write in ready:
                    if self._derived.waits(item):
                        write()
                        self._derived.finish(item)
        return len(batch)

    def _prepared(self, item: Todo) -> Callable[[], None]:
        if item.step == "document":
            return self._prepared_document(item.seq)
        written = self._log.write(item.seq)
        if written is not None:
            return self._prepared_write(written)
        turn = self._log.turn(item.seq)
        if turn is None:
            return lambda: self._derived.remove_facts(item.seq)
        facts, names = self.facts(turn, self._derived.computed_of(turn.seq))
        return lambda: self._derived.put_facts(turn.seq, facts, names)

    def facts(self, turn: TurnRow, rows: Sequence[Computed]) -> tuple[list[FactRow], list[EntityRef]]:
        """Return the facts of a turn of which this is computed, and the other names it gives; nothing is stored.

        What a plugin put in is nobody's word: a mail that got itself made into a reminder is not what the owner said.
        """
        from homeagent.memory.distil.facts import facts_of_turn  # here: its patterns take long to compile

        if turn.source == INJECTED:
            rows = [row for row in rows if row.role != "user"]
        words = TurnWords(turn.seq, turn.place.channel, turn.sender, label(turn.sender), self._scope(turn), turn.at)
        facts, names = facts_of_turn(words, rows)
        for outcome in self._outcomes(turn.seq):
            facts.extend(facts_of_outcome(words, rows, outcome.payload, len(facts)))
        return facts, names

    def _outcomes(self, turn: int) -> list[OutcomeRow]:
        found = (self._log.outcome(seq) for seq in self._derived.extracted(turn))
        return [row for row in found if row is not None]

    def _prepared_write(self, row: WriteRow) -> Callable[[], None]:
        if row.seq in hidden_writes(self._log.writes(), self._log.forgotten()):
            return lambda: self._derived.remove_facts(row.seq)
        turn = self._log.turn(row.turn) if row.turn is not None else None
        facts = written_facts(row, turn, self._scope(turn) if turn is not None else 0)
        return lambda: self._derived.put_facts(row.seq, facts, [])

    def _prepared_document(self, outcome: int) -> Callable[[], None]:
        document = self._derived.document_at(outcome)
        if document is None:
            return lambda: None
        rows = [row for turn in document.turns for row in self._derived.computed_of(turn)]
        made = features(
            [row.text for row in rows if row.role != "tool" and row.text],
            [row.text for row in rows if row.role == "tool" and row.text],
        )
        return lambda: self._derived.put_features(document.document, made)

    def _scope(self, turn: TurnRow) -> int:
        return Scope.of(turn.place, {turn.sender, *turn.members}, standing_shares(self._log.shares(turn.seq))).key

    def _take_document(self, row: OutcomeRow | WriteRow) -> None:
        document = added_to(row, self._log, self._derived.document_at(first_event(row)))
        if document is not None:
            self._put_document(document)

    def _put_document(self, document: DocumentRow) -> None:
        self._derived.put_document(document)
        self._derived.queue([Todo(document.outcome, "document", f"turns-{len(document.turns)}")])


def _mark(rows: Sequence[Computed]) -> str:
    """Return what tells one state of a turn's computed text from another."""
    digest = hashlib.blake2b(digest_size=12)
    for row in rows:
        digest.update(f"{row.fingerprint}\x1f{row.decision}\x1f".encode())
        digest.update(row.text.text.encode("utf-8", "surrogatepass"))
    return f"{DISTIL_VERSION}-{digest.hexdigest()}"
