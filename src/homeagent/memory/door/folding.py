"""How a text counts when copies are looked for: what is folded away, and what else it says once it is read.

A text is compared as it stands, with its JSON escapes read, and without its line numbers.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = [
    "DROPPED",
    "LINE_NUMBER",
    "Folded",
    "escape_code_places",
    "escapes_read",
    "fold_by",
    "fold_for_copies",
    "folded_text",
    "folds",
    "readings",
    "without_escape_codes",
]

DROPPED = frozenset("`'\"“”‘’«»「」『』‹›>|*\\")
"""Quote marks, fences and emphasis: whoever copies adds and drops them."""

LINE_NUMBER = re.compile(r"[ \t>]*+\d{1,6}(?:[ \t]*[:|.)\]→-]|\t|[ \t]{2,})[ \t]*", re.ASCII)
"""A line's number with what sets it off, at the beginning of the line."""

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
_LINE_NUMBERS = re.compile(f"^{LINE_NUMBER.pattern}", re.ASCII | re.MULTILINE)
_ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}(?:\\u[0-9a-fA-F]{4})*+|["\\/bfnrt])|"')
_ESCAPED = {"\\b": " ", "\\f": "\n", "\\n": "\n", "\\r": "\n", "\\t": "\t", '"': "\n"}
_DEEPEST_ESCAPES = 2


class _CharacterFold(dict[int, str]):
    """Each character as it counts for a comparison; nothing for white space, quote marks, fences and controls."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character in DROPPED or category[0] in "ZC":
            folded = ""
        else:
            folded = "".join(c for c in unicodedata.normalize("NFKC", character).casefold() if not c.isspace())
        self[code] = folded
        return folded


_FOLD = _CharacterFold()


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it counts for a comparison; ``origin[i]`` is the character of the raw text that ``text[i]`` is from."""

    text: str
    origin: tuple[int, ...]


def fold_by(text: str, table: dict[int, str], skipped: Collection[int]) -> Folded:
    """Return the text with each character replaced by the table's, those at the places ``skipped`` left out."""
    letters: list[str] = []
    origin: list[int] = []
    for place, character in enumerate(text):
        if place in skipped:
            continue
        for letter in table[ord(character)]:
            letters.append(letter)
            origin.append(place)
    return Folded("".join(letters), tuple(origin))


def fold_for_copies(text: str) -> Folded:
    """Return the text without white space, quote marks, fences and escape codes, folded in width and case."""
    return fold_by(text, _FOLD, escape_code_places(text))


def folds(text: str) -> Iterator[Folded]:
    """Yield the text folded for copies, and, where its lines are numbered, the same without the numbers."""
    yield fold_for_copies(text)
    numbers = {place for match in _LINE_NUMBERS.finditer(text) for place in range(*match.span())}
    if numbers:
        yield fold_by(text, _FOLD, escape_code_places(text) | numbers)


def folded_text(text: str) -> str:
    """Return the text of `fold_for_copies`, without where it comes from: much faster."""
    return without_escape_codes(text).translate(_FOLD)


def without_escape_codes(text: str) -> str:
    """Return the text without the escape codes of a terminal."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def escape_code_places(text: str) -> set[int]:
    """Return the places of all characters that belong to an escape code."""
    return {i for match in _ANSI.finditer(text) for i in range(*match.span())} if "\x1b" in text else set()


def readings(text: str) -> Iterator[str]:
    """Yield each of `escapes_read`, and, where its lines are numbered, the same without the numbers."""
    for each in escapes_read(text):
        yield each
        plain = _LINE_NUMBERS.sub("", each)
        if plain != each:
            yield plain


def escapes_read(text: str) -> Iterator[str]:
    r"""Yield the text, and, where it holds escapes such as ``\n``, what it says once they are read.

    Nothing is parsed: JSON that was cut off, has words in front or stands in another JSON's string is read as well.
    A quotation mark becomes a line end, so that what is a string stands on lines of its own.
    """
    yield text
    for _ in range(_DEEPEST_ESCAPES):
        if "\\" not in text:
            return
        read = _ESCAPE.sub(_unescaped, text)
        if read == text:
            return
        text = read
        yield text


def _unescaped(found: re.Match[str]) -> str:
    escape = found.group()
    if escape.startswith("\\u"):
        read: str = json.loads(f'"{escape}"')
        return read
    return _ESCAPED.get(escape, escape[-1])
