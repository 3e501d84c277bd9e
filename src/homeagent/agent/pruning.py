"""Which turns stay in view when not all fit: those to the point, open questions, the recent, and not twice the same.

The newest always stay. What leaves is archived and can be recalled. Compared are the words that people and the
assistant said; a tool's output speaks neither for nor against a turn.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from homeagent.agent.recalling import asks
from homeagent.agent.rendering import NO_ANSWER, unmarked
from homeagent.agent.words import telling_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from homeagent.agent.context import View

__all__ = ["Present", "staying"]

_NEWEST: Final = 4
_SHARE_OF_NEWEST: Final = 0.5
"""The newest turns are protected: so many, as far as they take no more than this share of the room."""
_RECENT: Final = 0.3
_OPEN: Final = 0.25
_ALIKE: Final = 0.5
_RECALLED: Final = 0.6
_LATELY: Final = 2
_FOLLOWED: Final = 0.5
"""What the last turns were about counts half as much as the present words: "and when?" follows them."""
_READ: Final = 4_000
_MARKS: Final = 24


@dataclass(frozen=True, slots=True)
class Present:
    """What turns are weighed against: the words that came in, and the turns that recall found for them, best first.

    ``wanted`` are turns that stay before any other: those that were just brought back.
    """

    text: str = ""
    recalled: Sequence[str] = ()
    wanted: Collection[str] = ()


class _Marks(NamedTuple):
    words: frozenset[str]
    weight: float


def staying(views: Sequence[View], room: int, present: Present) -> set[int]:
    """Return which of ``views``, oldest first, stay in ``room`` tokens, as their places."""
    kept = sorted(_protected(views, room, present))
    left = room - sum(views[place].tokens for place in kept)
    words = [_words(view) for view in views]
    weight = _weights([*words, telling_words(present.text)])
    marks = [_marks(each, weight) for each in words]
    scores = _scores([place for place in range(len(views)) if place not in kept], views, words, weight, present)
    # By value, the best first. A value only falls, by what was kept since it was worked out; so it is worked out again
    # when its turn comes, and not for all others each time.
    waiting = [(-score, -place, 0, 0.0) for place, score in scores.items()]
    heapq.heapify(waiting)
    while waiting and left > 0:
        _, other, seen, alike = heapq.heappop(waiting)
        place = -other
        if seen < len(kept):
            alike = max(alike, *(_alike(marks[place], marks[each], weight) for each in kept[seen:]))
            heapq.heappush(waiting, (_ALIKE * alike - scores[place], -place, len(kept), alike))
        elif views[place].tokens <= left:
            kept.append(place)
            left -= views[place].tokens
    return set(kept)


def _protected(views: Sequence[View], room: int, present: Present) -> set[int]:
    """Return the turns that stay whatever they say: those just brought back, as far as they fit, and the newest."""
    kept: set[int] = set()
    newest = range(len(views) - 1, max(-1, len(views) - 1 - _NEWEST), -1)
    left = room
    for place in (each for each, view in enumerate(views) if view.turn in present.wanted):
        if views[place].tokens <= left:
            kept.add(place)
            left -= views[place].tokens
    for number, place in enumerate(newest):
        taken = room - left + views[place].tokens
        if place in kept or taken > room or (number and taken > room * _SHARE_OF_NEWEST):
            continue
        kept.add(place)
        left -= views[place].tokens
    return kept


def _scores(
    places: Iterable[int],
    views: Sequence[View],
    words: Sequence[set[str]],
    weight: Mapping[str, float],
    present: Present,
) -> dict[int, float]:
    """Return what speaks for each of these turns: to the point, recalled, recent, a question that is open."""
    asked, lately = telling_words(present.text), set().union(*words[-_LATELY:])
    scores: dict[int, float] = {}
    for place in places:
        followed = _shared(lately, words[place], weight) if place < len(views) - _LATELY else 0.0
        point = max(_shared(asked, words[place], weight), _FOLLOWED * followed, _recalled(views[place], present))
        scores[place] = point + _RECENT * place / max(1, len(views) - 1) + _OPEN * _is_open(views, place)
    return scores


def _recalled(view: View, present: Present) -> float:
    """Return what it counts that recall found a turn, the more the better it fits."""
    found = present.recalled
    return (
        _RECALLED * (1 - found.index(view.turn) / len(found)) if view.turn is not None and view.turn in found else 0.0
    )


def _is_open(views: Sequence[View], place: int) -> bool:
    """Whether a turn asks for something that is still to come: an answer to the person, or the person's to it."""
    said = [message for message in views[place].messages if message.role in ("user", "assistant")]
    if not said:
        return False
    last = said[-1].text.rstrip()
    if last == NO_ANSWER:
        return asks(unmarked(said[0]).text)
    if not last.endswith(("?", "？")):
        return False
    follows = views[place + 1].messages if place + 1 < len(views) else ()
    return not follows or asks(unmarked(follows[0]).text)


def _words(view: View) -> set[str]:
    said = [unmarked(message).text for message in view.messages if message.role in ("user", "assistant")]
    return telling_words("\n".join(said)[:_READ])


def _weights(texts: Sequence[set[str]]) -> dict[str, float]:
    """Return how much each word tells: little when most turns have it."""
    counts = Counter(word for words in texts for word in words)
    return {word: math.log(1 + len(texts) / count) - math.log(2) + 0.01 for word, count in counts.items()}


def _shared(asked: set[str], words: set[str], weight: Mapping[str, float]) -> float:
    """Return which part of what is asked, by weight, a turn speaks of, 0 to 1."""
    total = sum(weight[word] for word in asked)
    return sum(weight[word] for word in asked & words) / total if total else 0.0


def _marks(words: set[str], weight: Mapping[str, float]) -> _Marks:
    """Return the words of a turn that tell most, by which it is compared with others."""
    most = frozenset(sorted(words, key=lambda word: (-weight[word], word))[:_MARKS])
    return _Marks(most, sum(weight[word] for word in most))


def _alike(one: _Marks, other: _Marks, weight: Mapping[str, float]) -> float:
    """Return how alike two turns are, 0 to 1: the weight of the marks they share, of that of both."""
    shared = sum(weight[word] for word in one.words & other.words)
    return shared / (one.weight + other.weight - shared) if shared else 0.0
