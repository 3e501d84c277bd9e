"""Import and export: turns as JSON lines, all or nothing, without loss, as often as one likes.

What is in a file: every turn, raw. What is not: policies, who is who, what was forgotten or archived, and everything
computed; for all of that there is the backup. An import of a file that was imported before changes nothing, so one that
was killed is simply started again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING, Final

from homeagent.errors import HomeError, InputError, NotFoundError
from homeagent.memory.checks import check_turn, same_content
from homeagent.memory.transfer.chat_exports import ChatExport, is_chat_export
from homeagent.memory.transfer.files import LineFile, written_whole
from homeagent.memory.transfer.lines import turn_line
from homeagent.memory.transfer.parsing import DEFAULT_SOURCE, ParsedLine, parse_line, parse_turn
from homeagent.memory.turn import OWNER, is_owner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from gzip import GzipFile
    from pathlib import Path

    from homeagent.memory.memory import Memory
    from homeagent.memory.store.records import TurnRow
    from homeagent.memory.turn import Turn, TurnId

__all__ = ["DEFAULT_SOURCE", "ImportReport", "export_file", "export_to", "import_file", "parse_turn"]

_File = LineFile | ChatExport

_BATCH_TURNS: Final = 256
_BATCH_CHARACTERS: Final = 4_000_000
_REPORT_LINES: Final = 100
_GO_ON: Final = "See that its disk has room and can be written, then import the file again: it goes on where it stopped"
_REPEATED: Final = "Give one of them another id, or import one with another --source; nothing was kept"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: ``kept`` turns are new, ``known`` ones were there already.

    ``changed`` of the known ones have other content in this export of another assistant (a file came along, or went
    away): what is kept stays as it is. ``skipped`` are conversations of it that could not be read, by place.
    """

    kept: int
    known: int
    changed: int = 0
    skipped: Mapping[str, InputError] = field(default_factory=dict)


class _OtherContentError(InputError):
    """A turn is in this home under the same id, and says something else there."""


@dataclass(slots=True)
class _Plan:
    """What reading the whole file found.

    Lines that need no keeping, ids that are cited, what those are here, and the channels in which the file calls
    somebody new the owner.
    """

    known: set[int] = field(default_factory=set)
    cited: set[str] = field(default_factory=set)
    ids: dict[str, TurnId] = field(default_factory=dict)
    owned: set[str] = field(default_factory=set)
    changed: int = 0


def import_file(
    memory: Memory,
    path: str | Path,
    *,
    source: str | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> ImportReport:
    """Keep every turn of a file of JSON lines (``-`` is standard input); nothing of it when one line is wrong.

    An export of ChatGPT or Claude, the zip or its ``conversations.json``, is read as turns of channel and source
    ``chatgpt`` or ``claude``.

    The whole file is checked before anything is written: every line, ids that stand for two contents, and what this
    home has already under the same id. ``source`` is every turn's source; with None it is the line's own, else
    `DEFAULT_SOURCE`. Whom a new line calls ``owner`` is linked to the owner: it is his own file. ``progress`` is told
    (step, bytes done, bytes in all), with the steps ``check`` and ``keep``.
    Raises `InputError` with file, line and key; `HomeError` when the disk is full or fails in the middle: what was kept
    by then stays, and the next import of the file goes on from there.
    """
    report = progress or (lambda _step, _done, _all: None)
    with ChatExport(path) if is_chat_export(path) else LineFile(path) as file:
        plan = _checked(memory, file, source, report)
        for channel in sorted(plan.owned):
            memory.link(channel, OWNER, OWNER)
        kept = 0
        for batch in _batches(file, source, plan, report):
            turns = [_with_ids(item.turn, plan.ids) for item in batch]
            try:
                turn_ids = memory.keep_all(turns)
            except HomeError as error:
                problem = f"could not take all of the file: {kept} of its turns or more are kept, the rest is not"
                raise HomeError(error.where, problem, _GO_ON) from error
            for item, turn_id in zip(batch, turn_ids, strict=True):
                if item.turn_id in plan.cited:
                    plan.ids[item.turn_id] = turn_id
            kept += len(batch)
        report("keep", file.bytes, file.bytes)
        skipped = file.skipped if isinstance(file, ChatExport) else {}
    return ImportReport(kept, len(plan.known), plan.changed, skipped)


def export_file(memory: Memory, target: Path) -> int:
    """Write every turn to ``target`` as JSON lines, in the order of the log; return how many.

    The file is there whole or not at all, readable by its owner only; a name that ends in ``.gz`` is written as gzip.
    Raises `HomeError` when it can't be written.
    """
    inside = {path.resolve() for path in (memory.home.log, memory.home.derived, memory.home.config)}
    if target.resolve() in inside:
        raise HomeError(str(target), "is a file of the home itself", "Name another file")
    with written_whole(target) as file:
        return export_to(memory, file)


def export_to(memory: Memory, file: IO[bytes] | GzipFile) -> int:
    """Write every turn to an open binary file as JSON lines; return how many."""
    count = 0
    for row in memory.turns():
        file.write(turn_line(row, [each.segment for each in memory.segments(row)]))
        count += 1
    return count


def _checked(memory: Memory, file: _File, source: str | None, report: Callable[[str, int, int], None]) -> _Plan:
    """Read the whole file and raise the first error there is in it."""
    plan = _Plan()
    seen: dict[bytes, bytes] = {}
    for number, line in file.lines():
        where = file.where(number)
        item = parse_line(line, where, source)
        try:
            check_turn(item.turn)
            kept = _kept(memory, item)
        except _OtherContentError as error:
            if isinstance(file, LineFile):
                raise InputError(f"{where}: {error.where}", error.problem, error.next_step) from error
            kept = _found(memory, item.turn.external_id, item.turn.source)
            plan.changed += 1
        except InputError as error:
            raise InputError(f"{where}: {error.where}", error.problem, error.next_step) from error
        if kept is not None:
            plan.ids[item.turn_id or item.turn.external_id] = kept.turn_id
        if _seen_before(item.turn, number, where, seen) or kept is not None:
            plan.known.add(number)
        elif OWNER in (item.turn.sender, *item.turn.members) and not is_owner(item.turn.place.channel, OWNER):
            plan.owned.add(item.turn.place.channel)
        plan.cited.update(cite for segment in item.turn.segments for cite in segment.cites)
        if number % _REPORT_LINES == 0:
            report("check", file.position, file.bytes)
    report("check", file.bytes, file.bytes)
    return plan


def _seen_before(turn: Turn, number: int, where: str, seen: dict[bytes, bytes]) -> bool:
    """Whether an earlier line says the same turn. Raises `InputError` when one has its id and another content."""
    key = _digest(f"{turn.source}\0{turn.external_id}")
    content = _digest(repr(turn))
    before = seen.setdefault(key, content + number.to_bytes(8, "big"))
    if before[:-8] != content:
        problem = f"its id {turn.external_id!r} stands in line {int.from_bytes(before[-8:], 'big')} with other content"
        raise InputError(f"{where}, key id", problem, _REPEATED)
    return int.from_bytes(before[-8:], "big") != number


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def _kept(memory: Memory, item: ParsedLine) -> TurnRow | None:
    """Return the turn of this home that the line is, None when it is new. Raises `InputError` for other content."""
    turn = item.turn
    row = _found(memory, item.turn_id, None) if item.turn_id else None
    if row is None or row.turn_id != item.turn_id:
        row = _found(memory, turn.external_id, turn.source)
        if row is None or (row.source, row.external_id) != (turn.source, turn.external_id):
            return None
    segments = memory.segments(row)
    if any(segment.cites for segment in turn.segments):  # ids of another home: they are compared when they are known
        turn = replace(turn, segments=tuple(replace(segment, cites=()) for segment in turn.segments))
        segments = [replace(each, segment=replace(each.segment, cites=())) for each in segments]
    if same_content(turn, row, segments):
        return row
    where = f"turn {turn.external_id!r} of source {turn.source!r}"
    raise _OtherContentError(where, "is in this home with other content", _REPEATED)


def _found(memory: Memory, name: str, source: str | None) -> TurnRow | None:
    try:
        return memory.find(name, source=source)
    except NotFoundError:
        return None


def _batches(
    file: _File, source: str | None, plan: _Plan, report: Callable[[str, int, int], None]
) -> Iterator[list[ParsedLine]]:
    """Yield the new turns of the file, so many at a time that one commit stays small."""
    batch: list[ParsedLine] = []
    inside: set[str] = set()
    size = 0
    for number, line in file.lines():
        if number in plan.known:
            continue
        item = parse_line(line, file.where(number), source)
        cites = {cite for segment in item.turn.segments for cite in segment.cites}
        full = len(batch) >= _BATCH_TURNS or size >= _BATCH_CHARACTERS
        if batch and (full or cites & inside):  # what is cited must have its new id first
            yield batch
            report("keep", file.position, file.bytes)
            batch, inside, size = [], set(), 0
        batch.append(item)
        inside.add(item.turn_id)
        size += len(line)
    if batch:
        yield batch


def _with_ids(turn: Turn, ids: dict[str, TurnId]) -> Turn:
    """Return the turn with its citations by the ids that the cited turns have in this home."""
    if not any(cite in ids for segment in turn.segments for cite in segment.cites):
        return turn
    segments = [replace(each, cites=tuple(ids.get(cite, cite) for cite in each.cites)) for each in turn.segments]
    return replace(turn, segments=tuple(segments))
