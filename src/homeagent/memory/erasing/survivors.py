"""What says the same as what is to be erased, and stays: twins in other turns, and echoes that quote or cite it."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from homeagent.memory.erasing.finding import LEAST, Finder
from homeagent.memory.erasing.likeness import Likeness
from homeagent.memory.text.fold import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from homeagent.memory.erasing.targets import Chosen
    from homeagent.memory.store.protocols import LogStore
    from homeagent.memory.store.records import SegmentRow
    from homeagent.memory.turn import Segment, TurnId

__all__ = ["Survivor", "survivors"]

Why = Literal["same words", "cites it", "quotes it"]
"""Why something is listed."""

_PAGE = 500
_SIZE = 1 << 20
"""Characters that are looked at in one go, and so is any longer text."""
_TWIN = 12
"""Characters that a whole reply must have to be compared, unless it tells a number; what others say has to have two."""
_QUOTED = 12
"""Bytes that a line must have to be looked for inside others: as many as the proof looks for."""
_ACKNOWLEDGED = frozenset((
    "ok", "okay", "yes", "yep", "no", "nope", "thanks", "thx", "thank", "hi", "hello", "bye", "done", "noted", "good",
    "好的", "好吧", "好呀", "好啊", "好了", "好嘞", "是的", "对的", "不是", "不用", "不要", "可以", "行的", "谢谢",
    "多谢", "感谢", "你好", "您好", "再见", "拜拜", "知道了", "收到", "明白", "没事", "没有", "早安", "晚安",
))  # fmt: skip
"""Whole texts that say nothing of their own."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A place that stays. ``segment`` is its position in the turn; None with ``turn`` empty is an explicit write.

    ``twin``: it says the very same words. ``echo``: it cites the erased turn, or a line of it stands inside.
    """

    kind: Literal["twin", "echo"]
    turn: TurnId | str
    external_id: str
    segment: int | None
    why: Why


def survivors(log: LogStore, chosen: Chosen) -> list[Survivor]:
    """Return every segment and explicit write that stays and says, quotes or cites what is to be erased.

    Reads the whole log once.
    """
    sought = _Sought.of(log, chosen)
    found: list[Survivor] = []
    for page in _pages(row for row in log.all_segments() if row.turn not in sought.turns):
        found += sought.among(page, log)
    writes = {row.seq for row in chosen.writes}
    for written in log.writes():
        if written.turn not in sought.turns and written.seq not in writes:
            strings = [text for text in _strings(json.loads(written.payload)) if text]
            keys = [_key(text) for text in strings]
            quotes = any(key in sought.said or any(line in key for line in sought.quoted) for key in keys)
            if quotes or sought.likeness.like(strings):
                found.append(Survivor("echo", "", f"{written.kind} {written.seq}", None, "quotes it"))
    return found


@dataclass(frozen=True, slots=True)
class _Sought:
    """What is looked for: whole texts, lines that may stand inside others, both folded; and any part that is a copy."""

    turns: frozenset[int]
    ids: frozenset[TurnId]
    said: frozenset[str]
    quoted: frozenset[str]
    finder: Finder
    likeness: Likeness

    @staticmethod
    def of(log: LogStore, chosen: Chosen) -> _Sought:
        segments = [each.segment for row in chosen.turns for each in log.segments(row.seq)]
        texts = [text for segment in segments for text in _texts(segment)]
        texts += [text for row in chosen.writes for text in _strings(json.loads(row.payload))]
        replies = [segment.text for segment in segments if segment.role == "assistant"]
        said = {key for text in texts if _tells(key := _key(text))}
        said -= {key for text in replies if not _answers(key := _key(text))}
        said |= {key for each in segments if each.role == "user" and _tells(key := _key(each.text))}
        lines = {_key(line) for text in texts for line in text.splitlines() if _size(line.strip()) >= _QUOTED}
        quoted = {line for line in lines if _tells(line)} | {key for key in said if _size(key) >= _QUOTED}
        return _Sought(
            frozenset(row.seq for row in chosen.turns),
            frozenset(row.turn_id for row in chosen.turns),
            frozenset(said),
            frozenset(quoted),
            Finder(key.encode("utf-8", "surrogatepass") for key in quoted if _size(key) >= LEAST),
            Likeness([*texts, *(part for segment in segments for part in _parts(segment))]),
        )

    def among(self, page: Sequence[SegmentRow], log: LogStore) -> Iterator[Survivor]:
        """Yield those of some segments that survive; one look at all of them tells which keys to compare at all."""
        joined = _key("\0".join(text for row in page for text in _every(row.segment)))
        maybe = {
            key.decode("utf-8", "surrogatepass") for key in self.finder.found(joined.encode("utf-8", "surrogatepass"))
        }
        texts = [(place, text) for place, row in enumerate(page) for text in _every(row.segment)]
        like = {texts[hit][0] for hit in self.likeness.like([text for _, text in texts])}
        for place, row in enumerate(page):
            why = self._why(row, maybe) or ("quotes it" if place in like else None)
            turn = log.turn(row.turn) if why is not None else None
            if turn is not None and why is not None:
                kind: Literal["twin", "echo"] = "twin" if why == "same words" else "echo"
                yield Survivor(kind, turn.turn_id, turn.external_id, row.position, why)

    def _why(self, row: SegmentRow, maybe: set[str]) -> Why | None:
        keys = [_key(text) for text in _every(row.segment)]
        if any(key in self.said for key in keys):
            return "same words"
        if self.ids.intersection(row.segment.cites):
            return "cites it"
        lines = maybe & self.quoted
        return "quotes it" if any(line in key for key in keys for line in lines) else None


def _pages(rows: Iterable[SegmentRow]) -> Iterator[list[SegmentRow]]:
    page: list[SegmentRow] = []
    size = 0
    for row in rows:
        page.append(row)
        size += sum(map(len, _every(row.segment)))
        if len(page) >= _PAGE or size >= _SIZE:
            yield page
            page, size = [], 0
    if page:
        yield page


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _tells(key: str) -> bool:
    plain = "".join(character for character in key if character.isalnum())
    return len(plain) >= 2 and plain not in _ACKNOWLEDGED


def _answers(key: str) -> bool:
    return len(key) >= _TWIN or any(character.isdigit() for character in key)


def _texts(segment: Segment) -> list[str]:
    return [text for text in (segment.text, segment.arguments) if text]


def _parts(segment: Segment) -> list[str]:
    """Return what else a segment says: each string of its arguments on its own, and its attachments that are text."""
    parts: list[str] = []
    if segment.arguments:
        with contextlib.suppress(ValueError, RecursionError):
            parts += _strings(json.loads(segment.arguments))
    for attachment in segment.attachments:
        with contextlib.suppress(UnicodeDecodeError):
            parts.append(attachment.data.decode("utf-8"))
    return [part for part in parts if part]


def _every(segment: Segment) -> list[str]:
    return [*_texts(segment), *_parts(segment)]


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from _strings(each)
        case list():
            for each in value:
                yield from _strings(each)
        case _:
            pass


def _key(text: str) -> str:
    return " ".join(fold_text(text).split())
