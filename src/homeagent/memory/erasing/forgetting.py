"""Forgetting and erasing.

Forgotten turns are hidden from computation and recall and come back by `undo`. Erased ones are gone from every file of
the home. An erasure is one commit of the log; what it leaves in the computed half, in free pages, in the WAL and in
files put aside is taken out by `finish`, which whoever comes next goes on with when it is cut off.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from homeagent.errors import StoreError
from homeagent.memory import checks
from homeagent.memory.erasing.proof import Proof
from homeagent.memory.erasing.proof import prove as scanned
from homeagent.memory.erasing.survivors import Survivor, survivors
from homeagent.memory.erasing.targets import FORGOTTEN_FACT, Chosen, Target, Targets
from homeagent.memory.erasing.traces import Traces
from homeagent.memory.handing import exposed
from homeagent.memory.knowledge.writing import FORGOTTEN_WRITE
from homeagent.memory.lease import Lease
from homeagent.memory.store.records import Doomed, Todo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from homeagent.memory.handing import Exposed
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import TurnRow
    from homeagent.memory.turn import TurnId
    from homeagent.paths import Home

__all__ = ["Erased", "Forgetting", "Stores"]

_LOG = logging.getLogger(__name__)
_LEASE_SECONDS = 30.0
_REBUILT = ("derived.new", "derived.verify")


@dataclass(frozen=True, slots=True)
class Stores:
    """The two halves, and the lease under which the computed one is written."""

    log: LogStore
    derived: DerivedStore
    lease: Lease


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure took away: the ids of turns, how many explicit writes, from how many copies of the log.

    ``survivors`` are places that say the same and stay. ``proof`` is what a scan of every file found, if asked for.
    """

    turns: tuple[TurnId, ...]
    writes: int
    copies: int
    survivors: tuple[Survivor, ...]
    proof: Proof | None = None


class Forgetting:
    """Hides turns, brings them back, deletes them for good. Each is an event of the log."""

    def __init__(
        self,
        home: Home,
        stores: Stores,
        derive: Callable[[], None],
        distil: Callable[[], None],
        dropped: Callable[[], None],
    ) -> None:
        """``derive`` brings the computed half up to date, ``distil`` its facts too; ``dropped`` clears copies of it."""
        self._home = home
        self._log = stores.log
        self._derived = stores.derived
        self._lease = stores.lease
        self._derive = derive
        self._distil = distil
        self._dropped = dropped
        self._targets = Targets(stores.log, stores.derived)

    def chosen(self, target: Target, *, forgotten: bool = False) -> Chosen:
        """Return what a target stands for (only forgotten turns if ``forgotten``). Raises `NotFoundError`."""
        if target.fact:
            self._distil()
        elif target.text:
            self._derive()
        return self._targets.chosen(target, forgotten=forgotten)

    def forget(self, target: Target) -> Chosen:
        """Hide what a target stands for from computation and recall; return it. What is hidden already stays so."""
        chosen = self.chosen(target)
        hidden = self._log.forgotten()
        with self._log.transaction():
            for row in chosen.turns:
                if row.seq not in hidden:
                    self._log.forget(row.seq)
                if target.fact:
                    self._log.add_write(FORGOTTEN_FACT, json.dumps({"fact": target.fact}), row.seq)
            for written in chosen.writes:
                self._log.add_write(FORGOTTEN_WRITE, json.dumps({"write": written.seq, "undo": False}))
        self._derive()
        return chosen

    def undo(self, target: Target) -> Chosen:
        """Take `forget` back; return what came back. Raises `NotFoundError` when nothing forgotten fits."""
        chosen = self.chosen(target, forgotten=not target.turns)
        hidden = self._log.forgotten()
        with self._log.transaction():
            for row in chosen.turns:
                if row.seq in hidden or target.turns:
                    self._log.forget(row.seq, undo=True)
            for written in chosen.writes:
                self._log.add_write(FORGOTTEN_WRITE, json.dumps({"write": written.seq, "undo": True}))
        self._derive()
        return chosen

    def survivors(self, chosen: Chosen) -> list[Survivor]:
        """Return where the same is said, quoted or cited, and would stay when this is erased."""
        return survivors(self._log, chosen)

    def erase(self, chosen: Chosen, *, by: str = "owner", prove: bool = False) -> Erased:
        """Delete this for good, raw and computed, from every file of the home; a tombstone says when and who.

        ``prove`` then scans every file of the home. Raises `StoreError` when a copy can't be erased from (then nothing
        is erased) or when a reader keeps old pages (then the text is deleted, and the next start empties them).
        """
        checks.check_name("by", by)
        self._derive()
        traces = Traces.of(self._log, self._derived, chosen) if prove else None
        left = tuple(self.survivors(chosen)) if prove else ()
        copies = self._delete(chosen, chosen.doomed, by)
        proof = scanned(traces, self._home.root, self._log, self._derived) if traces is not None else None
        return Erased(tuple(row.turn_id for row in chosen.turns), len(chosen.writes), copies, left, proof)

    def erase_outputs(self, outputs: Sequence[tuple[TurnRow, int]], *, by: str) -> None:
        """Delete single outputs, given as (turn, segment seq); the rest of their turns stays."""
        turns = {turn.seq: turn for turn, _ in outputs}
        self._derive()
        self._delete(Chosen(tuple(turns.values())), Doomed(segments=tuple(seq for _, seq in outputs)), by)

    def unfinished(self) -> bool:
        """Whether something that was erased may be left in some file."""
        return not self._derived.compacted or bool(self._log.unfinished_erasures())

    def finish(self) -> int:
        """Leave nothing of what was erased in any file; return 1 when something was done, 0 when there was nothing.

        Another process that derives keeps this one from it: then it, or the next start, does it.
        """
        if not self.unfinished():
            return 0
        with self._lease.held(_LEASE_SECONDS) as held:
            if not held:
                return 0
            self._derive()
            if not self.unfinished():  # somebody else was faster
                return 0
            erasures = self._log.unfinished_erasures()
            if erasures:
                self._log.compact()
            self._derived.compact()
            for path in self._put_aside():
                path.unlink(missing_ok=True)
            self._log.finish_erasures(erasures)
        self._dropped()
        return 1

    def finish_if_possible(self) -> None:
        """Do `finish`, and where something keeps it from ending say so in the log of the program."""
        try:
            self.finish()
        except StoreError as error:
            _LOG.warning("what was erased is not gone from every file yet: %s", error)

    def secrets(self) -> Iterator[Exposed]:
        """Yield where raw holds a secret of a known shape, oldest turn first."""
        return exposed(self._log)

    def copies(self) -> list[Path]:
        """Return the copies of the log in the home: backups by the rule, those before migrations and restores."""
        root = self._home.root
        return sorted({*root.glob("log.*.db"), *self._home.backups.glob("*.db")})

    # -- inside --------------------------------------------------------------------------------------------------

    def _delete(self, chosen: Chosen, doomed: Doomed, by: str) -> int:
        with self._lease.held(_LEASE_SECONDS) as held:
            if not held:
                raise StoreError(str(self._home.lease), "is held by another process", "Wait for it to end, try again")
            doomed = replace(doomed, pins=self._pins(chosen, set(doomed.turns)))
            copies = sum(
                bool(self._log.erase_in_copy(path, [row.turn_id for row in chosen.turns], doomed, by))
                for path in self.copies()
            )
            for turn in chosen.turns:  # what later replies may repeat is about to change
                again = self._log.replies_after(turn.place, turn.seq)
                self._derived.queue(Todo(seq, "door", f"again-{turn.seq}") for seq in again)
            self._log.erase(doomed, by)
            self._derive()
            self.finish()
        return copies

    def _pins(self, chosen: Chosen, whole: set[int]) -> dict[int, list[tuple[int, int]]]:
        """Return what must stay out of the replies that stay: all their quotations after what goes."""
        pins: dict[int, list[tuple[int, int]]] = {}
        for turn in chosen.turns:
            for seq in self._log.replies_after(turn.place, turn.seq):
                computed = self._derived.computed(seq)
                if computed is not None and computed.turn not in whole and computed.cuts:
                    pins[seq] = list(computed.cuts)
        return pins

    def _put_aside(self) -> Iterable[Path]:
        """Yield files that may hold erased text and that nobody needs: damaged ones, and what a killed process left.

        Whoever makes a copy holds the lease, as this process does now: a copy that is not whole is nobody's.
        """
        root = self._home.root
        yield from root.glob("derived.damaged-*.db*")
        yield from root.glob(".log.v*.part*")
        yield from root.glob(".restore.part*")
        yield from self._home.backups.glob("*.part*")
        for name in _REBUILT:
            with Lease(root / f"{name}.lock").held(0.0) as held:
                if held:
                    yield from root.glob(f"{name}.db*")
                    yield root / f"{name}.lock"
