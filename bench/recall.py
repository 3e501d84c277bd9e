"""Recall of the sets: every question asked of the product, and of the baseline, on the same turns.

A set is one home. Each conversation is a chat of its own there, a pool stands once in a shared one; who asks and what
he may see is explained in `bench.turns`. Rankings are `RANKED` hits deep, more than ten sessions in 99 % of questions.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from bench.baselines import baselines
from bench.dialogues import Dialogues
from bench.homes import home_folder, opened
from bench.metrics import Figures, figures, session_figures
from bench.progress import Progress
from bench.turns import asked_at, viewer_in
from homeagent.memory.compute import QueryText

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.data import Conversation, Question
    from bench.options import Options
    from bench.vectors import RememberingEmbedder
    from homeagent.memory import Memory

__all__ = ["RANKED", "Asked", "asked_all", "hit_name", "measure", "write_dump"]

RANKED: Final = 50
"""How many hits are asked for."""

_WARM_UP: Final = "warm up"


@dataclass(slots=True)
class Asked:
    """A question with what came back, and the figures of it; ``baseline`` is empty when that was not measured."""

    conversation: Conversation
    question: Question
    ranked: tuple[str, ...]
    answerable: float
    nothing: bool
    milliseconds: float
    turn: Figures
    session: Figures
    baseline: Figures = field(default_factory=dict)


def measure(options: Options, name: str, embedder: RememberingEmbedder, *, baseline: bool = True) -> list[Asked]:
    """Ask every question of a set that has an answer; return them in the order of the set."""
    dialogues = Dialogues(options.sets, name)
    with (
        home_folder(options.homes, name) as folder,
        opened(folder, embedder, dialogues.turns(), name) as memory,
    ):
        asked = list(asked_all(memory, dialogues))
    if baseline and embedder.dimensions:
        _add_baseline(asked, dialogues, embedder)
    return asked


def asked_all(memory: Memory, dialogues: Dialogues) -> Iterator[Asked]:
    """Yield every question that has an answer, asked."""
    memory.recall(_WARM_UP)  # loads the model and reads the home, which no later question has to
    every = [(each, question) for each in dialogues.conversations for question in each.queries]
    progress = Progress(f"{dialogues.name}, questions")
    for place, (conversation, question) in enumerate(every):
        if not question.adversarial:
            yield _asked(memory, conversation, question)
            progress.at(place, len(every))
    progress.done(f"{len(every):,} asked")


def hit_name(source: str, external_id: str, conversation: str) -> str:
    """Return the name of a hit in a ranking: its unit's id, with the source in front when it is of another one."""
    return external_id if source == conversation else f"{source}:{external_id}"


def write_dump(path: Path, asked: dict[str, list[Asked]]) -> None:
    """Write a line for each question with the ids that were found, best first, for an independent reader."""
    with path.open("wb") as file:
        for name, rows in asked.items():
            for row in rows:
                line = {
                    "set": name,
                    "conversation": row.conversation.id,
                    "question": row.question.id,
                    "category": row.question.cat,
                    "text": row.question.text,
                    "gold": row.question.gold,
                    "ranked": row.ranked,
                    "answerable": row.answerable,
                    "nothing": row.nothing,
                }
                file.write(msgspec.json.encode(line) + b"\n")


def _asked(memory: Memory, conversation: Conversation, question: Question) -> Asked:
    viewer = viewer_in(conversation.id, conversation.speakers)
    at = asked_at(unit.date for unit in conversation.units)
    started = time.perf_counter()
    recall = memory.recall(question.text, viewer=viewer, at=at, limit=RANKED)
    milliseconds = 1000 * (time.perf_counter() - started)
    ranked = tuple(hit_name(hit.source, hit.external_id, conversation.id) for hit in recall.hits)
    session_of = {unit.id: unit.session for unit in conversation.units}
    return Asked(
        conversation,
        question,
        ranked,
        recall.answerable,
        recall.nothing,
        milliseconds,
        figures(ranked, question.gold),
        session_figures(ranked, question.gold, session_of),
    )


def _add_baseline(asked: Sequence[Asked], dialogues: Dialogues, embedder: RememberingEmbedder) -> None:
    """Rank each question with the baseline too."""
    of_conversation: defaultdict[str, list[Asked]] = defaultdict(list)
    for row in asked:
        of_conversation[row.conversation.id].append(row)
    progress = Progress(f"{dialogues.name}, conversations by the baseline")
    for place, (conversation, baseline) in enumerate(baselines(dialogues, embedder)):
        for row in of_conversation[conversation]:
            text = row.question.text
            ranked = baseline.ranked(text, embedder.query(QueryText(text)), RANKED)
            row.baseline = figures(ranked, row.question.gold)
        progress.at(place, len(dialogues.conversations))
