"""The offline model at work: texts to vectors with ONNX Runtime. Imported on first use, it takes half a second.

A text's vector does not depend on its neighbours, bit for bit: texts share a batch only with texts of the same padded
length, a row's matrix products don't look at other rows (float32 activations, no scale common to a batch), and the
pooling adds token after token whatever the batch is.

One text is shared among the cores, so that a question is answered soon. Of many each core takes batches of its own:
sharing every matrix costs a fifth of the time, for the cores then wait for one another hundreds of times a text.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import numpy as np

from homeagent.errors import EmbedError
from homeagent.memory.embed.pieces import Pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

__all__ = ["Engine"]

_LENGTH_STEP: Final = 4
"""Lengths are padded to a multiple of this."""

_BATCH_TOKENS: Final = 256
"""Tokens in a batch, padding included: more is 3 % faster, but then a core may wait for another's last batch."""

_NICE: Final = 5
"""By how much the threads that embed many texts give way to others: nobody waits for a passage's vector."""

_SLOW_FUSIONS: Final = ("SkipLayerNormFusion",)
"""ONNX Runtime's fused addition and layer norm is not vectorised: an eighth of the time of a text of 40 tokens."""


class Engine:
    """A loaded model. Safe to call from several threads; not after a fork (ONNX Runtime's threads stay behind)."""

    def __init__(self, folder: Path, threads: int) -> None:
        try:
            self._pieces = Pieces(folder)
            self._words = np.load(folder / "words.npy", mmap_mode="r")
            self._positions = np.load(folder / "positions.npy")
        except (OSError, ValueError, KeyError) as error:
            raise _damaged(folder, error) from error
        self._together = _session(folder, threads)
        self._apart = _session(folder, 1) if threads > 1 else self._together
        self._cores = ThreadPoolExecutor(threads, "homeagent-vectors", _give_way)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return ``float32, (n, 384)``, each row L2-normalised, in the order of ``texts``."""
        tokens = [self._pieces.ids(text) for text in texts]
        found = np.empty((len(tokens), self._positions.shape[1]), np.float32)

        def fill(batch: tuple[list[int], int], session: InferenceSession) -> None:
            rows, length = batch
            found[rows] = self._batch([tokens[row] for row in rows], length, session)

        batches = list(_batches([len(ids) for ids in tokens]))
        if len(texts) == 1:
            fill(batches[0], self._together)
        else:
            list(self._cores.map(fill, batches, [self._apart] * len(batches)))
        return found

    def _batch(self, tokens: list[list[int]], length: int, session: InferenceSession) -> NDArray[np.float32]:
        ids = np.full((len(tokens), length), self._pieces.padding, np.int64)
        mask = np.zeros((len(tokens), length), np.int32)
        for row, own in enumerate(tokens):
            ids[row, : len(own)] = own
            mask[row, : len(own)] = 1
        states = session.run(["states"], {"tokens": self._embedded(ids), "mask": mask})[0]
        total = (states * mask[..., None].astype(np.float32)).sum(axis=1)
        unit: NDArray[np.float32] = total / np.linalg.norm(total, axis=1, keepdims=True)
        return unit

    def _embedded(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return word + position + type vectors, ``float32, (n, t, width)``."""
        blocks = self._words[ids]
        nibbles = blocks["nibbles"]
        weights = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).astype(np.float32) - np.float32(8)
        weights *= blocks["scale"].astype(np.float32)[..., None]
        words: NDArray[np.float32] = weights.reshape(*ids.shape, -1) + self._positions[: ids.shape[1]]
        return words


def _session(folder: Path, threads: int) -> InferenceSession:
    # Since 1.29 ONNX Runtime reports to Microsoft when it is imported, unless this is set before (its Privacy.md).
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as failures

    onnxruntime.disable_telemetry_events()  # other builds, and when somebody imported it before us
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # A daemon that waits for the next message must not keep a core busy waiting.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            folder / "encoder.onnx",
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=_SLOW_FUSIONS,
        )
    except (
        failures.Fail,
        failures.InvalidArgument,
        failures.InvalidGraph,
        failures.InvalidProtobuf,
        failures.NoSuchFile,
    ) as error:
        raise _damaged(folder, error) from error


def _give_way() -> None:
    """Let everything else on this machine go before the calling thread, where the system can tell threads apart."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)


def _damaged(folder: Path, error: Exception) -> EmbedError:
    return EmbedError(str(folder), f"the model files can't be loaded ({error})", "delete that folder; it is made again")


def _batches(lengths: list[int]) -> Iterator[tuple[list[int], int]]:
    """Yield the rows of each batch and their common padded length, long texts first: short ones fill the gaps."""
    by_length: dict[int, list[int]] = {}
    for row, length in enumerate(lengths):
        by_length.setdefault(-(-length // _LENGTH_STEP) * _LENGTH_STEP, []).append(row)
    for length, rows in sorted(by_length.items(), reverse=True):
        size = max(1, _BATCH_TOKENS // length)
        for start in range(0, len(rows), size):
            yield rows[start : start + size], length
