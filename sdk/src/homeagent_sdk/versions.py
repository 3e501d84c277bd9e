"""Which version of the SDK a plugin wants, and whether it is the one that is here."""

from __future__ import annotations

import operator
import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SDK_VERSION", "meets", "readable"]

SDK_VERSION: Final = "0.1.0"
"""The version of this SDK; it is released together with HomeAgent, under one number."""

_CLAUSE: Final = re.compile(r"\s*(>=|<=|==|!=|~=|>|<)\s*([0-9]+(?:\.[0-9]+)*)\s*")
_COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}


def readable(wanted: str) -> bool:
    """Whether ``wanted`` is a list of clauses such as ``>=0.1, <2``."""
    return all(_CLAUSE.fullmatch(clause) for clause in wanted.split(","))


def meets(wanted: str, version: str = SDK_VERSION) -> bool:
    """Whether ``version`` meets every clause of a `readable` ``wanted``; what is no number in it counts as its end."""
    return all(_meets(found[1], _numbers(found[2]), _numbers(version)) for found in _CLAUSE.finditer(wanted))


def _meets(sign: str, wanted: list[int], version: list[int]) -> bool:
    if sign == "~=":  # the compatible release: the last number may grow, none before it
        return _ordered(version, wanted) >= 0 and version[: len(wanted) - 1] == wanted[:-1]
    return _COMPARE[sign](_ordered(version, wanted), 0)


def _ordered(one: list[int], other: list[int]) -> int:
    for left, right in zip_longest(one, other, fillvalue=0):
        if left != right:
            return -1 if left < right else 1
    return 0


def _numbers(version: str) -> list[int]:
    found = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    return [int(part) for part in found[0].split(".")] if found else []
