"""Facts against a labelled set of our own: 200 sentences, Chinese and English, names that are in no test.

Half of it, ``dev``, is for looking at; the other, ``held``, was written at the same time and is only counted. A fact is
right when subject, relation, value and mode (stated, denied, past) are all as labelled; values are compared folded and
without articles. The subject ``me`` is the speaker, ``me.daughter`` his daughter, ``me.bike`` his bike.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.errors import BenchError
from bench.merging import merging
from homeagent.memory import Memory, Place, Segment, Turn
from homeagent.memory.distil.facts import spoken
from homeagent.memory.distil.keys import value_key
from homeagent.memory.embed.none import NoEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.distil.parts import Draft, Party

__all__ = ["FOLDER", "Claim", "Labelled", "claims", "measured", "read_labels", "report", "show", "table"]

FOLDER: Final = Path(__file__).with_name("facts")
HALVES: Final = ("dev", "held")

Claim = tuple[str, str, str, str]
"""Subject, relation, value, mode (``stated``, ``neg``, ``past`` or ``planned``), folded."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence and what it claims."""

    name: str
    language: str
    text: str
    claims: frozenset[Claim]


def read_labels(path: Path) -> list[Labelled]:
    """Return the sentences of a file. Raises `BenchError` when it is not there or a line is no label."""
    try:
        lines = path.read_text("utf-8").splitlines()
        return [_labelled(json.loads(line)) for line in lines if line.strip()]
    except (OSError, ValueError, KeyError) as error:
        raise BenchError(f"{path} holds no labelled sentences: {error!r}") from error


def claims(texts: Sequence[str]) -> list[frozenset[Claim]]:
    """Return what the rules find in each of these sentences, kept as turns of a home of their own."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "home", embedder=NoEmbedder()) as memory:
        turns = memory.keep_all([Turn(Place("bench", "facts"), "me", (Segment("user", text),)) for text in texts])
        rows = [memory.computed(turn)[0].text for turn in turns]
    return [frozenset(_claim(each.draft, row.text) for each in spoken(row, owner=True)) for row in rows]


def measured(sentences: Sequence[Labelled]) -> dict[str, object]:
    """Return precision, recall and F1, 0 to 1, over all, by language and by relation, with the counts behind them."""
    pairs = list(zip(sentences, claims([each.text for each in sentences]), strict=True))
    relations = sorted({claim[1] for each, got in pairs for claim in (*each.claims, *got)})
    return {
        "sentences": len(sentences),
        "all": _scores(pairs),
        "by_language": {
            language: _scores([pair for pair in pairs if pair[0].language == language])
            for language in sorted({each.language for each in sentences})
        },
        "nothing_said": _silence(pairs),
        "by_relation": {relation: _scores(pairs, relation) for relation in relations},
    }


def report() -> dict[str, object]:
    """Return the figures of both halves, and how long merging takes."""
    sets = {half: measured(read_labels(FOLDER / f"{half}.jsonl")) for half in HALVES}
    return {"sets": sets, "merging": merging()}


def table(figures: dict[str, object]) -> str:
    """Return the figures of both halves as lines."""
    sets = figures["sets"]
    lines: list[str] = []
    for half, each in sets.items() if isinstance(sets, dict) else ():
        for name, scores in {"all": each["all"], **each["by_language"], **each["by_relation"]}.items():
            shown = " ".join(f"{scores[key]:>6.3f}" for key in ("precision", "recall", "f1"))
            lines.append(
                f"{half:<5} {name:<14} {shown} {scores['right']:>4} {scores['found']:>4} {scores['wanted']:>4}"
            )
    merged = figures.get("merging")
    if isinstance(merged, dict):
        lines.append(f"merging {merged['entities']} entities: {merged['merge_seconds']} s")
    return "\n".join(lines)


def _labelled(row: dict[str, object]) -> Labelled:
    facts = row["facts"]
    if not isinstance(facts, list):
        raise ValueError("facts is no list")
    wanted = frozenset(
        (_folded(each["subject"]), str(each["relation"]), value_key(each["object"]), str(each.get("mode", "stated")))
        for each in facts
    )
    return Labelled(str(row["id"]), str(row["lang"]), str(row["text"]), wanted)


def _claim(draft: Draft, text: str) -> Claim:
    mode = "neg" if draft.negative else draft.mode
    return _folded(_named(draft.subject)), draft.relation, value_key(text[draft.start : draft.end]), mode


def _named(party: Party) -> str:
    if party.kind == "me":
        return "me"
    if party.anchor is not None:
        return f"{_named(party.anchor)}.{party.key}"
    return party.key


def _folded(subject: str) -> str:
    return ".".join(value_key(part) for part in subject.split("."))


def _scores(pairs: Iterable[tuple[Labelled, frozenset[Claim]]], relation: str | None = None) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for each, got in pairs:
        wanted = {claim for claim in each.claims if relation in (None, claim[1])}
        found = {claim for claim in got if relation in (None, claim[1])}
        counts.update(right=len(wanted & found), wanted=len(wanted), found=len(found))
    precision = counts["right"] / counts["found"] if counts["found"] else 0.0
    recall = counts["right"] / counts["wanted"] if counts["wanted"] else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {
        "precision": round(precision, 3), "recall": round(recall, 3), "f1": round(f1, 3),
        "right": counts["right"], "found": counts["found"], "wanted": counts["wanted"],
    }  # fmt: skip


def _silence(pairs: Sequence[tuple[Labelled, frozenset[Claim]]]) -> dict[str, float]:
    """Return how many of the sentences that claim nothing are left alone."""
    silent = [got for each, got in pairs if not each.claims]
    return {"sentences": len(silent), "left_alone": sum(not got for got in silent)}


def show(sentences: Iterable[Labelled]) -> None:
    """Print what the rules miss and make up in these sentences."""
    listed = list(sentences)
    for each, got in zip(listed, claims([each.text for each in listed]), strict=True):
        if got != each.claims:
            print(each.name, each.text)
            for claim in sorted(each.claims - got):
                print("   missed ", *claim)
            for claim in sorted(got - each.claims):
                print("   made up", *claim)
