"""The measuring sets: JSON lines, plain or gzip, in a folder that the user names.

A set is told from a pool and from a noise set by its first line: a conversation has ``units`` and ``queries``, a line
of a noise set has ``events``, a line of a pool is itself a unit. Names are file names without ``.jsonl.gz`` or
``.jsonl``.
"""

from __future__ import annotations

import gzip
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import msgspec

from bench.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["FIVE", "Conversation", "Event", "NoiseLine", "Question", "Sets", "ToolOutput", "Unit"]

FIVE: Final = ("locomo", "realtalk", "locomo_zh", "memdaily", "beam100K")
"""The sets whose mean is the macro figure."""

_ORDER: Final = (*FIVE, "paraphrase")
_SUFFIXES: Final = (".jsonl.gz", ".jsonl")


class Unit(msgspec.Struct, frozen=True):
    """What one speaker said at one time: the turn that recall has to find."""

    id: str
    session: str
    speaker: str
    text: str
    date: str = ""


class Question(msgspec.Struct, frozen=True):
    """A question and the ids of the units that answer it; ``cat`` is its category."""

    id: str
    text: str
    gold: tuple[str, ...]
    cat: str = ""

    @property
    def adversarial(self) -> bool:
        """Whether the conversation holds no answer: its ``gold`` is only what tempts to give one."""
        return self.cat == "adversarial"


class Conversation(msgspec.Struct, frozen=True):
    """A dialogue and the questions about it. ``haystack`` names a pool of units that stands in front of it."""

    id: str
    lang: str
    units: tuple[Unit, ...]
    queries: tuple[Question, ...]
    haystack: str = ""

    @property
    def speakers(self) -> tuple[str, ...]:
        """Everybody who says something, in the order of the alphabet."""
        return tuple(sorted({unit.speaker for unit in self.units}))


class ToolOutput(msgspec.Struct, frozen=True):
    """What a tool returned, byte for byte, and its SHA-256."""

    name: str
    output: str
    sha256: str


Group = Literal["plain", "attached", "tool_only", "no_memory_fact", "noise"]


class Event(msgspec.Struct, frozen=True):
    """One exchange of a noise set; ``fact`` is what its tool output holds and its words do not."""

    id: str
    session: str
    date: str
    input: str
    response: str
    tools: tuple[ToolOutput, ...]
    group: Group
    fact: str = ""


class NoiseLine(msgspec.Struct, frozen=True):
    """A dialogue mixed with real tool output, and the questions about it."""

    conv: str
    lang: str
    events: tuple[Event, ...]
    queries: tuple[Question, ...]


class _Peek(msgspec.Struct, frozen=True):
    units: msgspec.Raw = msgspec.Raw()
    events: msgspec.Raw = msgspec.Raw()


_Line = TypeVar("_Line", Conversation, NoiseLine, Unit)


class Sets:
    """The sets in one folder. Raises `BenchError` with a sentence when the folder or a named set is not there."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise BenchError(f"There is no folder {folder}: name the folder with the measuring sets with --data")
        self._folder = folder

    @cached_property
    def conversations(self) -> tuple[str, ...]:
        """The names of the sets of conversations, the well-known ones first."""
        names = [name for name, kind in self._kinds.items() if kind == "units"]
        return tuple(sorted(names, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)))

    @cached_property
    def noise(self) -> tuple[str, ...]:
        """The names of the noise sets."""
        return tuple(sorted(name for name, kind in self._kinds.items() if kind == "events"))

    def chosen(self, wanted: Sequence[str], among: Sequence[str]) -> tuple[str, ...]:
        """Return the ``wanted`` names, or all of ``among`` when none is wanted."""
        for name in wanted:
            if name not in among:
                there = ", ".join(among) or "none"
                raise BenchError(f"There is no set {name!r} of this kind in {self._folder} (there: {there}): skipped")
        if not wanted and not among:
            raise BenchError(f"There is no set of this kind in {self._folder}: nothing to measure, skipped")
        return tuple(dict.fromkeys(wanted)) or tuple(among)

    def read(self, name: str) -> list[Conversation]:
        """Return the conversations of a set."""
        return self._lines(name, Conversation)

    def read_noise(self, name: str) -> list[NoiseLine]:
        """Return the lines of a noise set."""
        return self._lines(name, NoiseLine)

    def read_pool(self, name: str) -> list[Unit]:
        """Return the units of a pool."""
        return self._lines(name, Unit)

    @cached_property
    def _kinds(self) -> dict[str, str]:
        kinds: dict[str, str] = {}
        for path in sorted(self._folder.iterdir()):
            name = _name(path)
            first = next(_raw_lines(path), None) if name else None
            if first is not None:
                peek = _decoded(path, first, _Peek)
                kinds[name] = "units" if bytes(peek.units) else "events" if bytes(peek.events) else "pool"
        return kinds

    def _lines(self, name: str, kind: type[_Line]) -> list[_Line]:
        for suffix in _SUFFIXES:
            path = self._folder / (name + suffix)
            if path.is_file():
                return [_decoded(path, line, kind) for line in _raw_lines(path)]
        raise BenchError(f"There is no {name}.jsonl.gz in {self._folder}: skipped")


_Shape = TypeVar("_Shape", Conversation, NoiseLine, Unit, _Peek)


def _decoded(path: Path, line: bytes, kind: type[_Shape]) -> _Shape:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.MsgspecError as error:
        raise BenchError(f"{path} holds a line that is no {kind.__name__.strip('_').lower()}: {error}") from error


def _raw_lines(path: Path) -> Iterator[bytes]:
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        yield from (line for line in file if line.strip())


def _name(path: Path) -> str:
    return next((path.name.removesuffix(suffix) for suffix in _SUFFIXES if path.name.endswith(suffix)), "")
