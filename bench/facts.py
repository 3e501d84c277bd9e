"""Facts against a labelled set of our own: 200 sentences, Chinese and English, names that are in no test.

Half of it, ``dev``, is for looking at; the other, ``held``, was written at the same time and is only counted. A fact is
right when subject, relation, value and mode (stated, denied, past) are all as labelled; values are compared folded and
without articles. The subject ``me`` is the speaker, ``me.daughter`` his daughter, ``me.bike`` his bike.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.errors import BenchError
from homeagent.memory.compute import ComputeText, DoorKey
from homeagent.memory.distil.facts import spoken, value_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from homeagent.memory.distil.parts import Draft, Party

__all__ = ["Claim", "Labelled", "claims", "main", "measured", "read_labels"]

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


def claims(text: str) -> frozenset[Claim]:
    """Return what the rules find in a sentence said by the sender of a turn."""
    admitted = ComputeText(DoorKey(), text)
    return frozenset(_claim(each.draft, text) for each in spoken(admitted, owner=True))


def measured(sentences: Sequence[Labelled]) -> dict[str, object]:
    """Return precision, recall and F1, 0 to 1, over all, by language and by relation, with the counts behind them."""
    found = {each.name: claims(each.text) for each in sentences}
    pairs = [(each, found[each.name]) for each in sentences]
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures of both halves; ``--show`` lists every miss of the development half."""
    parser = argparse.ArgumentParser(prog="python -m bench facts", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--show", action="store_true", help="list what was missed and what was made up (dev only)")
    parser.add_argument("--half", choices=HALVES, help="only one half")
    asked = parser.parse_args(arguments)
    halves = [asked.half] if asked.half else list(HALVES)
    labelled = {half: read_labels(FOLDER / f"{half}.jsonl") for half in halves}
    if asked.show:
        _show(labelled.get("dev", ()))
        return 0
    figures = {half: measured(sentences) for half, sentences in labelled.items()}
    if asked.json:
        json.dump({"sets": figures}, sys.stdout, ensure_ascii=False, indent=2)
        print()
    else:
        for half, each in figures.items():
            print(half, json.dumps({key: each[key] for key in ("all", "by_language", "nothing_said")}))
    return 0


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


def _show(sentences: Iterable[Labelled]) -> None:
    for each in sentences:
        got = claims(each.text)
        if got != each.claims:
            print(each.name, each.text)
            for claim in sorted(each.claims - got):
                print("   missed ", *claim)
            for claim in sorted(got - each.claims):
                print("   made up", *claim)


if __name__ == "__main__":
    sys.exit(main())
