"""Which turns of a chat belong to one matter: gaps in time, then shifts of topic (TextTiling, Hearst 1997)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from homeagent.memory.documents.topics import likeness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from homeagent.memory.documents.topics import Topic

__all__ = ["LARGEST", "SMALLEST", "continues", "grouped"]

SMALLEST: Final = 3
"""A document has at least so many turns, where the chat has them within a week."""
LARGEST: Final = 30
"""A document has at most so many turns."""

_HOUR: Final = 3_600_000_000
_SITTING: Final = 6 * _HOUR
"""After so long a pause another sitting begins."""
_PAUSE: Final = 45 * 60 * 1_000_000
"""After so long a pause a new matter is likely where the words differ too."""
_WEEK: Final = 7 * 24 * _HOUR
_WINDOW: Final = 3
_ALIKE: Final = 0.12
"""Likeness from which two stretches are taken for one matter; unrelated talk has about 0."""
_STRANGE: Final = 0.02


def grouped(topics: Sequence[Topic]) -> list[list[Topic]]:
    """Return the turns of one chat, given in order of time, in groups of one matter each, in order.

    Deterministic: the same turns in the same order give the same groups.
    """
    if not topics:
        return []
    centre = _centre(topics)
    parts: list[list[Topic]] = []
    for sitting in _sittings(topics):
        for part in _by_topic(sitting, centre):
            if parts and _joins(parts[-1], part, centre):
                parts[-1].extend(part)
            else:
                parts.append(list(part))
    return [piece for part in parts for piece in _bounded(part, centre)]


def continues(last: Sequence[Topic], new: Sequence[Topic]) -> bool:
    """Whether a group of new turns goes on with the matter of a chat's last document."""
    if not last or not new or len(last) + len(new) > LARGEST:
        return False
    pause = _pause(last[-1], new[0])
    alike = likeness(last[-_WINDOW:], new[:_WINDOW], _centre([*last, *new]))
    if len(last) < SMALLEST or len(new) < SMALLEST:
        return pause < _SITTING or (pause < _WEEK and (alike >= _ALIKE or len(last) < SMALLEST))
    return pause < _PAUSE and alike >= _STRANGE


def _centre(topics: Sequence[Topic]) -> NDArray[np.float32] | None:
    """Return the mean of the vectors; sentence vectors lie in a narrow cone, so likeness is measured from there."""
    vectors = [topic.vector for topic in topics if topic.vector is not None]
    return np.mean(vectors, axis=0, dtype=np.float32) if len(vectors) > _WINDOW else None


def _pause(one: Topic, other: Topic) -> int:
    return 0 if one.moment is None or other.moment is None else max(0, other.moment - one.moment)


def _sittings(topics: Sequence[Topic]) -> list[list[Topic]]:
    sittings = [[topics[0]]]
    for before, topic in pairwise(topics):
        if _pause(before, topic) >= _SITTING:
            sittings.append([])
        sittings[-1].append(topic)
    return sittings


def _by_topic(sitting: Sequence[Topic], centre: NDArray[np.float32] | None) -> list[Sequence[Topic]]:
    """Cut a sitting where its matter changes, the deepest valley of likeness first, no piece under `SMALLEST`."""
    if len(sitting) < 2 * SMALLEST:
        return [sitting]
    alike = [_alike_at(sitting, at, centre) for at in range(1, len(sitting))]
    depths = [_depth(alike, at) for at in range(len(alike))]
    least = float(np.mean(depths) + 0.5 * np.std(depths))
    cuts: list[int] = []
    for at in sorted(range(len(depths)), key=lambda at: (-depths[at], at)):
        paused = _pause(sitting[at], sitting[at + 1]) >= _PAUSE
        if depths[at] <= (least / 2 if paused else least) or alike[at] >= 2 * _ALIKE:
            continue
        if all(abs(at + 1 - other) >= SMALLEST for other in (0, len(sitting), *cuts)):
            cuts.append(at + 1)
    edges = [0, *sorted(cuts), len(sitting)]
    return [sitting[start:end] for start, end in pairwise(edges)]


def _alike_at(topics: Sequence[Topic], at: int, centre: NDArray[np.float32] | None) -> float:
    return likeness(topics[max(0, at - _WINDOW) : at], topics[at : at + _WINDOW], centre)


def _depth(alike: Sequence[float], at: int) -> float:
    """Return how deep the valley at a gap is, from the hills on both sides."""
    left = right = alike[at]
    for value in reversed(alike[:at]):
        if value < left:
            break
        left = value
    for value in alike[at + 1 :]:
        if value < right:
            break
        right = value
    return left + right - 2 * alike[at]


def _joins(before: Sequence[Topic], part: Sequence[Topic], centre: NDArray[np.float32] | None) -> bool:
    """Whether a piece too small to stand alone goes to the one before it."""
    if min(len(before), len(part)) >= SMALLEST or len(before) + len(part) > LARGEST:
        return False
    if _pause(before[-1], part[0]) > _WEEK:
        return False
    return len(before) < SMALLEST or likeness(before[-_WINDOW:], part[:_WINDOW], centre) >= _ALIKE


def _bounded(part: Sequence[Topic], centre: NDArray[np.float32] | None) -> list[list[Topic]]:
    """Cut a piece that is too large where it hangs together least, not near its ends."""
    if len(part) <= LARGEST:
        return [list(part)]
    inner = range(LARGEST // 3, min(LARGEST, len(part) - SMALLEST) + 1)
    at = min(inner, key=lambda at: (_alike_at(part, at, centre), at))
    return [list(part[:at]), *_bounded(part[at:], centre)]
