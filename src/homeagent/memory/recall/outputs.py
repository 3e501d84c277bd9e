"""What is known about the candidates that tools put out, which are weighed by themselves and not by their turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from homeagent.memory.recall.score import Outputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.store.records import PassageSize

__all__ = ["outputs_of"]

_FIGURE: Final = 4
"""Digits of a number up to which any page of figures may hold it; a longer one is an identifier."""


def outputs_of(sizes: Sequence[PassageSize], about: Sequence[float], symbols: Iterable[str]) -> Outputs:
    """Return it for these passages. ``about``: how far each is about whom the question is about, see `quoted_speaks`.

    ``symbols`` are those of the question.
    """
    there = np.array([size.output for size in sizes], np.bool_)
    cues = [size.cues for size in sizes]
    return Outputs(
        there=there,
        speaker=np.where(there, np.array(about, np.float32), np.float32(0)),
        words=np.array([size.words for size in sizes], np.float32),
        asks=np.array([each.asks for each in cues], np.bool_),
        first_person=np.array([each.first_person for each in cues], np.bool_),
        time=np.array([each.time for each in cues], np.bool_),
        number=np.array([each.number for each in cues], np.bool_),
        figures=all(term.isdigit() and len(term) <= _FIGURE for term in symbols),
    )
