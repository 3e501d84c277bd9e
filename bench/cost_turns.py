"""A long life for measuring what it costs: synthetic turns in English and Chinese, the same for the same number.

Content words are drawn by Zipf and Mandelbrot's law from 20,000 made-up ones (in Chinese 8,000 pairs of common
characters), so that a few of them stand in thousands of turns, as in real speech; function words are the real ones.
"""

from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from homeagent.memory import Place, Segment, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CHATS", "cost_turns", "questions"]

CHATS: Final = 50
"""How many chats the life is led in."""

_START: Final = datetime(2015, 1, 1, 8, tzinfo=UTC)
_SHIFT: Final = 50
_ENGLISH_WORDS: Final = 20_000
_CHINESE_WORDS: Final = 8_000
_CONSONANTS: Final = "bcdfghklmnprstvw"
_VOWELS: Final = "aeiou"
_ENGLISH: Final = ("the", "of", "my", "to", "and", "I", "in", "is", "that", "we", "for", "with", "you", "was", "it")
_CHINESE: Final = ("的", "我", "了", "在", "是", "和", "就", "也", "你", "都", "要", "不", "有", "他", "去")
_CHARACTERS: Final = (
    "天地人水火山石田土木花草鱼鸟牛马羊狗猫虫车船门窗桌椅书笔纸画歌舞琴棋茶酒米面饭菜汤糖盐油衣帽鞋袜红黄蓝绿黑白"
    "大小多少高低长短远近快慢早晚冷热春夏秋冬东西南北上下左右前后里外手足头眼口耳心身父母兄弟姐妹男女老师学生工农"
)


def cost_turns(segments: int, *, first: int = 0) -> Iterator[Turn]:
    """Yield turns of together ``segments`` segments, in the order of time.

    Each has an external id that is its number, beginning with ``first``. Two turns of three are answered.
    """
    left = segments
    for number in itertools.count(first):
        if left <= 0:
            return
        draw = random.Random(number)  # noqa: S311 - reproducible sentences, no secrets
        said = (Segment("user", _sentence(draw, 11)), Segment("assistant", _sentence(draw, 16)))
        kept = said[: min(left, 1 if number % 3 == 0 else 2)]
        place = Place("cli", f"chat {number % CHATS}")
        at = _START + timedelta(minutes=5 * number)
        yield Turn(place, "owner", kept, at=at, source="cost", external_id=str(number))
        left -= len(kept)


def questions(count: int) -> list[str]:
    """Return ``count`` questions, every second one in Chinese, with words that the turns hold."""
    draw = random.Random("questions")  # noqa: S311
    asked: list[str] = []
    for number in range(count):
        if number % 2:
            asked.append(f"{''.join(_drawn(draw, _chinese(), 3))}是什么时候的事？")
        else:
            asked.append(f"When did I talk about the {' '.join(_drawn(draw, _english(), 4))}?")
    return asked


def _sentence(draw: random.Random, words: int) -> str:
    chinese = draw.random() < 1 / 2
    common = _CHINESE if chinese else _ENGLISH
    content = _drawn(draw, _chinese() if chinese else _english(), words * 3 // 5)
    mixed = [*content, *draw.choices(common, k=words - len(content))]
    draw.shuffle(mixed)
    return "".join(mixed) + "。" if chinese else f"{' '.join(mixed).capitalize()}."


def _drawn(draw: random.Random, vocabulary: tuple[str, ...], count: int) -> list[str]:
    return draw.choices(vocabulary, cum_weights=_weights(len(vocabulary)), k=count)


@lru_cache(maxsize=2)
def _weights(count: int) -> tuple[float, ...]:
    return tuple(itertools.accumulate(1 / (rank + _SHIFT) for rank in range(count)))


@lru_cache(maxsize=1)
def _english() -> tuple[str, ...]:
    draw = random.Random("words")  # noqa: S311
    syllables = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]
    words = ("".join(draw.choices(syllables, k=draw.randint(2, 4))) for _ in itertools.count())
    return tuple(itertools.islice(dict.fromkeys(itertools.islice(words, 2 * _ENGLISH_WORDS)), _ENGLISH_WORDS))


@lru_cache(maxsize=1)
def _chinese() -> tuple[str, ...]:
    pairs = [one + two for one in _CHARACTERS for two in _CHARACTERS if one != two]
    random.Random("pairs").shuffle(pairs)  # noqa: S311
    return tuple(pairs[:_CHINESE_WORDS])
