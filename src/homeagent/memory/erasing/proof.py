"""Proving an erasure: every file of the home is scanned for what the erased text may have left behind.

Looked for are runs of its characters (in UTF-8, in UTF-16, escaped for JSON, folded as the index folds), its index
terms (in the term lists and in every page of the files and their WAL, where a term is shortened against the one before)
and its vectors; in raw bytes, and in values after unpacking. A word that a surviving segment says too is no find, and
neither is one that this program itself writes into its tables (``segment``, ``tool``): only whole runs count there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from homeagent.memory.erasing.finding import Finder
from homeagent.memory.erasing.traces import terms_of
from homeagent.memory.store.sqlite.file_values import is_database, stored_terms, stored_values, term_holders
from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from homeagent.memory.erasing.traces import Traces
    from homeagent.memory.store.derived_protocol import DerivedStore
    from homeagent.memory.store.protocols import LogStore

__all__ = ["Proof", "prove"]

_CHUNK: Final = 8 << 20
_RAW_LEAST: Final = 6
"""Bytes of a string that is looked for among numbers, where a shorter one may stand by chance."""

_OWN_FILES: Final = ("config.toml", "about.md", "policies.applied.json")
"""What the owner wrote himself; he is told, and it is his to change."""


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


def prove(traces: Traces, root: Path, log: LogStore, derived: DerivedStore) -> Proof:
    """Scan every file below ``root`` for ``traces``, after the erasure; return what was found."""
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
    left -= _said_elsewhere(left, log)
    living = {word for word in seen.words if _is_alive(word, root, log, derived)}
    left -= {each for each in left if traces.terms.get(each) in living}
    finds = [*(seen.places[each] for each in left), *(seen.words[word] for word in seen.words.keys() - living)]
    where = sorted({place for places in finds for place in places})
    return Proof(sum(map(len, finds)), tuple(where), seen.files, seen.size, tuple(sorted(own_files)))


def _scan(path: Path, name: str, finders: tuple[Finder, Finder], traces: Traces, seen: _Seen) -> None:
    raw, everywhere = finders
    seen.files += 1
    for chunk in _chunks(path, raw.longest):
        seen.add(raw.found(chunk), name)
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


def _said_elsewhere(wanted: set[bytes], log: LogStore) -> set[bytes]:
    """Return what some surviving segment, event or name says too, as it stands or folded."""
    left = set(wanted)
    for folded in (False, True):
        if left:
            finder = Finder(left)
            for text in _living_texts(log):
                for code in ("utf-8", "utf-16-le"):
                    data = (fold_text(text) if folded else text).encode(code, "surrogatepass")
                    left -= finder.found(data)
    return wanted - left


def _living_texts(log: LogStore) -> Iterator[str]:
    """Yield everything that the log still says, some thousand characters at a time."""
    parts: list[str] = []
    size = 0
    for text in _living_strings(log):
        parts.append(text)
        size += len(text)
        if size > _CHUNK // 8:
            yield "\n\n".join(parts)
            parts, size = [], 0
    yield "\n\n".join(parts)


def _living_strings(log: LogStore) -> Iterator[str]:
    for policy in log.policies():
        yield f"{policy.name}\n{policy.cleaner}\n{policy.target}"
    for who in log.identities():
        yield f"{who.channel}\n{who.sender}\n{who.person}"
    for written in log.writes():
        yield written.payload
    for outcome in log.outcomes():
        yield f"{outcome.kind}\n{outcome.payload}"
    for turn in log.turns():
        yield "\n".join(
            (turn.place.channel, turn.place.chat, turn.sender, *turn.members, turn.source, turn.external_id)
        )
    for row in log.all_segments():
        segment = row.segment
        yield "\n".join((segment.text, segment.arguments or "", segment.tool or "", segment.call_id or ""))
        for attachment in segment.attachments:
            yield attachment.name
            yield attachment.data.decode("utf-8", "replace")


def _is_alive(word: str, root: Path, log: LogStore, derived: DerivedStore) -> bool:
    for seq in term_holders(root / "derived.db", word):
        turn = log.turn(seq)
        if turn is None:
            continue
        texts = [row.text.text for row in derived.passages_of([seq])]
        if any(word in terms_of(text) for text in (*texts, turn.sender)):
            return True
    return False
