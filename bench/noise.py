"""What tool output does to recall: the same dialogues and questions, kept by different strategies.

Counted are pairs of a question and a gold turn that is ``plain``, ``attached`` or ``tool_only``; a pair is hit when
that turn is among the first five. ``leak@10`` counts pairs with a ``no_memory_fact`` turn: the fact's words stand in
the text of one of the first ten hits, of its neighbours, or anywhere in the compute text of those ten turns.
``facts_computed`` is the share of those facts that stand anywhere in the compute text a question may see.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bench.errors import BenchError
from bench.homes import home_folder, opened
from bench.noise_baseline import NoiseBaseline, cleaned_pieces
from bench.noise_sets import read_noise_set
from bench.progress import Progress
from bench.toolnoise import POLICIES, STRATEGIES, words_of
from bench.turns import asked_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.data import Event, NoiseLine
    from bench.options import Options
    from bench.toolnoise import NoiseSet
    from bench.vectors import RememberingEmbedder
    from homeagent.memory import Memory

__all__ = ["Counts", "Seen", "count_line", "noise_report", "noise_table"]

_HIT_CUT: Final = 5
_LEAK_CUT: Final = 10
_BASELINE: Final = "baseline"
_SHORTEST_FACT: Final = 8
_COUNTED: Final = ("plain", "attached", "tool_only")


@dataclass(frozen=True, slots=True)
class Seen:
    """The answer to one question: the ids of the turns, best first, and what text came with each of the first ten."""

    ranked: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(slots=True)
class Counts:
    """Pairs by group, how many of them were hit, and what leaked."""

    pairs: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    hits: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
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


def noise_report(options: Options, wanted: Sequence[str]) -> dict[str, object]:
    """Return the figures of every noise set by strategy."""
    known = (*STRATEGIES[:-1], _BASELINE, STRATEGIES[-1])
    for name in wanted:
        if name not in known:
            raise BenchError(f"There is no strategy {name!r}: use {', '.join(known)}")
    embedder = options.new_embedder()
    report: dict[str, object] = {}
    for name in options.sets.chosen(options.names, options.sets.noise):
        noise = read_noise_set(options.sets, name)
        figures = {
            strategy: _measured(options, noise, strategy, embedder).figures()
            for strategy in known
            if strategy in (wanted or known)
        }
        report[name] = figures
    return {"sets": report, "model": embedder.model_id}


def noise_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    lines: list[str] = []
    sets = report["sets"]
    for name, strategies in sets.items() if isinstance(sets, dict) else ():
        lines.append(name)
        for strategy, figures in strategies.items():
            lines.append(f"  {strategy:<11}" + "  ".join(f"{key} {value}" for key, value in figures.items()))
    return "\n".join(lines)


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
        counts.pairs[event.group] += 1
        counts.hits[event.group] += event.id in seen.ranked[:_HIT_CUT]
    elif event.group == "no_memory_fact":
        counts.pairs["leak"] += 1
        counts.hits["leak"] += any(_holds(text, event.fact) for text in seen.texts[:_LEAK_CUT])


def _holds(text: str, fact: str) -> bool:
    """Whether a text says the fact: its words without the speaker, or the whole of it where those are very few."""
    words = words_of(fact)
    return (words if len(words) >= _SHORTEST_FACT else " ".join(fact.split())) in " ".join(text.split())


def _measured(options: Options, noise: NoiseSet, strategy: str, embedder: RememberingEmbedder) -> Counts:
    if strategy == _BASELINE:
        return _baseline(noise, embedder)
    kept = next(each for each in STRATEGIES if each == strategy)
    what = f"{noise.name}, {strategy}"
    counts = Counts()
    with (
        home_folder(options.homes, f"{noise.name}-{strategy}") as folder,
        opened(folder, embedder, noise.turns(kept), what, policies=POLICIES) as memory,
    ):
        texts = _Texts(memory)
        counts.characters = texts.characters
        progress = Progress(f"{what}, questions")
        for place, line in enumerate(noise.lines):
            answers = list(_answers(memory, noise, line, texts))
            count_line(counts, line, answers, texts.of_sources(noise.visible(line)))
            progress.at(place, len(noise.lines))
    return counts


def _answers(memory: Memory, noise: NoiseSet, line: NoiseLine, texts: _Texts) -> Iterator[Seen]:
    viewer = noise.viewer(line)
    at = asked_at(event.date for event in line.events)
    for question in line.queries:
        hits = memory.recall(question.text, viewer=viewer, at=at, limit=_LEAK_CUT).hits
        yield Seen(
            tuple(hit.external_id if hit.source == line.conv else f"{hit.source}/{hit.external_id}" for hit in hits),
            tuple(
                "\n".join([hit.text, *(each.text for each in hit.neighbours), texts.of_turn(hit.turn)]) for hit in hits
            ),
        )


class _Texts:
    """The compute text of a home, by turn and by source."""

    def __init__(self, memory: Memory) -> None:
        rows = {row.seq: row for row in memory.turns()}
        self._of_turn: defaultdict[str, list[str]] = defaultdict(list)
        self._of_source: defaultdict[str, list[str]] = defaultdict(list)
        self.characters = 0
        for computed in memory.all_computed():
            row = rows[computed.turn]
            self._of_turn[row.turn_id].append(computed.text.text)
            self._of_source[row.source].append(computed.text.text)
            self.characters += len(computed.text)

    def of_turn(self, turn: str) -> str:
        return "\n".join(self._of_turn[turn])

    def of_sources(self, sources: Sequence[str]) -> str:
        return "\n".join(text for source in sources for text in self._of_source[source])


def _baseline(noise: NoiseSet, embedder: RememberingEmbedder) -> Counts:
    counts = Counts()
    if not embedder.dimensions:
        return counts
    pieces = cleaned_pieces(noise)
    counts.characters = sum(len(piece.text) for piece in pieces)
    baseline = NoiseBaseline(noise, pieces, embedder)
    progress = Progress(f"{noise.name}, baseline questions")
    for place, line in enumerate(noise.lines):
        computed = baseline.computed(line)
        answers = [Seen(tuple(names), tuple(computed[name] for name in names)) for names in baseline.ranked(line)]
        count_line(counts, line, answers, "\n".join(computed.values()))
        progress.at(place, len(noise.lines))
    return counts
