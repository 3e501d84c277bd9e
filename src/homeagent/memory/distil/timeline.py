"""When a claim held: worked out each time it is asked, from who said what and when. Nothing is ever overwritten."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from homeagent.memory.distil.relations import FUNCTIONAL
from homeagent.memory.distil.tagging import RuleTagger, aligned

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.store.graph_records import FactRow, Voice

__all__ = ["LOOSE", "Interval", "Witness", "intervals", "moment_of", "names_part_of"]

_RANK: Final[dict[Voice, int]] = {"assistant": 0, "tool": 1, "user": 2, "self": 2, "explicit": 3}
LOOSE: Final = frozenset(("value", "scheduled"))
"""Relations in which "SSH 改走 47310" takes the place of what was said of "服务器 SSH 端口"."""
_TAGGER = RuleTagger(hidden_words=False)


class Witness(Protocol):
    """Knows who was there."""

    def heard(self, later: FactRow, earlier: FactRow) -> bool:
        """Whether whoever said ``later`` was there when ``earlier`` was said."""
        ...


@dataclass(frozen=True, slots=True)
class Interval:
    """One stretch of time in which a claim held, by all that was said for it.

    ``start`` and ``end`` are in microseconds; a ``start`` of None is unknown, an ``end`` of None still to come.
    """

    rows: tuple[FactRow, ...]
    start: int | None
    end: int | None

    def holds(self, at: int) -> bool:
        """Whether it held at a moment, as far as was said."""
        if self.rows[0].mode in ("past", "planned") or self.rows[0].negative:
            return False
        return (self.start is None or self.start <= at) and (self.end is None or at < self.end)


def moment_of(row: FactRow) -> int:
    """Return when a fact was said, in microseconds; 0 when unknown."""
    return row.at.microseconds if row.at is not None else 0


def intervals(rows: Sequence[FactRow], others: Sequence[FactRow], witness: Witness) -> list[Interval]:
    """Return when each claim of one subject and relation held, oldest first.

    ``rows`` are all that was said of it; ``others`` what was said of things with similar names, which may end it too.
    A later value of a functional relation ends the one before, a denial ends what it denies; neither does, when whoever
    said it was not there for the first, or is believed less.
    """
    ordered = sorted(rows, key=_order)
    enders = sorted((row for row in (*rows, *others) if _may_end(row)), key=_order)
    moments = [_order(row) for row in enders]
    found: list[Interval] = []
    open_at: dict[tuple[str, str, bool], int] = {}
    for row in ordered:
        claim = (row.value_key, row.mode, row.negative)
        if row.mode == "past":
            found.append(Interval((row,), None, moment_of(row)))
            continue
        later = (enders[place] for place in range(bisect_right(moments, _order(row)), len(enders)))
        end = None if row.negative else _end(row, later, witness)
        at = open_at.get(claim)
        if at is not None and found[at].end == end:
            known = found[at]
            found[at] = Interval((*known.rows, row), known.start, end)
            continue
        open_at[claim] = len(found)
        found.append(Interval((row,), moment_of(row), end))
    return found


def names_part_of(part: str, whole: str) -> bool:
    """Tell whether the words of one name all stand in another: SSH in 服务器 SSH 端口."""
    few, many = _words(part), _words(whole)
    return bool(few) and few < many


def _end(row: FactRow, enders: Iterable[FactRow], witness: Witness) -> int | None:
    for other in enders:
        if row.voice == "self" and other.voice == "user" and _speaker(other) != _speaker(row):
            continue  # what somebody says of himself is not ended by what another says of him
        if _ends(other, row) and _RANK[other.voice] >= _RANK[row.voice] and witness.heard(other, row):
            return moment_of(other)
    return None


def _may_end(row: FactRow) -> bool:
    """Whether a row can end anything: of what there may be several at a time, only a denial or a change does."""
    if row.mode in ("past", "planned"):
        return False
    return row.negative or row.changed or row.relation in FUNCTIONAL


def _speaker(row: FactRow) -> tuple[str, str]:
    return (row.channel, row.sender)


def _ends(other: FactRow, row: FactRow) -> bool:
    if other.subject.entity == row.subject.entity or other.relation != row.relation:
        if other.negative:
            return row.relation in ("scheduled", "plans") or _same_value(other, row)
        return row.relation in FUNCTIONAL and other.relation == row.relation and other.value_key != row.value_key
    return other.changed or other.negative  # another thing's name, so only where a change is spoken of


def _same_value(one: FactRow, other: FactRow) -> bool:
    return one.value_key == other.value_key or names_part_of(one.value_key, other.value_key)


def _order(row: FactRow) -> tuple[int, int, int]:
    return (moment_of(row), row.source, row.position)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.text for word in _TAGGER.words(aligned(text)) if word.tag not in ("particle", "mark"))
