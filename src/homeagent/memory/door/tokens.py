"""Opaque tokens: keys, hashes and ids, which count as copied even where nothing around them was."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from homeagent.memory.door.folding import DROPPED, escape_code_places, escapes_read, fold_by, without_escape_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from homeagent.memory.door.folding import Folded

__all__ = ["UNIT", "is_opaque", "opaque_tokens", "token_spans"]

UNIT = 8
"""The fewest characters of a token, or of a whole line, that make a copy."""

_TOKEN = re.compile(r"[A-Za-z0-9_\-./:+@~%!$^&*]{8,}")
_PARTS = (re.compile(r"[A-Za-z0-9_-]{8,}"), re.compile(r"[A-Za-z0-9]{8,}"))
_EDGES = ".:-/!*&"
_SEPARATING = frozenset("|<>‹›")
_WRAP = re.compile(r"(?<![ \t])[ \t]*+\r?\n[ \t>]*")
_OPAQUE = re.compile(r"(?=[^0-9]*+[0-9])(?=[^A-Za-z]*+[A-Za-z])")


class _TokenFold(dict[int, str]):
    """Each character as it counts in a token: as for any copy, but what separates tokens goes on doing so."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character.isspace() or category[0] == "Z" or character in _SEPARATING:
            folded = " "
        elif character in DROPPED or category[0] == "C":
            folded = ""
        else:
            folded = unicodedata.normalize("NFKC", character).casefold()
        self[code] = folded
        return folded


@lru_cache(maxsize=1)
def _fold() -> _TokenFold:
    """Return the one table of this process: it fills with the characters that it meets."""
    return _TokenFold()


def token_spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each opaque token, folded, with where it begins and ends in ``text``: whole, and its parts.

    Tokens are looked for in the text as it stands, folded, and folded with its lines joined: one may be wrapped.
    """
    yield from _spans(text)
    codes = escape_code_places(text)
    yield from _spans_in(fold_by(text, _fold(), codes))
    wraps = {place for match in _WRAP.finditer(text) for place in range(*match.span())}
    if wraps:
        yield from _spans_in(fold_by(text, _fold(), codes | wraps))


def opaque_tokens(text: str) -> set[str]:
    """Return the opaque tokens of a text, folded, also those that stand in it with escapes."""
    found: set[str] = set()
    for reading in escapes_read(text):
        plain = without_escape_codes(reading).casefold()
        found.update(_TOKEN.findall(plain))
        folded = plain.replace("\\", " ").translate(_fold())  # an unread escape must not join what it separates
        if folded != plain:
            found.update(_TOKEN.findall(folded))
    return {token[start:end] for token in found for start, end in _opaque_parts(token)}


def is_opaque(token: str) -> bool:
    """Whether a token is a key, a hash or an id rather than a word: letters and digits mixed, at least UNIT long."""
    return len(token) >= UNIT and _OPAQUE.match(token) is not None


def _spans_in(folded: Folded) -> Iterator[tuple[str, int, int]]:
    for token, start, end in _spans(folded.text):
        yield token, folded.origin[start], folded.origin[end - 1] + 1


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _TOKEN.finditer(text):
        for start, end in _opaque_parts(match.group()):
            yield match.group()[start:end].casefold(), match.start() + start, match.start() + end


def _opaque_parts(token: str) -> list[tuple[int, int]]:
    """Return where in a token the opaque ones are: all of it, and what its punctuation separates."""
    if not is_opaque(token):
        return []
    begin = len(token) - len(token.lstrip(_EDGES))
    pieces = {(begin, len(token.rstrip(_EDGES)))}
    for pattern in _PARTS:
        pieces.update(part.span() for part in pattern.finditer(token))
    return [(start, end) for start, end in sorted(pieces) if is_opaque(token[start:end])]
