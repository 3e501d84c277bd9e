"""A long life with one tool in it whose outputs are hidden later: synthetic turns, the same for the same number."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from homeagent.memory import Place, Segment, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EVERY", "QUOTED", "TOOL", "marker", "policy_turns"]

TOOL: Final = "meter_read"
"""The tool whose policy changes. It speaks in one turn of `EVERY`."""

EVERY: Final = 100
QUOTED: Final = 5
"""In one of so many of those turns the reply repeats a line of the output."""

_CHATS: Final = 50
_ANSWERED: Final = 3
_START: Final = datetime(2024, 1, 1, 8, tzinfo=UTC)
_CONSONANTS: Final = "bcdfghklmnprstvw"
_VOWELS: Final = "aeiou"


def policy_turns(count: int) -> Iterator[Turn]:
    """Yield ``count`` turns of fifty chats in the order of time, each with an external id that is its number.

    They are group chats: one message in three is answered.
    """
    draw = random.Random(count)  # noqa: S311 - reproducible sentences, no secrets
    for number in range(count):
        at = _START + timedelta(minutes=7 * number)
        place = Place("cli", f"chat {number % _CHATS}")
        segments = tuple(_segments(number, draw))
        yield Turn(place, "owner", segments, at=at, source="policy", external_id=str(number))


def marker(number: int) -> str:
    """Return a word that stands in the output of turn ``number`` and in what repeats it, and nowhere else."""
    draw = random.Random(f"marker {number}")  # noqa: S311
    return "".join(draw.choice(_CONSONANTS) + draw.choice(_VOWELS) for _ in range(6))


def _segments(number: int, draw: random.Random) -> Iterator[Segment]:
    yield Segment("user", f"{_sentence(draw, 9)}?")
    if number % EVERY:
        if number % _ANSWERED == 0:
            yield Segment("assistant", f"{_sentence(draw, 12)}.")
        return
    word = marker(number)
    line = f"the {word} counter stands at {number * 7}"
    rest = "\n".join(f"{word} on day {day}: {_sentence(draw, 4)}" for day in range(1, 6))
    text = f"status: ok\n{line}\n{rest}"
    yield Segment("tool", text, tool=TOOL, arguments=f'{{"meter": {number}}}')
    quotes = number % (EVERY * QUOTED) == 0
    yield Segment("assistant", f"It says that {line}." if quotes else f"{_sentence(draw, 12)}.")


def _sentence(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(_words(), k=words)).capitalize()


@lru_cache(maxsize=1)
def _words() -> tuple[str, ...]:
    draw = random.Random("words")  # noqa: S311
    return tuple(
        "".join(draw.choice(_CONSONANTS) + draw.choice(_VOWELS) for _ in range(draw.randint(1, 4))) for _ in range(4000)
    )
