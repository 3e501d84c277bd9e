"""One spelling for everything that is compared: `fold_text`. Only for computing; what was said is never rewritten.

NFKC and case folding make ``Ｂ座`` and ``b座`` one; invisible characters go; curly quotes and dashes become straight
ones; traditional characters become simplified ones, *character by character*. Phrase conversion would read a
character by its neighbours, so that a question holding half of a phrase (乾 of 乾隆) would fold to something else than
the passage does, and regional words (軟體, 软件) would change their meaning and length. The price, two characters that
become one (乾 and 干), is paid on both sides alike.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from opencc import OpenCC

__all__ = ["fold_text"]

# The tables leave these apart, but people write them for one another. 著 loses 著名 as a dictionary word (`_chinese`
# gives it back) and wins every 穿著 / 穿着.
_VARIANTS = {
    "锺": "钟", "馀": "余", "著": "着", "崑": "昆", "昇": "升", "喫": "吃", "峯": "峰", "祕": "秘", "藉": "借",
    "钜": "巨", "榖": "谷", "谘": "咨", "衹": "只", "甯": "宁", "牀": "床", "啓": "启", "裏": "里", "臺": "台",
}  # fmt: skip
_IDEOGRAPHS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0x20000, 0x323B0))

# Default-ignorable code points and lone surrogates: they carry no character of their own.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ud800-\udfff"
)
_GONE = re.compile(f"[{_INVISIBLE}]+")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PUNCTUATION = {
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'", "\u02bc": "'", "\u02b9": "'",
    "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u2033": '"', "\u300c": '"', "\u300d": '"',
    "\u300e": '"', "\u300f": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-",
    "\u2028": "\n", "\u2029": "\n",
}  # fmt: skip


@cache
def _characters() -> dict[int, str]:
    """Return character -> folded character, one to one and closed: a folded character folds to itself."""
    every = [chr(code) for low, high in _IDEOGRAPHS for code in range(low, high)]
    # One call; a line break belongs to no phrase, so each character is converted on its own.
    simple = dict(zip(every, OpenCC("t2s").convert("\n".join(every)).split("\n"), strict=True))
    simple |= _VARIANTS
    table = {ord(old): new for old, new in _PUNCTUATION.items()}
    for character in every:
        seen = character
        for _ in range(4):
            seen = simple.get(seen, seen)
        if seen != character:
            table[ord(character)] = seen
    return table


def shape_text(text: str) -> str:
    """Return ``text`` folded in everything but letter case, for what reads CamelCase. Internal to this package."""
    if text.isascii():
        return _CONTROL.sub(" ", text)
    text = _CONTROL.sub(" ", _GONE.sub("", text).replace("\u00b4", "'"))
    return unicodedata.normalize("NFKC", text).translate(_characters())


def fold_text(text: str) -> str:
    """Return ``text`` as computation compares it. Total (any code points, also lone surrogates) and idempotent.

    Line breaks and tabs stay, other control characters become a space, invisible characters and lone surrogates go.
    """
    shaped = shape_text(text)
    if shaped.isascii():
        return shaped.lower()
    for _ in range(4):  # case folding may undo NFKC and the reverse, for a handful of letters; it settles at once
        folded = unicodedata.normalize("NFKC", shaped.casefold()).translate(_characters())
        if folded == shaped:
            break
        shaped = folded
    return shaped
