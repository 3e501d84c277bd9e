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
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from homeagent.memory.door.folding import LINE_NUMBER, Folded, fold_for_copies, folded_text, folds, readings
from homeagent.memory.door.tokens import UNIT, is_opaque, opaque_tokens, token_spans
from homeagent.memory.store.protocols import CopySketch

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    "folds",
    "is_opaque",
    "opaque_tokens",
    "short_lines",
    "sketch_of",
    "token_spans",
]

RUN = 12
GRAM = 7
STRIDE = 6
REACH = 5
_BLOCK = STRIDE * 50_000  # characters whose hashes are worked out at a time


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
        mixed ^= mixed >> np.uint64(29)  # or else, under some salts, a letter would be the same as every third one
        mixed *= self._weights[GRAM]
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
    runs: list[NDArray[np.int64]] = []
    units = {salt.unit(token) for token in source.tokens}
    for text in source.texts:
        units.update(salt.unit(token) for token in opaque_tokens(text))
    for reading in chain.from_iterable(map(readings, source.texts)):
        runs.extend(_sampled(folded_text(reading), salt))
        units.update(salt.unit(line) for line, _, _ in short_lines(reading))
    every = np.concatenate(runs) if runs else np.empty((0, 2), dtype=np.int64)
    return CopySketch(_each_once(every), tuple(sorted(units)))


def _each_once(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the different rows ``(n, 2)``, sorted: what ``np.unique(rows, axis=0)`` does in ten times the time."""
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[fresh]


def _sampled(text: str, salt: Salt) -> Iterator[NDArray[np.int64]]:
    """Yield the gram and the context at every STRIDE-th place, ``int64, (n, 2)``, one block of the text at a time."""
    count = len(text) - GRAM + 1
    for begin in range(0, count, _BLOCK):
        end = min(begin + _BLOCK, count)
        before = min(REACH, begin)
        codes = codes_of(text[begin - before : end + GRAM - 1 + REACH])
        starts = np.arange(before, before + end - begin, STRIDE, dtype=np.int64)
        yield np.column_stack([salt.grams(codes)[starts], context_bits(salt.bits(codes), starts)])


def short_lines(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each line of UNIT to RUN - 1 normalised characters, with where it begins and ends in ``text``.

    Longer ones are runs; a line number in front does not count.
    """
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if len(line) <= 200:
            number = LINE_NUMBER.match(line)
            for begin in {start, start + number.end()} if number else {start}:
                folded = folded_text(text[begin:end])
                if UNIT <= len(folded) < RUN:
                    yield folded, begin, end
        start = end + 1
