"""What tool output does to recall: the same dialogues and questions, kept by different strategies.

What is counted stands in `bench.noise_counts`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from bench.errors import BenchError
from bench.homes import home_folder, opened
from bench.noise_baseline import NoiseBaseline, cleaned_pieces
from bench.noise_counts import BASELINE, LEAK_CUT, Counts, Seen, count_line, pooled
from bench.noise_sets import read_noise_set
from bench.progress import Progress
from bench.toolnoise import POLICIES, STRATEGIES
from bench.turns import asked_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.data import NoiseLine
    from bench.options import Options
    from bench.toolnoise import NoiseSet
    from bench.vectors import RememberingEmbedder
    from homeagent.memory import Memory

__all__ = ["noise_report", "noise_table"]


def noise_report(options: Options, wanted: Sequence[str]) -> dict[str, object]:
    """Return the figures of every noise set by strategy."""
    known = (*STRATEGIES[:-1], BASELINE, STRATEGIES[-1])
    for name in wanted:
        if name not in known:
            raise BenchError(f"There is no strategy {name!r}: use {', '.join(known)}")
    embedder = options.new_embedder()
    counted: dict[str, dict[str, Counts]] = {}
    for name in options.sets.chosen(options.names, options.sets.noise):
        noise = read_noise_set(options.sets, name)
        strategies = [strategy for strategy in known if strategy in (wanted or known)]
        counted[name] = {strategy: _measured(options, noise, strategy, embedder) for strategy in strategies}
    sets = {name: {each: counts.figures() for each, counts in found.items()} for name, found in counted.items()}
    return {"sets": sets, "pooled": pooled(list(counted.values())), "model": embedder.model_id}


def noise_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    lines: list[str] = []
    sets = report["sets"]
    for name, strategies in sets.items() if isinstance(sets, dict) else ():
        lines.append(name)
        for strategy, figures in strategies.items():
            lines.append(f"  {strategy:<11}" + "  ".join(f"{key} {value}" for key, value in figures.items()))
    lines.append(f"all sets: {report['pooled']}")
    return "\n".join(lines)


def _measured(options: Options, noise: NoiseSet, strategy: str, embedder: RememberingEmbedder) -> Counts:
    if strategy == BASELINE:
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
        hits = memory.recall(question.text, viewer=viewer, at=at, limit=LEAK_CUT).hits
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
