"""A case as it stands in its file, read into typed values or refused with the place that is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal, cast

from homeagent.errors import InputError
from homeagent.memory.transfer.lines import loaded
from homeagent.memory.transfer.parsing import parse_value
from homeagent_sdk import MemoryPolicy, parse_cleaner
from homeagent_sdk.errors import SdkError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from homeagent.memory.turn import Place, Turn

__all__ = ["SOURCE", "Case", "Check", "Expectation", "RecallCheck", "Step", "TextCheck", "read_case"]

SOURCE: Final = "check"
"""The source of a case's turns."""

Expectation = Literal["must_include_turn", "must_not_include_turn", "first_of", "abstain"]
"""What a recall check wants: a turn among the hits, a turn not among them, an order, or that there is nothing."""

_CASE_KEYS: Final = ("name", "kind", "lang", "source", "why", "policies", "haystack", "turns", "then", "checks")
_NAMED_STEPS: Final = ("remove_tool", "forget", "erase")
_BARE_STEPS: Final = ("archive", "distil", "rebuild")
_EXPECTATIONS: Final[tuple[Expectation, ...]] = ("must_include_turn", "must_not_include_turn", "first_of", "abstain")
_RECALL_KEYS: Final = ("recall", "at", "chat", "person", "top", *_EXPECTATIONS)
_SEE: Final = "See shared/cases/README.md for the form"


@dataclass(frozen=True, slots=True)
class Step:
    """Something done after the turns: its ``kind`` is the key, ``name`` a tool or turn, ``to`` a tool's new name."""

    kind: str
    name: str = ""
    to: str = ""
    policies: Mapping[str, MemoryPolicy] | None = None


@dataclass(frozen=True, slots=True)
class RecallCheck:
    """A question by somebody somewhere, and what must hold for the first ``top`` hits. ``turns`` are external ids."""

    query: str
    place: Place
    person: str
    at: datetime | None
    top: int
    expectation: Expectation
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextCheck:
    """``computed``: the text is in what is computed; ``never_computed``: nowhere; ``raw_equal``: raw is as it was."""

    kind: Literal["computed", "never_computed", "raw_equal"]
    text: str = ""


Check = RecallCheck | TextCheck
"""Anything a case can check."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case: what was said under which policies, what is done then, what must hold."""

    name: str
    kind: str
    lang: str
    policies: Mapping[str, MemoryPolicy]
    haystack: int
    turns: tuple[Turn, ...]
    steps: tuple[Step, ...]
    checks: tuple[Check, ...]

    def members(self, place: Place) -> tuple[str, ...]:
        """Return everybody who speaks in a chat anywhere in the case."""
        return tuple(sorted({turn.sender for turn in self.turns if turn.place == place}))


def read_case(path: Path) -> Case:
    """Return the case in a file. Raises `InputError` that says where it is malformed and how."""
    try:
        value = loaded(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(path), f"can't be read ({error.strerror})", _SEE) from error
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), f"is not JSON in UTF-8 ({error})", _SEE) from error
    form = _Form(str(path))
    found = form.table(value, "the case")
    form.known(found, _CASE_KEYS, "the case")
    turns = tuple(
        parse_value(each, f"{path}, turns[{number}]", SOURCE).turn
        for number, each in enumerate(form.items(found, "turns"))
    )
    form.require(bool(turns), "turns", "there are none")
    case = Case(
        name=form.text(found, "name"),
        kind=form.text(found, "kind"),
        lang=form.text(found, "lang") if "lang" in found else "en",
        policies=form.policies(found.get("policies"), "policies"),
        haystack=form.count(found.get("haystack", 0), "haystack", 0, 100_000),
        turns=turns,
        steps=tuple(form.step(each, turns) for each in form.items(found, "then", required=False)),
        checks=tuple(form.check(each, turns) for each in form.items(found, "checks")),
    )
    form.require(bool(case.checks), "checks", "there are none")
    return replace(case, turns=tuple(replace(turn, members=case.members(turn.place)) for turn in case.turns))


class _Form:
    """Reads the parts of one file's case; every error names the file and the place in it."""

    def __init__(self, file: str) -> None:
        self._file = file

    def require(self, good: bool, place: str, problem: str) -> None:
        if not good:
            raise InputError(f"{self._file}, {place}", problem, _SEE)

    def table(self, value: object, place: str) -> dict[str, object]:
        self.require(isinstance(value, dict), place, f"expected an object, got {str(value)[:60]}")
        return cast("dict[str, object]", value)

    def known(self, value: Mapping[str, object], keys: tuple[str, ...], place: str) -> None:
        for key in value:
            self.require(key in keys, place, f"there is no key {key!r}; known are {', '.join(keys)}")

    def items(self, value: Mapping[str, object], key: str, *, required: bool = True) -> list[object]:
        found = value.get(key)
        if found is None and not required:
            return []
        self.require(isinstance(found, list), key, "expected a list")
        return cast("list[object]", found)

    def text(self, value: Mapping[str, object], key: str) -> str:
        found = value.get(key)
        self.require(isinstance(found, str) and bool(found), key, "expected text that is not empty")
        return cast("str", found)

    def count(self, value: object, place: str, low: int, high: int) -> int:
        whole = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        self.require(whole, place, f"expected a whole number from {low} to {high}, got {value!r}")
        return cast("int", value)

    def policies(self, value: object, place: str) -> dict[str, MemoryPolicy]:
        return {name: self._policy(each, f"{place}.{name}") for name, each in self.table(value, place).items()}

    def step(self, value: object, turns: tuple[Turn, ...]) -> Step:
        table = self.table(value, "then")
        self.require(len(table) == 1, "then", f"a step is one key, got {sorted(table)}")
        kind, wanted = next(iter(table.items()))
        if kind == "set_policy":
            return Step(kind, policies=self.policies(wanted, f"then.{kind}"))
        if kind == "rename_tool":
            names = self.table(wanted, f"then.{kind}")
            return Step(kind, self.text(names, "from"), self.text(names, "to"))
        if kind in _NAMED_STEPS:
            name = self.text(table, kind)
            if kind != "remove_tool":
                self._turn(name, turns, f"then.{kind}")
            return Step(kind, name)
        self.require(kind in _BARE_STEPS, "then", f"there is no step {kind!r}")
        self.require(wanted is True, f"then.{kind}", "write true")
        return Step(kind)

    def check(self, value: object, turns: tuple[Turn, ...]) -> Check:
        table = self.table(value, "checks")
        if "recall" in table:
            return self._recall(table, turns)
        self.require(len(table) == 1, "checks", f"a check is one key, got {sorted(table)}")
        kind = next(iter(table))
        if kind == "raw_equal":
            self.require(table[kind] is True, f"checks.{kind}", "write true")
            return TextCheck("raw_equal")
        self.require(kind in ("computed", "never_computed"), "checks", f"there is no check {kind!r}")
        return TextCheck("computed" if kind == "computed" else "never_computed", self.text(table, kind))

    def _recall(self, table: dict[str, object], turns: tuple[Turn, ...]) -> RecallCheck:
        self.known(table, _RECALL_KEYS, "checks.recall")
        wanted = [name for name in _EXPECTATIONS if name in table]
        self.require(len(wanted) == 1, "checks.recall", f"expected one of {', '.join(_EXPECTATIONS)}, got {wanted}")
        expectation = wanted[0]
        chat, person = self.text(table, "chat"), self.text(table, "person")
        places = [turn.place for turn in turns if turn.place.chat == chat]
        self.require(bool(places), "checks.recall", f"nobody speaks in the chat {chat!r}")
        place = next((turn.place for turn in turns if (turn.place.chat, turn.sender) == (chat, person)), places[0])
        names = self._names(table, expectation)
        for name in names:
            self._turn(name, turns, f"checks.{expectation}")
        top = self.count(table.get("top"), "checks.top", 1, 1000)
        return RecallCheck(self.text(table, "recall"), place, person, self._time(table), top, expectation, names)

    def _names(self, table: dict[str, object], expectation: Expectation) -> tuple[str, ...]:
        if expectation == "abstain":
            self.require(table[expectation] is True, "checks.abstain", "write true")
            return ()
        if expectation != "first_of":
            return (self.text(table, expectation),)
        names = self.items(table, expectation)
        good = len(names) > 1 and all(isinstance(name, str) for name in names)
        self.require(good, "checks.first_of", "expected a list of turn ids")
        return tuple(str(name) for name in names)

    def _time(self, table: dict[str, object]) -> datetime | None:
        if "at" not in table:
            return None
        try:
            at = datetime.fromisoformat(self.text(table, "at"))
        except ValueError as error:
            raise InputError(f"{self._file}, checks.at", str(error), _SEE) from error
        return at if at.tzinfo is not None else at.replace(tzinfo=UTC)

    def _turn(self, name: str, turns: tuple[Turn, ...], place: str) -> None:
        self.require(any(turn.external_id == name for turn in turns), place, f"there is no turn {name!r}")

    def _policy(self, value: object, place: str) -> MemoryPolicy:
        table = self.table(value, place)
        self.known(table, ("no_memory", "cleaner"), place)
        cleaner = table.get("cleaner")
        self.require(cleaner is None or isinstance(cleaner, str), place, "expected a cleaner as text")
        try:
            parsed = parse_cleaner(cast("str", cleaner)) if cleaner is not None else None
            return MemoryPolicy(no_memory=cast("bool", table.get("no_memory", False)), cleaner=parsed)
        except SdkError as error:
            raise InputError(f"{self._file}, {place}", f"{error.where}: {error.problem}", error.next_step) from error
