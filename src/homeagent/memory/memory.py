"""The memory: keep turns, recall them, explain what became of each word, derive it all again."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from homeagent.errors import DamagedError, InputError
from homeagent.masking import masked
from homeagent.memory import checks
from homeagent.memory.archive import Archive
from homeagent.memory.background import Background
from homeagent.memory.derive import Deriver
from homeagent.memory.door.places import CleanerProcesses
from homeagent.memory.embed import OfflineEmbedder
from homeagent.memory.erasing.forgetting import Forgetting, Stores
from homeagent.memory.erasing.targets import Target
from homeagent.memory.explain import explained
from homeagent.memory.handing import masked_document, masked_recall
from homeagent.memory.keeping import kept_already, make_secret, new_turn_id, the_open_turn, the_turn
from homeagent.memory.knowledge.graph import Graph
from homeagent.memory.lease import Lease
from homeagent.memory.library import Library
from homeagent.memory.people.identity import People
from homeagent.memory.people.persons import Persons
from homeagent.memory.people.sharing import Sharing
from homeagent.memory.policy.policies import Policies
from homeagent.memory.rebuild import Rebuilder
from homeagent.memory.recall.recaller import Recaller
from homeagent.memory.recall.study import Study
from homeagent.memory.store.sqlite.derived import SqliteDerived
from homeagent.memory.store.sqlite.log import SqliteLog
from homeagent.memory.timeline import Timeline
from homeagent.memory.upkeep.backups import Backups
from homeagent.memory.upkeep.retention import Retention
from homeagent.memory.writers import Writers
from homeagent.paths import Home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from homeagent.memory.embed.protocol import Embedder
    from homeagent.memory.knowledge.results import Document
    from homeagent.memory.rebuild import RebuildReport
    from homeagent.memory.results import Explanation, Hit, PolicyChange, Recall
    from homeagent.memory.store.records import Computed, DocumentRow, SegmentRow, TurnRow
    from homeagent.memory.turn import Place, Segment, Status, Turn, TurnId, Viewer
    from homeagent_sdk import MemoryPolicy

__all__ = ["Memory"]

_LEASE_SECONDS = 30.0
_RECALL_SECONDS = 0.5


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


class Memory:
    """One home's memory. Safe to use from several threads, and from several processes on the same home.

    Every word is on the disk when `keep`, `append` or `close` returns; full text finds it when `keep` or `close`
    returns; its vectors follow in the background (`settle` waits for them).
    """

    def __init__(
        self, home: Home, embedder: Embedder, clock: Callable[[], datetime], cleaners: CleanerProcesses | None = None
    ) -> None:
        home.prepare()
        self.home = home
        self._clock = clock
        self._embedder = embedder
        self._log = SqliteLog(home.log)
        self._lease = Lease(home.lease)
        with self._lease.held():
            self._derived = SqliteDerived(home.derived)
        self._cleaners = cleaners or CleanerProcesses({})
        self._writers = Writers(home.writers)
        make_secret(self._log)
        self._deriver = Deriver(self._log, self._derived, embedder, self._cleaners, self._lease)
        self.graph = Graph(self._log, self._derived, self._derive_graph, clock)
        self._recaller = Recaller(self._derived, embedder, self.graph.evidence_for)
        self.study = Study(self._recaller, lambda: People(self._log.identities()))
        self._archive = Archive(self._log, self._derived, embedder.model_id, self._lease)
        self.library = Library(self._log, self._derived, self._archive, self._found)
        self.overrides = Policies(self._log, self._derived, self._deriver)
        self.people = Persons(self._log)
        self.sharing = Sharing(self._log, self._derive)
        self.timeline = Timeline(self._log)
        stores = Stores(self._log, self._derived, self._lease)
        self.forgetting = Forgetting(home, stores, self._derive, self._derive_graph, self._recaller.forget_all)
        self.retention = Retention(self._log, self._derived, self.forgetting, clock)
        self.backups = Backups(home, self._log, self._lease, clock)
        tidy = self._deriver.tidying.rest
        self.background = Background(lambda: self._deriver.work() or self.forgetting.finish(), tidy)

    @classmethod
    def open(
        cls,
        home: Path | str,
        *,
        embedder: Embedder | None = None,
        clock: Callable[[], datetime] | None = None,
        cleaners: CleanerProcesses | None = None,
    ) -> Self:
        """Open the memory in folder ``home``, making it when it is not there.

        Turns that a killed process left open are closed as interrupted, and whatever the log holds that was never
        derived is derived. ``embedder`` is the offline model by default; ``clock`` gives the present moment with its
        zone; ``cleaners`` is closed with the memory. Raises `HomeError` when the folder can't be used and `StoreError`
        when a file is damaged or too new.
        """
        memory = cls(Home(Path(home).expanduser()), embedder or OfflineEmbedder(), clock or _now, cleaners)
        try:
            memory._recover()
            memory.forgetting.finish_if_possible()
        except BaseException:
            memory.shutdown()
            raise
        return memory

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()

    def shutdown(self) -> None:
        """Stop the background work and close every file. What is still to derive waits in its queue."""
        self.background.stop()
        self._cleaners.close()
        self._writers.release()
        self._derived.close()
        self._log.close()

    # -- keeping -------------------------------------------------------------------------------------------------

    def keep(self, turn: Turn) -> TurnId:
        """Keep a whole turn; return its id.

        A turn with a ``source`` and ``external_id`` that are there already, and the same content, is kept once. Raises
        `InputError` when the content differs; then nothing is kept.
        """
        return self.keep_all([turn])[0]

    def keep_all(self, turns: Sequence[Turn]) -> list[TurnId]:
        """Keep several turns in one commit, all or none; return their ids in the same order."""
        for turn in turns:
            checks.check_turn(turn)
        kept: list[TurnId] = []
        with self._log.transaction():
            for turn in turns:
                known = kept_already(self._log, turn)
                if known is None:
                    turn_id = new_turn_id()
                    seq = self._log.open_turn(turn, turn_id, self._writers.mine() if turn.status == "open" else "")
                    if turn.status != "open":
                        self._log.close_turn(seq, turn.status)
                    known = turn_id
                kept.append(known)
        self._derive()
        return kept

    def begin(self, turn: Turn) -> TurnId:
        """Open a turn with what came in; go on with `append` and end it with `close`. Each call is on the disk."""
        checks.check_turn(turn)
        if turn.external_id and self._log.find_external(turn.source, turn.external_id) is not None:
            raise InputError(
                f"turn {turn.external_id!r} of source {turn.source!r}", "is kept already", "Give it another external id"
            )
        turn_id = new_turn_id()
        self._log.open_turn(turn, turn_id, self._writers.mine())
        return turn_id

    def append(self, turn: TurnId, segment: Segment) -> None:
        """Add a segment to an open turn. Raises `InputError` when it is closed, `NotFoundError` when there is none."""
        checks.check_segment(segment)
        self._log.append_segment(the_open_turn(self._log, turn).seq, segment)

    def close(self, turn: TurnId, status: Status = "done") -> None:
        """Close a turn for good, as done, failed or interrupted; full text finds it when this returns."""
        checks.check_closing(turn, status)
        self._log.close_turn(the_open_turn(self._log, turn).seq, status)
        self._derive()

    # -- recall and explanation ----------------------------------------------------------------------------------

    def recall(self, text: str, *, viewer: Viewer | None = None, at: datetime | None = None, limit: int = 10) -> Recall:
        """Return what is remembered about ``text``, best first.

        Only what ``viewer`` may see is looked at; None is the owner's view of everything. ``at`` is the moment of
        asking (now by default): "yesterday" is the day before it, in its zone.
        """
        self._deriver.catch_up(seconds=_RECALL_SECONDS, budget=_RECALL_SECONDS)
        if self.forgetting.unfinished():
            self._wake()
        people = People(self._log.identities())
        return masked_recall(self._recaller.recall(text, viewer=(viewer, people), at=at or self._clock(), limit=limit))

    def explain(self, name: str, *, source: str | None = None) -> Explanation:
        """Return, segment by segment, what of a turn is computed and why. ``name`` is its id or external id."""
        turn = self.find(name, source=source)
        return explained(turn, self._log.segments(turn.seq), self._derived.computed_of(turn.seq))

    def computed(self, name: str, *, source: str | None = None) -> list[Computed]:
        """Return what the door let through of a turn's segments."""
        return self._derived.computed_of(self.find(name, source=source).seq)

    def all_computed(self) -> Iterator[Computed]:
        """Yield everything the door ever let through and still does."""
        return self._derived.all_computed()

    def find(self, name: str, *, source: str | None = None) -> TurnRow:
        """Return the turn with this id or external id. Raises `NotFoundError`, also when several have the name."""
        return the_turn(self._log, name, source)

    def raw(self, name: str, *, source: str | None = None) -> list[SegmentRow]:
        """Return the segments of a turn as they were said, byte for byte."""
        return self._log.segments(self.find(name, source=source).seq)

    def turns(self, place: Place | None = None) -> Iterator[TurnRow]:
        """Yield every turn, oldest first; or those of one chat, newest first, reading no more than are asked for."""
        return self._log.turns() if place is None else self._log.turns_at(place)

    def segments(self, turn: TurnRow) -> list[SegmentRow]:
        """Return the raw segments of a turn."""
        return self._log.segments(turn.seq)

    # -- policies and people -------------------------------------------------------------------------------------

    def declare_policies(self, tools: Mapping[str, MemoryPolicy | None], *, returns_memory: Sequence[str] = ()) -> None:
        """Say what plugins declare of their tools (None: nothing any more); the owner's overrides stay above it."""
        self.overrides.declare(tools, returns_memory=returns_memory)
        self._wake()

    def set_policies(
        self, tools: Mapping[str, MemoryPolicy | None], *, kind: Literal["tool", "channel"] = "tool"
    ) -> None:
        """Set the owner's policies, by name or glob; None takes one back. What they hide is hidden on return."""
        self.overrides.override(tools, kind=kind)
        self._wake()

    def try_policies(self, tools: Mapping[str, MemoryPolicy | None]) -> PolicyChange:
        """Return what `set_policies` would change, and change nothing."""
        return self.overrides.trial(tools)

    def rename_tool(self, old: str, new: str) -> None:
        """Say that a tool has another name now: what is known of the one holds for the other."""
        self.overrides.rename(old, new)
        self._wake()

    def remove_tool(self, name: str) -> None:
        """Say that a tool is gone; its outputs keep its last policy."""
        self.overrides.remove(name)

    def policies(self) -> list[dict[str, object]]:
        """Return the policies in force and every tool that ever spoke, as plain values."""
        return self.overrides.listed()

    def link(self, channel: str, sender: str, person: str) -> None:
        """Say that a sender of a channel is this person, from the first turn on."""
        self.people.link(channel, sender, person)

    def unlink(self, channel: str, sender: str) -> None:
        """Take `link` back."""
        self.people.unlink(channel, sender)

    # -- archive, forgetting, upkeep -----------------------------------------------------------------------------

    def archive(self, turns: Sequence[TurnId] | None = None) -> list[DocumentRow]:
        """Put closed turns away by matter, those of ``turns`` or all, each once; return the documents it touched."""
        self._derive()
        new = self._archive.archive(None if turns is None else [self.find(turn) for turn in turns])
        self._derive()
        return new

    def documents(self, turns: Sequence[int] | None = None) -> list[DocumentRow]:
        """Return every document, or those that hold one of these turns (by their seq)."""
        return self._archive.documents() if turns is None else self._derived.documents_with(turns)

    def document(self, document: str) -> Document:
        """Return a document in short: its turns, summary, tags and entities. Raises `NotFoundError`."""
        return masked_document(self.library.document(document))

    def find_documents(self, text: str, *, viewer: Viewer | None = None, limit: int = 5) -> list[Document]:
        """Return the documents about ``text`` of which ``viewer`` may see every turn, best first."""
        return [masked_document(each) for each in self.library.find(text, viewer, limit)]

    def commit_document(self, title: str, turns: Sequence[TurnId]) -> DocumentRow:
        """Make a document of these turns on purpose, whatever else they are in."""
        row = self._archive.commit(title, [self.find(turn) for turn in turns])
        self._derive()
        return row

    def document_text(self, document: str, *, mask: bool = False) -> str:
        """Return a document as text: its raw segments, whole, in the order of time; for a model, ``mask`` secrets."""
        return masked(self._archive.text(document), said=False) if mask else self._archive.text(document)

    def distil(self) -> int:
        """Make the facts and document features that wait, now; return how many turns and documents that were."""
        done = 0
        while count := self._deriver.distil():
            done += count
        return done

    def forget(self, name: str, *, source: str | None = None) -> None:
        """Hide a turn from computation and recall; raw stays, `undo` brings it back."""
        self.forgetting.forget(Target((name,), source))

    def undo(self, name: str, *, source: str | None = None) -> None:
        """Take `forget` back."""
        self.forgetting.undo(Target((name,), source))

    def erase(self, name: str, *, source: str | None = None, by: str = "owner") -> None:
        """Delete a turn for good, raw and computed; a tombstone says when and who, never what."""
        self.forgetting.erase(self.forgetting.chosen(Target((name,), source)), by=by)

    def settle(self, *, progress: Callable[[str, int, int], None] | None = None) -> None:
        """Derive everything that waits, vectors too, and return when nothing does.

        ``progress`` is told (step, done, still to do).
        """
        report = progress or (lambda _step, _done, _left: None)
        self._deriver.catch_up(progress=lambda done, left: report("text", done, left))
        self.distil()
        done = 0
        while count := self._deriver.embed():
            done += count
            report("vectors", done, self._derived.pending().get("embed", 0))

    def rebuild(
        self, *, verify: bool = False, progress: Callable[[str, int, int], None] | None = None
    ) -> RebuildReport:
        """Derive everything again from the log into a new file; swap it in, or with ``verify`` only compare."""
        with contextlib.suppress(DamagedError):  # a damaged computed half is what a rebuild is for
            self.settle(progress=progress)
        rebuilder = Rebuilder(self._log, self._derived, self._embedder, self._cleaners, self._lease)
        report = rebuilder.verify(progress) if verify else rebuilder.replace(progress)
        self._recaller.forget_all()
        return report

    def backup(self, target: Path) -> None:
        """Write a consistent copy of the log to ``target``; everything else is computed from it."""
        checks.check_backup_target(target)
        self._log.copy_to(target)

    def digest(self) -> str:
        """Return the raw digest: SHA-256 over everything said."""
        return self._log.digest()

    def counts(self) -> dict[str, int]:
        """Return how many rows of each kind the log holds."""
        return self._log.counts()

    def pending(self) -> dict[str, int]:
        """Return how many things wait to be derived, by step."""
        return self._derived.pending()

    @property
    def embedder(self) -> Embedder:
        """The model that makes this memory's vectors."""
        return self._embedder

    def _derive(self) -> None:
        self._deriver.catch_up(seconds=_LEASE_SECONDS)
        self._wake()

    def _derive_graph(self) -> None:
        self._derive()
        self.distil()

    def _found(self, text: str, viewer: Viewer | None, limit: int) -> Sequence[Hit]:
        return self.recall(text, viewer=viewer, limit=limit).hits

    def _wake(self) -> None:
        self.background.wake()

    def _recover(self) -> None:
        for seq, writer in self._log.open_turns():
            if self._writers.is_gone(writer):
                with contextlib.suppress(InputError):  # another process, opening as well, was first
                    self._log.close_turn(seq, "interrupted")
        self._writers.sweep()
        try:
            self._deriver.use_model()
            self._derive()
        except DamagedError as error:
            if error.where != str(self.home.derived):
                raise
            with self._lease.held(_LEASE_SECONDS):
                self._derived.put_aside(str(error))
            self._deriver.use_model()
            self._derive()
