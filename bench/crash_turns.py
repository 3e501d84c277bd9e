"""The turns of the crash test: what each id stands for, so that what is found can be compared byte for byte.

A turn's id says who wrote it and everything in it follows from the id: the writer makes it, and whoever checks makes it
again. Each holds a word of its own that full text must find, and some hold tool output that no computation may see.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from homeagent.memory import Place, Segment, Turn
from homeagent_sdk import MemoryPolicy, parse_cleaner

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["POLICIES", "SOURCE", "Kind", "group_of", "kind_of", "made", "marker", "secret", "segments_of"]

SOURCE: Final = "crash"
"""The source of every turn."""

POLICIES: Final = {
    "read_log": MemoryPolicy(no_memory=True),
    "read_note": MemoryPolicy(cleaner=parse_cleaner("json(content)")),
}
"""What the tools of these turns declare."""

Kind = Literal["keep", "together", "steps"]
"""Kept at once, kept in one commit with others, or opened, appended to and closed."""

_KINDS: Final[tuple[Kind, ...]] = ("keep", "together", "steps")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_CHINESE: Final = "今天下午我们去河边散步然后回家做饭猫在窗台上睡觉雨一直没有停明年春天再来看花"
_STARTED: Final = datetime(2024, 3, 1, 8, 0, tzinfo=UTC)


def kind_of(name: str) -> Kind:
    """Return how a turn is written."""
    return _KINDS[_random(name).randrange(len(_KINDS))]


def group_of(name: str) -> str:
    """Return what a turn is kept together with, the part of its name before "p"; its own name when it is alone."""
    return name.rpartition("p")[0] or name


def marker(name: str) -> str:
    """Return the word that only this turn holds, and that may be found."""
    return "mark" + _word(name, "marker")


def secret(name: str) -> str:
    """Return the word that only this turn's hidden output holds."""
    return "secret" + _word(name, "secret")


def made(name: str) -> Turn:
    """Return the whole turn."""
    number = sum(map(ord, name))
    return Turn(
        Place("crash", f"chat{number % 7}"),
        f"person{number % 3}",
        tuple(segments_of(name)),
        at=_STARTED + timedelta(seconds=number),
        members=("person0", "person1", "person2"),
        source=SOURCE,
        external_id=name,
    )


def segments_of(name: str) -> Iterator[Segment]:
    """Yield the segments of a turn, in order; the first holds the marker."""
    chance = _random(name)
    yield Segment("user", f"{marker(name)} {_prose(chance)} \x00\ud83d\r\n")
    if chance.random() < 0.3:
        yield Segment("tool", f"{secret(name)}\n{_prose(chance)}" * 20, tool="read_log", arguments='{"path": "/a"}')
    if chance.random() < 0.3:
        yield Segment("tool", f'{{"content": "{_prose(chance)}", "size": 12}}', tool="read_note", call_id=name)
    yield Segment("assistant", _prose(chance))


def _prose(chance: random.Random) -> str:
    english = " ".join("".join(chance.choices(_LETTERS, k=chance.randint(2, 8))) for _ in range(chance.randint(3, 12)))
    return english + "，" + "".join(chance.choices(_CHINESE, k=chance.randint(4, 30)))


def _word(name: str, purpose: str) -> str:
    return "".join(_random(f"{purpose} {name}").choices(_LETTERS, k=14))


def _random(name: str) -> random.Random:
    return random.Random(name)  # noqa: S311 - test data, no secret
