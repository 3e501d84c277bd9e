"""Embedders for measuring: one that remembers what another made, and a tiny one that needs no model."""

from __future__ import annotations

import fcntl
import hashlib
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText, QueryText
    from homeagent.memory.embed import Embedder

__all__ = ["HashedEmbedder", "RememberingEmbedder"]

_KEY_BYTES: Final = 16
_HASHED: Final = 64


class RememberingEmbedder:
    """An `Embedder` that asks another one once for each passage, so that product and baseline share the work.

    With a ``folder`` the vectors of passages outlive the run. Questions are always embedded anew: that time is part of
    what is measured.
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
    """A file of records, each a key and its vector (float32), that only grows; several processes may add to it."""

    def __init__(self, folder: Path, model: str, dimensions: int) -> None:
        if dimensions == 0:
            raise BenchError("A cache of vectors needs an embedder: leave out --cache or --embedder none")
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{model}.vectors"
        self._record = np.dtype([("key", f"V{_KEY_BYTES}"), ("vector", np.float32, (dimensions,))])

    def read(self) -> dict[bytes, NDArray[np.float32]]:
        """Return what is there."""
        with self._locked():
            records = np.fromfile(self._path, self._record)
        return {bytes(record["key"]): record["vector"] for record in records}

    def add(self, made: dict[bytes, NDArray[np.float32]]) -> None:
        """Append records."""
        records = np.empty(len(made), self._record)
        records["key"] = [np.void(key) for key in made]
        records["vector"] = list(made.values())
        with self._locked() as file:
            file.write(records.tobytes())

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """Give the file, opened at its end, with nobody else at it and no half record from a run that was killed."""
        with self._path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # let go of when the file is closed
            whole = self._path.stat().st_size // self._record.itemsize
            file.truncate(whole * self._record.itemsize)
            yield file


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


def _hashed(text: str) -> NDArray[np.float32]:
    total = np.full(_HASHED, 1e-3, np.float32)
    for word in text.lower().split() or [text]:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=_HASHED).digest()
        total += np.frombuffer(digest, np.uint8).astype(np.float32) - 127.5
    unit: NDArray[np.float32] = total / np.linalg.norm(total)
    return unit
