"""What the writers were promised, and whether the home has it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench.crash_turns import SOURCE, group_of, made, marker, secret
from bench.crash_writer import READY
from homeagent.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from homeagent.memory import Memory, Segment

__all__ = ["Findings", "Ledger", "Promise"]


@dataclass(slots=True)
class Promise:
    """How far a turn is known to have come: opened, so many segments, kept for good."""

    opened: bool = False
    segments: int = 0
    kept: bool = False


@dataclass(slots=True)
class Findings:
    """What is not as promised, by name of the turn."""

    lost: set[str] = field(default_factory=set)
    doubled: set[str] = field(default_factory=set)
    torn: set[str] = field(default_factory=set)
    left_open: set[str] = field(default_factory=set)
    not_found: set[str] = field(default_factory=set)
    hidden_computed: set[str] = field(default_factory=set)
    interrupted: set[str] = field(default_factory=set)


class Ledger:
    """The promises of all writers, read from their files as these grow."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._read: dict[Path, int] = dict.fromkeys(files, 0)
        self.promises: dict[str, Promise] = {}
        self.starts = 0

    def update(self) -> list[str]:
        """Read what is new; return the names it is about. A last line that was cut off was not promised."""
        names: dict[str, None] = {}
        for path, read in self._read.items():
            new = path.read_bytes()[read:] if path.exists() else b""
            whole = new[: new.rfind(b"\n") + 1]
            self._read[path] = read + len(whole)
            for line in whole.decode("ascii").splitlines():
                what, name = line.split(" ")
                if what == READY:
                    self.starts += 1
                    continue
                self._take(what, name)
                names[name] = None
        return list(names)

    def under_way(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return which of the names were being kept when their writer was killed: a client would send them again."""
        return tuple(name for name in names if not self.promises[name].kept and not self.promises[name].opened)

    def check(self, memory: Memory, names: Iterable[str], findings: Findings) -> None:
        """Compare the turns with what was promised: there, equal byte for byte, closed."""
        there: Counter[str] = Counter()
        for name in names:
            there[group_of(name)] += self._check(memory, name, findings)
        for group, count in there.items():
            if count not in (0, self._size(group)):
                findings.torn.add(group)

    def check_everything(self, memory: Memory, findings: Findings) -> None:
        """Look at every turn of the home: none twice, none missing, nothing hidden computed."""
        times = Counter(row.external_id for row in memory.turns())
        findings.doubled.update(name for name, count in times.items() if count > 1)
        computed = "\n".join(row.text.text for row in memory.all_computed())
        findings.hidden_computed.update(name for name in times if secret(name) in computed)
        findings.lost.update(name for name, promise in self.promises.items() if promise.kept and name not in times)

    def check_words(self, memory: Memory, findings: Findings) -> None:
        """Ask for each turn by the word that only it holds; ``memory`` has no embedder, so only full text answers."""
        for row in memory.turns():
            hits = memory.recall(marker(row.external_id), limit=1).hits
            if not hits or hits[0].external_id != row.external_id:
                findings.not_found.add(row.external_id)

    def _check(self, memory: Memory, name: str, findings: Findings) -> bool:
        """Check one turn; return whether it is there."""
        promise = self.promises[name]
        try:
            row = memory.find(name, source=SOURCE)
        except NotFoundError:
            if promise.kept or promise.opened:
                findings.lost.add(name)
            return False
        segments: tuple[Segment, ...] = tuple(each.segment for each in memory.segments(row))
        whole = made(name)
        if row.status == "open":
            findings.left_open.add(name)
        if row.status == "interrupted":
            findings.interrupted.add(name)
        complete = promise.kept or row.status == "done"
        expected = whole.segments if complete else whole.segments[: len(segments)]
        if segments != expected or len(segments) < promise.segments or (promise.kept and row.status != "done"):
            findings.lost.add(name)
        if len(segments) > len(whole.segments):
            findings.doubled.add(name)
        at = row.at.datetime() if row.at is not None else None
        if (row.place, row.sender, row.members, at) != (whole.place, whole.sender, whole.members, whole.at):
            findings.lost.add(name)
        return True

    def _take(self, what: str, name: str) -> None:
        promise = self.promises.setdefault(name, Promise())
        match what:
            case "begun":
                promise.opened, promise.segments = True, 1
            case "appended":
                promise.segments += 1
            case "kept":
                promise.kept = True

    def _size(self, group: str) -> int:
        return sum(group_of(name) == group for name in self.promises)
