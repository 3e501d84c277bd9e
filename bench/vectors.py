"""Embedders for measuring: one that remembers what another made, and a tiny one that needs no model."""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText, QueryText
    from homeagent.memory.embed import Embedder

__all__ = ["HashedEmbedder", "RememberingEmbedder"]

_KEY_BYTES: Final = 16
_HASHED: Final = 64


class RememberingEmbedder:
    """An `Embedder` that asks another one once for each passage, so that product and baseline share the work.

    With a ``folder`` the vectors of passages outlive the run (float32, the vector before its key, so a killed run
    leaves nothing wrong). Questions are always embedded anew: that time is part of what is measured.
    """

    def __init__(self, inner: Embedder, folder: Path | None = None) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self._vectors: dict[bytes, NDArray[np.float32]] = {}
        self._file = None if folder is None else _VectorFile(folder, inner.model_id, inner.dimensions)
        if self._file is not None:
            self._vectors.update(self._file.read())

    @property
    def model_id(self) -> str:
        """The other one's."""
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        """The other one's."""
        return self._inner.dimensions

    def passages(self, texts: Sequence[ComputeText]) -> NDArray[np.float32]:
        """Return ``float32, (n, dimensions)``, each row L2-normalised."""
        keys = [_key(text.text) for text in texts]
        with self._lock:
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
            if missing:
                made = dict(zip(missing, self._inner.passages(list(missing.values())), strict=True))
                self._vectors.update(made)
                if self._file is not None:
                    self._file.add(made)
            rows = [self._vectors[key] for key in keys]
        return np.stack(rows) if rows else np.empty((0, self.dimensions), np.float32)

    def query(self, text: QueryText) -> NDArray[np.float32]:
        """Return ``float32, (dimensions,)``, L2-normalised, made anew."""
        return self._inner.query(text)


class HashedEmbedder:
    """An `Embedder` without a model: the sum of a fixed pseudo-random vector for each word. Deterministic and fast."""

    model_id: Final = "bench-hashed-64"
    dimensions: Final = _HASHED

    def passages(self, texts: Sequence[ComputeText]) -> NDArray[np.float32]:
        """Return ``float32, (n, 64)``, each row L2-normalised."""
        return np.stack([_hashed(text.text) for text in texts]) if texts else np.empty((0, _HASHED), np.float32)

    def query(self, text: QueryText) -> NDArray[np.float32]:
        """Return ``float32, (64,)``, L2-normalised."""
        return _hashed(text.text)


class _VectorFile:
    """Vectors by key in two files that only grow."""

    def __init__(self, folder: Path, model: str, dimensions: int) -> None:
        if dimensions == 0:
            raise BenchError("A cache of vectors needs an embedder: leave out --cache or --embedder none")
        folder.mkdir(parents=True, exist_ok=True)
        self._keys = folder / f"{model}.keys"
        self._rows = folder / f"{model}.float32"
        self._dimensions = dimensions
        self._cut_to_whole_rows()

    def read(self) -> dict[bytes, NDArray[np.float32]]:
        keys = self._keys.read_bytes()
        rows = np.fromfile(self._rows, np.float32).reshape(-1, self._dimensions)
        return {keys[at * _KEY_BYTES : (at + 1) * _KEY_BYTES]: row for at, row in enumerate(rows)}

    def add(self, made: dict[bytes, NDArray[np.float32]]) -> None:
        with self._rows.open("ab") as rows, self._keys.open("ab") as keys:
            rows.write(np.stack(list(made.values())).astype(np.float32).tobytes())
            rows.flush()
            keys.write(b"".join(made))

    def _cut_to_whole_rows(self) -> None:
        width = self._dimensions * 4
        with self._rows.open("ab") as rows, self._keys.open("ab") as keys:
            count = min(rows.tell() // width, keys.tell() // _KEY_BYTES)
            rows.truncate(count * width)
            keys.truncate(count * _KEY_BYTES)


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


def _hashed(text: str) -> NDArray[np.float32]:
    total = np.full(_HASHED, 1e-3, np.float32)
    for word in text.lower().split() or [text]:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=_HASHED).digest()
        total += np.frombuffer(digest, np.uint8).astype(np.float32) - 127.5
    unit: NDArray[np.float32] = total / np.linalg.norm(total)
    return unit
