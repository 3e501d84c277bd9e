"""Counting what the strategies against noise find and leak.

Counted are pairs of a question and a gold turn that is ``plain``, ``attached`` or ``tool_only``; a pair is hit when
that turn is among the first five. ``leak@10`` counts pairs with a ``no_memory_fact`` turn: the fact's words stand in
the text of one of the first ten hits, of its neighbours, or anywhere in the compute text of those ten turns.
``facts_computed`` is the share of those facts that stand anywhere in the compute text a question may see.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bench.bootstrap import paired_gain
from bench.toolnoise import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.data import Event, NoiseLine

__all__ = ["BASELINE", "LEAK_CUT", "OURS", "Counts", "Seen", "count_line", "pooled"]

BASELINE: Final = "baseline"
"""The strategy that the bench ranks itself."""

OURS: Final = "ours"
"""The strategy of the product."""

LEAK_CUT: Final = 10
"""Among so many first hits a leak is looked for."""

_HIT_CUT: Final = 5
_SHORTEST_FACT: Final = 8
_COUNTED: Final = ("plain", "attached", "tool_only")


@dataclass(frozen=True, slots=True)
class Seen:
    """The answer to one question: the ids of the turns, best first, and what text came with each of the first ten."""

    ranked: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(slots=True)
class Counts:
    """Pairs by group, how many of them were hit, and what leaked.

    ``outcomes`` holds 1 or 0 for each counted pair, in the order of the set, the same under every strategy.
    """

    pairs: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    hits: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    outcomes: list[float] = field(default_factory=list)
    characters: int = 0

    def figures(self) -> dict[str, float | int | None]:
        """Return the figures in per cent, and the characters that are computed."""
        return {
            "all@5": self._share(*_COUNTED),
            "plain@5": self._share("plain"),
            "attached@5": self._share("attached"),
            "tool_only@5": self._share("tool_only"),
            "leak@10": self._share("leak"),
            "facts_computed": self._share("facts"),
            "pairs": sum(self.pairs[group] for group in _COUNTED),
            "hidden_pairs": self.pairs["leak"],
            "characters": self.characters,
        }

    def _share(self, *groups: str) -> float | None:
        pairs = sum(self.pairs[group] for group in groups)
        return round(100 * sum(self.hits[group] for group in groups) / pairs, 2) if pairs else None


def count_line(counts: Counts, line: NoiseLine, answers: Sequence[Seen], computed: str) -> None:
    """Count the pairs of one line; ``computed`` is all compute text that its questions may see."""
    event_of = {event.id: event for event in line.events}
    for question, seen in zip(line.queries, answers, strict=True):
        for gold in question.gold:
            if gold in event_of:
                _count_pair(counts, event_of[gold], seen)
    for event in line.events:
        if event.group == "no_memory_fact":
            counts.pairs["facts"] += 1
            counts.hits["facts"] += _holds(computed, event.fact)


def _count_pair(counts: Counts, event: Event, seen: Seen) -> None:
    if event.group in _COUNTED:
        hit = event.id in seen.ranked[:_HIT_CUT]
        counts.pairs[event.group] += 1
        counts.hits[event.group] += hit
        counts.outcomes.append(float(hit))
    elif event.group == "no_memory_fact":
        counts.pairs["leak"] += 1
        counts.hits["leak"] += any(_holds(text, event.fact) for text in seen.texts[:LEAK_CUT])


def _holds(text: str, fact: str) -> bool:
    """Whether a text says the fact: its words without the speaker, or the whole of it where those are very few."""
    words = words_of(fact)
    return (words if len(words) >= _SHORTEST_FACT else " ".join(fact.split())) in " ".join(text.split())


def pooled(sets: Sequence[Mapping[str, Counts]]) -> dict[str, object]:
    """Return all@5 over the pairs of all sets, and what ours gains over ceiling and baseline (95 % interval, mean).

    Every mapping has the same strategies; one that could not be measured is left out.
    """
    if not sets:
        return {}
    outcomes = {name: [hit for found in sets for hit in found[name].outcomes] for name in sets[0]}
    report: dict[str, object] = {
        "all@5": {name: round(100 * sum(hits) / len(hits), 2) for name, hits in outcomes.items() if hits}
    }
    for other in ("none", BASELINE):
        if outcomes.get(OURS) and outcomes.get(other):
            gain = paired_gain(outcomes[OURS], outcomes[other])
            report[f"{OURS} - {other}"] = [round(100 * value, 2) for value in gain]
    return report
