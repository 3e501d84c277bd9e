"""Words of a message, for comparing messages with each other. Nothing of it is kept."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["telling_words", "words_of"]

_WORD: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+")
_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")

_EMPTY_WORDS: Final = """
    a an the of to in on at by for from with and or but not no so as if is are was were be been am do does did have has
    had will would can could shall should may might must i you he she it we they me him her us them my your his its our
    their this that these those there here who what when where why how which whose about tell please ok yes now then
    我们 你们 他们 这个 那个 什么 怎么 一个 一下 可以 没有 不是 就是 的是 是什 了吗 的吗 是谁 请问 告诉 诉我 知道
"""
_EMPTY: Final = frozenset(_EMPTY_WORDS.split())


def telling_words(text: str) -> set[str]:
    """Return the words of a text that say what it is about."""
    return words_of(text) - _EMPTY


def words_of(text: str) -> set[str]:
    """Return folded words, and of Chinese every pair of neighbouring characters (a single one by itself)."""
    found: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        if _HAN.match(word):
            found |= {word[at : at + 2] for at in range(len(word) - 1)} or {word}
        else:
            found.add(word)
    return found
