"""How long it takes to find out which of many names are one, to join them, and to take them apart again."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from homeagent.memory import Memory, Place, Segment, Turn
from homeagent.memory.distil.merging import Merges, live_merges, suggestions
from homeagent.memory.embed.none import NoEmbedder
from homeagent.memory.store.graph_records import EntityRef

if TYPE_CHECKING:
    from homeagent.memory.compute import ComputeText

__all__ = ["merging"]

ENTITIES: Final = 20_000
_IN_A_TURN: Final = 400
_SYLLABLES: Final = ("ba", "do", "ki", "lu", "me", "na", "po", "ri", "su", "ta", "vo", "we", "xa", "yi", "zo", "he")


def merging(entities: int = ENTITIES) -> dict[str, object]:
    """Return the figures for so many entities, two of them for each person: one with a title, one without.

    ``merge_seconds`` is the time to suggest the pairs, join all of them, look up who stands for each entity and who is
    one with it, and take every second merge back.
    """
    mentions = [(EntityRef("named", "", name.text.casefold(), name), 1) for name in _names(entities)]
    started = time.perf_counter()
    pairs = suggestions(mentions, Merges(()), entities)
    events: list[tuple[int, dict[str, object]]] = [
        (number, {"into": each.into, "other": each.other}) for number, each in enumerate(pairs)
    ]
    joined = live_merges(events)
    roots = {ref.entity: joined.root(ref.entity) for ref, _ in mentions}
    largest = max(len(joined.members(entity)) for entity in roots)
    taken_back: list[tuple[int, dict[str, object]]] = [(len(pairs) + n, {"merge": n}) for n in range(0, len(pairs), 2)]
    apart = live_merges([*events, *taken_back])
    left = len({apart.root(entity) for entity in roots})
    seconds = time.perf_counter() - started
    return {
        "entities": len(roots),
        "suggested": len(pairs),
        "joined_to": len(set(roots.values())),
        "largest": largest,
        "after_taking_back": left,
        "merge_seconds": round(seconds, 3),
    }


def _names(entities: int) -> list[ComputeText]:
    """Return names as compute text: kept in a home, because the door makes the only ones."""
    people = [f"{_word(n)} {_word(n * 7 + 11)}" for n in range(entities // 2)]
    names = [name for person in people for name in (person.title(), f"Dr. {person.title()}")]
    found: list[ComputeText] = []
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "home", embedder=NoEmbedder()) as memory:
        for at in range(0, len(names), _IN_A_TURN):
            some = names[at : at + _IN_A_TURN]
            turn = memory.keep(Turn(Place("bench", "names"), "me", (Segment("user", "\n".join(some)),)))
            text = memory.computed(turn)[0].text
            start = 0
            for name in some:
                found.append(text.slice(start, start + len(name)))
                start += len(name) + 1
    return found


def _word(number: int) -> str:
    """Return a word of four syllables that no other number below 65,536 has."""
    return "".join(_SYLLABLES[(number >> shift) % 16] for shift in (0, 4, 8, 12))
