"""Proving an erasure: every file of the home is scanned for what the erased text may have left behind.

Looked for are runs of its characters (in UTF-8, in UTF-16, escaped for JSON, folded as the index folds), its index
terms (in the term lists and in every page of the files and their WAL, where a term is shortened against the one before)
and its vectors; in raw bytes, and in values after unpacking. A word that a surviving segment says too is no find, and
neither is one that this program itself writes into its tables (``segment``, ``tool``): only whole runs count there.
A run that makes a copy by the door's measure is excused by nothing but a survivor that was listed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from homeagent.memory.door.copies import RUN
from homeagent.memory.erasing.finding import Finder
from homeagent.memory.erasing.likeness import folded
from homeagent.memory.erasing.traces import terms_of
from homeagent.memory.store.sqlite.file_values import is_database, stored_terms, stored_values, term_holders
from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from homeagent.memory.erasing.survivors import Survivor
    from homeagent.memory.erasing.traces import Traces
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore

__all__ = ["Proof", "prove"]

_CHUNK: Final = 8 << 20
_RAW_LEAST: Final = 6
"""Bytes of a string that is looked for among numbers, where a shorter one may stand by chance."""

_OWN_FILES: Final = ("config.toml", "about.md", "policies.applied.json")
"""What the owner wrote himself; he is told, and it is his to change."""

_OWN_WORDS: Final = ("tokens.json",)
"""Files that the program writes, with moments and names in them: like its tables."""


_DATE: Final = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


@dataclass(frozen=True, slots=True)
class Proof:
    """What a scan found. ``found`` counts (text, place) pairs outside of what survives; ``where`` names the places.

    ``files`` and ``size`` (bytes) say what was read. ``own_files`` are settings of the owner that say it too.
    """

    found: int
    where: tuple[str, ...]
    files: int
    size: int
    own_files: tuple[str, ...]


@dataclass(slots=True)
class _Seen:
    """What was found where, as it is collected. ``own`` is what the program itself writes."""

    places: defaultdict[bytes, set[str]] = field(default_factory=lambda: defaultdict(set))
    words: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    own: set[bytes] = field(default_factory=set)
    files: int = 0
    size: int = 0

    def add(self, strings: Iterable[bytes], place: str) -> None:
        for string in strings:
            self.places[string].add(place)


def prove(
    traces: Traces, root: Path, log: LogStore, derived: DerivedStore, survivors: Sequence[Survivor] = ()
) -> Proof:
    """Scan every file below ``root`` for ``traces``, after the erasure; return what was found.

    What one of the ``survivors`` says, as they were listed before it, is no find.
    """
    wanted = {*traces.runs, *traces.terms, *traces.vectors}
    everywhere, raw = Finder(wanted), Finder(each for each in wanted if len(each) >= _RAW_LEAST)
    seen = _Seen()
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        _scan(path, path.relative_to(root).as_posix(), (raw, everywhere), traces, seen)
    own_files = {place for places in seen.places.values() for place in places if place in _OWN_FILES}
    for places in seen.places.values():
        places.difference_update(_OWN_FILES)
    left = {each for each, places in seen.places.items() if places}
    left -= {each for each in seen.own & traces.terms.keys() if each not in traces.runs}
    left -= _kept_vectors(left & traces.vectors, derived)
    left -= _said_elsewhere(left, traces, log, survivors)
    living = {word for word in seen.words if _is_alive(word, root, log, derived)}
    living |= _days_of_turns({traces.terms[each] for each in left & traces.terms.keys()}, log)
    left -= {each for each in left if traces.terms.get(each) in living}
    finds = [*(seen.places[each] for each in left), *(seen.words[word] for word in seen.words.keys() - living)]
    where = sorted({place for places in finds for place in places})
    return Proof(sum(map(len, finds)), tuple(where), seen.files, seen.size, tuple(sorted(own_files)))


def _scan(path: Path, name: str, finders: tuple[Finder, Finder], traces: Traces, seen: _Seen) -> None:
    raw, everywhere = finders
    seen.files += 1
    for chunk in _chunks(path, raw.longest):
        found = raw.found(chunk)
        if name in _OWN_WORDS:
            seen.own |= found
        seen.add(found, name)
    seen.size += path.stat().st_size
    if not is_database(path):
        return
    for place, data, own in _columns(stored_values(path)):
        found = everywhere.found(data)
        if own:
            seen.own |= found
        seen.add(found, f"{name} {place}")
    for word in stored_terms(path) & traces.words:
        seen.words[word].add(f"{name} (index term)")


def _chunks(path: Path, overlap: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        tail = b""
        while data := file.read(_CHUNK):
            yield tail + data
            tail = data[-overlap:]


def _columns(values: Iterable[tuple[str, bytes, bool]]) -> Iterator[tuple[str, bytes, bool]]:
    """Yield the values of each column joined together, some megabytes at a time."""
    waiting: dict[tuple[str, bool], list[bytes]] = {}
    sizes: dict[tuple[str, bool], int] = {}
    for place, data, own in values:
        key = place, own
        waiting.setdefault(key, []).append(data)
        sizes[key] = sizes.get(key, 0) + len(data)
        if sizes[key] > _CHUNK:
            del sizes[key]
            yield place, b"\n\n".join(waiting.pop(key)), own
    for (place, own), parts in waiting.items():
        yield place, b"\n\n".join(parts), own


def _kept_vectors(wanted: set[bytes], derived: DerivedStore) -> set[bytes]:
    """Return those beginnings of vectors that belong to a passage that stays: it says the same."""
    if not wanted:
        return set()
    rows = derived.vectors(derived.meta("model") or "", None)
    return {start for _, _, data in rows for start in wanted if data.startswith(start)}


def _said_elsewhere(wanted: set[bytes], traces: Traces, log: LogStore, survivors: Sequence[Survivor]) -> set[bytes]:
    """Return what a listed survivor or a name says too, as it stands or folded; of what is no copy, what anything says.

    A run that is said is excused in every way of writing it.
    """
    copies = {each for each in wanted if each in traces.runs and len(folded(traces.runs[each])) >= RUN}
    left = set(wanted)
    for fold in (False, True):
        for listed, text in _living_texts(log, survivors):
            sought = left if listed else left - copies
            if sought:
                finder = Finder(sought)
                for code in ("utf-8", "utf-16-le"):
                    left -= finder.found((fold_text(text) if fold else text).encode(code, "surrogatepass"))
    said = {traces.runs[each] for each in wanted - left if each in traces.runs}
    return {each for each in wanted if each not in left or traces.runs.get(each) in said}


def _living_texts(log: LogStore, survivors: Sequence[Survivor]) -> Iterator[tuple[bool, str]]:
    """Yield everything that the log still says, some thousand characters at a time, and whether a copy may be there."""
    parts: dict[bool, list[str]] = {True: [], False: []}
    sizes = {True: 0, False: 0}
    for listed, text in _living_strings(log, survivors):
        parts[listed].append(text)
        sizes[listed] += len(text)
        if sizes[listed] > _CHUNK // 8:
            yield listed, "\n\n".join(parts[listed])
            parts[listed], sizes[listed] = [], 0
    for listed, texts in parts.items():
        yield listed, "\n\n".join(texts)


def _living_strings(log: LogStore, survivors: Sequence[Survivor]) -> Iterator[tuple[bool, str]]:
    segments = {(each.turn, each.segment) for each in survivors if each.turn}
    writes = {each.external_id for each in survivors if not each.turn}
    for policy in log.policies():
        yield True, f"{policy.name}\n{policy.cleaner}\n{policy.target}"
    yield True, "\n".join(log.erasers())
    for who in log.identities():
        yield True, f"{who.channel}\n{who.sender}\n{who.person}"
    for written in log.writes():
        yield f"{written.kind} {written.seq}" in writes, written.payload
    for outcome in log.outcomes():
        yield False, f"{outcome.kind}\n{outcome.payload}"
    ids: dict[int, str] = {}
    for turn in log.turns():
        ids[turn.seq] = turn.turn_id
        names = (turn.place.channel, turn.place.chat, turn.sender, *turn.members, turn.source, turn.external_id)
        yield True, "\n".join(names)
    for row in log.all_segments():
        segment, listed = row.segment, (ids.get(row.turn, ""), row.position) in segments
        yield listed, "\n".join((segment.text, segment.arguments or ""))
        yield True, "\n".join((segment.tool or "", segment.call_id or ""))
        for attachment in segment.attachments:
            yield True, attachment.name
            yield listed or b"\0" in attachment.data, attachment.data.decode("utf-8", "replace")


def _days_of_turns(words: set[str], log: LogStore) -> set[str]:
    """Return those of the words that are day, month or year of a turn that stays: the index says it of that one."""
    dates = {word for word in words if _DATE.fullmatch(word)}
    days = {turn.at.datetime().date().isoformat() for turn in log.turns() if turn.at is not None} if dates else set()
    return {word for word in dates if any(day.startswith(word) for day in days)}


def _is_alive(word: str, root: Path, log: LogStore, derived: DerivedStore) -> bool:
    for seq in term_holders(root / "derived.db", word):
        turn = log.turn(seq)
        if turn is None:
            continue
        texts = [row.text.text for row in derived.passages_of([seq])]
        if any(word in terms_of(text) for text in (*texts, turn.sender)):
            return True
    return False
