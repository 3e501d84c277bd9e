"""A second reader: the figures once more from a dump of rankings, by the definitions of the sets' README alone.

It shares no code with `bench.metrics`, `bench.data` or `bench.recall`: it reads the lines itself, counts in exact
fractions, and takes gold answers and sessions from the sets, not from the dump. Definitions: R@k is the share of a
question's gold turns among the first k turns; MRR one over the place of the first gold turn; nDCG@10 the sum of
1 / log2(1 + place) over the gold turns in the first ten places, against the same with all gold turns on top; a session
stands where its best turn does and is gold when it holds a gold turn; a set's figure is the mean over its questions.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING, Final

from bench.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["reread_report", "reread_table"]

_KS: Final = (1, 3, 5, 10)
_SAME: Final = 0.0051
"""Figures are printed in hundredths of a per cent: what differs by more is another figure."""

Report = dict[str, object]


@dataclass(frozen=True, slots=True)
class _Key:
    """What is right for one question: its gold turns, and the session of every turn of its dialogue."""

    gold: frozenset[str]
    session: dict[str, str]
    adversarial: bool


def reread_report(dump: Path, data: Path, report: Path | None) -> Report:
    """Return the figures of each set in the dump and what is wrong with it; with a ``report``, the differences too.

    ``passed`` is false when a question is missing, doubled or unknown, a ranking holds a turn twice, or a figure
    differs from the report's by more than its rounding.
    """
    rankings: dict[str, list[tuple[str, str, list[str]]]] = {}
    for line in _lines(dump):
        row = (str(line["conversation"]), str(line["question"]), [str(name) for name in _listed(line["ranked"])])
        rankings.setdefault(str(line["set"]), []).append(row)
    if not rankings:
        raise BenchError(f"{dump} holds no rankings: write it with 'python -m bench recall --dump {dump}'")
    told = _told(report) if report is not None else {}
    sets: Report = {}
    passed = True
    for name, rows in rankings.items():
        read = _read(rows, _keys(data, name))
        if name in told:
            read["difference"] = _difference(read, told[name])
        passed = passed and not read["wrong"] and not any(_large(read.get("difference")))
        sets[name] = read
    missing = sorted(told.keys() - rankings.keys())
    return {"sets": sets, "not_in_dump": missing, "passed": passed and not missing}


def reread_table(report: Report) -> str:
    """Return the report for a person."""
    lines: list[str] = []
    sets = report["sets"]
    for name, read in sets.items() if isinstance(sets, dict) else ():
        lines.append(f"{name}: n {read['n']}, wrong: {read['wrong'] or 'nothing'}")
        lines.extend(
            f"  {part:<12}" + "  ".join(f"{figure} {value:.2f}" for figure, value in read[part].items())
            for part in ("turn", "session")
        )
        if "difference" in read:
            lines.append(
                "  difference  " + "  ".join(f"{key} {value:+.4f}" for key, value in read["difference"].items())
            )
    lines.append("the figures are the same" if report["passed"] else "SOMETHING DIFFERS")
    return "\n".join(lines)


def _read(rows: list[tuple[str, str, list[str]]], keys: dict[tuple[str, str], _Key]) -> Report:
    """Return the mean figures of one set, and sentences about what is wrong with its dump."""
    wrong: list[str] = []
    turn: list[dict[str, float]] = []
    session: list[dict[str, float]] = []
    seen: set[tuple[str, str]] = set()
    for conversation, question, ranked in rows:
        key = keys.get((conversation, question))
        if key is None or key.adversarial or (conversation, question) in seen:
            wrong.append(f"{conversation} {question}: unknown, without an answer, or there twice")
            continue
        seen.add((conversation, question))
        if len(set(ranked)) < len(ranked):
            wrong.append(f"{conversation} {question}: a turn is ranked twice")
        turn.append(_one(ranked, key.gold))
        sessions = [key.session.get(name, f"elsewhere: {name}") for name in ranked]
        first = [each for place, each in enumerate(sessions) if each not in sessions[:place]]
        session.append(_one(first, frozenset(key.session[name] for name in key.gold)))
    unasked = {place for place, key in keys.items() if not key.adversarial} - seen
    wrong.extend(f"{conversation} {question}: not asked" for conversation, question in sorted(unasked))
    return {"n": len(seen), "turn": _mean(turn), "session": _mean(session), "wrong": wrong[:10], "wrongs": len(wrong)}


def _one(ranked: list[str], gold: frozenset[str]) -> dict[str, float]:
    """Return the figures of one ranking, in per cent."""
    places = sorted(ranked.index(name) + 1 for name in gold if name in ranked)
    found: dict[str, float] = {}
    for k in _KS:
        found[f"R@{k}"] = float(100 * Fraction(len([place for place in places if place <= k]), len(gold)))
    found["MRR"] = float(Fraction(100, places[0])) if places else 0.0
    best = [1 / log2(place + 1) for place in range(1, 1 + min(10, len(gold)))]
    got = [1 / log2(place + 1) for place in places if place <= 10]
    found["nDCG@10"] = 100 * sum(got) / sum(best)
    return found


def _mean(rows: list[dict[str, float]]) -> dict[str, float]:
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]} if rows else {}


def _difference(read: Report, told: Report) -> dict[str, float]:
    """Return reread minus told, in per cent, by ``turn R@1`` and so on, and the number of questions."""
    found: dict[str, float] = {"n": float(str(read["n"])) - float(str(told["n"]))}
    for part in ("turn", "session"):
        mine, theirs = read[part], told[part]
        if isinstance(mine, dict) and isinstance(theirs, dict):
            found |= {f"{part} {name}": mine[name] - theirs[name] for name in theirs}
    return found


def _large(differences: object) -> Iterator[str]:
    """Yield the names of the figures that differ by more than rounding."""
    if isinstance(differences, dict):
        yield from (name for name, value in differences.items() if abs(value) > _SAME)


def _told(report: Path) -> dict[str, Report]:
    try:
        sets: dict[str, Report] = json.loads(report.read_text("utf-8"))["sets"]
    except (OSError, ValueError, KeyError) as error:
        raise BenchError(f"{report} is no report of 'python -m bench recall --json': {error!r}") from error
    return sets


def _keys(data: Path, name: str) -> dict[tuple[str, str], _Key]:
    """Return the key of every question of a set."""
    path = next((each for each in (data / f"{name}.jsonl.gz", data / f"{name}.jsonl") if each.is_file()), None)
    if path is None:
        raise BenchError(f"There is no {name}.jsonl.gz in {data}: name the folder that was measured with --data")
    keys: dict[tuple[str, str], _Key] = {}
    for line in _lines(path):
        session = {str(unit["id"]): str(unit["session"]) for unit in _listed(line["units"])}
        for query in _listed(line["queries"]):
            gold = frozenset(str(each) for each in query["gold"])
            keys[str(line["id"]), str(query["id"])] = _Key(gold, session, str(query.get("cat", "")) == "adversarial")
    return keys


def _lines(path: Path) -> Iterator[dict[str, object]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            yield from (json.loads(line) for line in file if line.strip())
    except (OSError, ValueError) as error:
        raise BenchError(f"{path} can't be read: {error}") from error


def _listed(value: object) -> Iterable[dict[str, list[str]]]:
    if not isinstance(value, list):
        raise BenchError(f"expected a list, got {value!r:.80}")
    return value
