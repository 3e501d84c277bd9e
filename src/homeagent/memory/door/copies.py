"""Finding copies: what was copied verbatim from a text, without keeping the text.

A copy is a run of at least `RUN` normalised characters, a whole line of at least `UNIT` of them, or one opaque token
(letters and digits mixed) of at least `UNIT`. Of a hidden text only salted hashes are kept: for every `STRIDE`-th
position the hash of a `GRAM` and six bits for each of the `REACH` characters on either side. As
GRAM + STRIDE - 1 = RUN, any copied run holds one of those grams whole; the neighbours' bits then tell how far it goes.
The sampling is that of winnowing (Schleimer, Wilkerson, Aiken: Local Algorithms for Document Fingerprinting, 2003),
with fixed positions instead of local minima, because only one side is sampled.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.store.protocols import CopySketch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

__all__ = [
    "GRAM",
    "REACH",
    "RUN",
    "UNIT",
    "Copyable",
    "Folded",
    "Salt",
    "codes_of",
    "context_bits",
    "fold_for_copies",
    "is_opaque",
    "opaque_tokens",
    "short_lines",
    "sketch_of",
    "token_spans",
]

RUN = 12
UNIT = 8
GRAM = 7
STRIDE = 6
REACH = 5

_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
_LINE_NUMBER = re.compile(r"\s*(?:>\s*)*\d{1,6}(?:\s*[:|.)\]\t→-]|\s{2,})\s*")
_TOKEN = re.compile(r"[A-Za-z0-9_\-./:+@~%!$^&*]{8,}")
_PARTS = (re.compile(r"[A-Za-z0-9_-]{8,}"), re.compile(r"[A-Za-z0-9]{8,}"))
_DROPPED = frozenset("`'\"“”‘’«»「」『』‹›>|*\\")


class _CharacterFold(dict[int, str]):
    """Each character as it counts for a comparison; nothing for white space, quote marks, fences and controls."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character in _DROPPED or category[0] in "ZC":
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


def fold_for_copies(text: str) -> Folded:
    """Return the text without white space, quote marks, fences and escape codes, folded in width and case."""
    letters: list[str] = []
    origin: list[int] = []
    skipped = {i for match in _ANSI.finditer(text) for i in range(*match.span())} if "\x1b" in text else frozenset()
    for place, character in enumerate(text):
        if place in skipped:
            continue
        for letter in _FOLD[ord(character)]:
            letters.append(letter)
            origin.append(place)
    return Folded("".join(letters), tuple(origin))


def _folded_text(text: str) -> str:
    return (_ANSI.sub("", text) if "\x1b" in text else text).translate(_FOLD)


@dataclass(frozen=True, slots=True)
class Salt:
    """What makes the hashes of one chat of one home unlike any other's."""

    secret: bytes
    _weights: NDArray[np.uint64] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        seed = hashlib.blake2b(self.secret, digest_size=8 * (GRAM + 1)).digest()
        object.__setattr__(self, "_weights", np.frombuffer(seed, dtype="<u8") | np.uint64(1))

    def grams(self, codes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the hash of the gram at every position: ``int64, (n - GRAM + 1,)``, 62 bits, from code points (n,)."""
        count = max(0, codes.size - GRAM + 1)
        total = np.zeros(count, dtype=np.uint64)
        for place in range(GRAM):
            total += codes[place : place + count] * self._weights[place]
        total ^= total >> np.uint64(29)
        total *= self._weights[GRAM]
        return (total >> np.uint64(2)).astype(np.int64)

    def bits(self, codes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return six bits for every character, 1 to 63: ``int64, (n,)``."""
        mixed = (codes + np.uint64(1)) * self._weights[0]
        six: NDArray[np.int64] = ((mixed >> np.uint64(40)) % np.uint64(63)).astype(np.int64) + 1
        return six

    def unit(self, text: str) -> int:
        """Return the hash of a whole line or token, 62 bits."""
        data = text.encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(data, digest_size=8, key=self.secret[:64]).digest()) >> 2


@dataclass(frozen=True, slots=True)
class Copyable:
    """Which kinds of copy of a text count: any run and line of it, and these opaque tokens."""

    texts: tuple[str, ...]
    tokens: tuple[str, ...]


def codes_of(text: str) -> NDArray[np.uint64]:
    """Return the code points of a text: ``uint64, (n,)``."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)


def context_bits(bits: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for grams at ``starts``, the bits of their REACH characters before and after, packed: ``int64, (m,)``.

    The nearest character is the lowest six bits of its half; 0 stands for "no character there".
    """
    padded = np.concatenate([np.zeros(REACH, dtype=np.int64), bits, np.zeros(REACH + GRAM, dtype=np.int64)])
    packed = np.zeros(starts.size, dtype=np.int64)
    for distance in range(REACH):
        packed |= padded[starts + REACH - 1 - distance] << np.int64(6 * distance)
        packed |= padded[starts + REACH + GRAM + distance] << np.int64(6 * (REACH + distance))
    return packed


def sketch_of(source: Copyable, salt: Salt) -> CopySketch:
    """Return the hashes by which copies of ``source`` are recognised."""
    runs: set[tuple[int, int]] = set()
    units = {salt.unit(token) for token in source.tokens}
    for text in _views(source.texts):
        codes = codes_of(_folded_text(text))
        grams = salt.grams(codes)
        starts = np.arange(0, grams.size, STRIDE, dtype=np.int64)
        runs.update(zip(grams[starts].tolist(), context_bits(salt.bits(codes), starts).tolist(), strict=True))
        units.update(salt.unit(line) for line, _, _ in short_lines(text))
        units.update(salt.unit(token) for token in opaque_tokens(text))
    return CopySketch(tuple(sorted(runs)), tuple(sorted(units)))


def _views(texts: Iterable[str]) -> Iterator[str]:
    """Yield each text, and, where it is JSON with escapes, what its strings say once they are read."""
    for text in texts:
        yield text
        if "\\" in text and text.lstrip()[:1] in ("{", "[", '"'):
            try:
                value: object = json.loads(text)
            except (ValueError, RecursionError):
                continue
            yield "\n".join(_strings(value))


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _strings(inner)
        case list():
            for inner in value:
                yield from _strings(inner)


def short_lines(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each line of UNIT to RUN - 1 normalised characters, with where it begins and ends in ``text``.

    Longer ones are runs; a line number in front does not count.
    """
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if len(line) <= 200:
            number = _LINE_NUMBER.match(line)
            for begin in {start, start + number.end()} if number else {start}:
                folded = _folded_text(text[begin:end])
                if UNIT <= len(folded) < RUN:
                    yield folded, begin, end
        start = end + 1


def token_spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each opaque token, folded, with where it begins and ends in ``text``: whole, and its parts."""
    for match in _TOKEN.finditer(text):
        whole = match.group().strip(".:-/!*&")
        begin = match.start() + match.group().find(whole)
        pieces = {(begin, begin + len(whole))}
        for pattern in _PARTS:
            pieces.update(part.span() for part in pattern.finditer(text, *match.span()))
        for start, end in sorted(pieces):
            if is_opaque(text[start:end]):
                yield text[start:end].casefold(), start, end


def is_opaque(token: str) -> bool:
    """Whether a token is a key, a hash or an id rather than a word: letters and digits mixed, at least UNIT long."""
    return len(token) >= UNIT and any(c.isdigit() for c in token) and any(c.isalpha() for c in token)


def opaque_tokens(text: str) -> set[str]:
    """Return the opaque tokens of a text, folded."""
    plain = _ANSI.sub("", text) if "\x1b" in text else text
    return {token for token, _, _ in token_spans(plain)}
