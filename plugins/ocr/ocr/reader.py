"""RapidOCR with the models that its package holds: loaded when the first picture is read, one picture at a time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from PIL.Image import Image
    from rapidocr import RapidOCR

__all__ = ["Line", "Reader"]

_THREADS: Final = 2


class Line(NamedTuple):
    """A line of text: what it says, how sure the reader is (0 to 1), its left, top, right and bottom in pixels."""

    text: str
    score: float
    box: tuple[int, int, int, int]


class Reader:
    """Reads pictures."""

    def __init__(self) -> None:
        self._engine: RapidOCR | None = None
        self._lock = threading.Lock()  # the models take some hundred MB; two at once would take twice as much

    def read(self, picture: Image, least_score: float) -> list[Line]:
        """Return the lines in a picture, from top to bottom."""
        import numpy as np

        pixels = np.asarray(picture)[:, :, ::-1]  # it wants blue first
        with self._lock:
            if self._engine is None:
                self._engine = _engine()
            found = self._engine(np.ascontiguousarray(pixels), text_score=least_score)
        texts, scores, boxes = found.txts or (), found.scores or (), found.boxes
        lines = []
        for text, score, box in zip(texts, scores, boxes if boxes is not None else (), strict=True):
            across, down = [round(float(x)) for x, _ in box], [round(float(y)) for _, y in box]
            lines.append(Line(text, round(float(score), 3), (min(across), min(down), max(across), max(down))))
        return lines


def _engine() -> RapidOCR:
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.log_level": "warning",
            "EngineConfig.onnxruntime.intra_op_num_threads": _THREADS,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
