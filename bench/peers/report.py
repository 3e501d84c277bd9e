"""The peers on the sets: R@5 and R@10, times, disk, and two probes; one that can't be measured, with its error.

A unit is kept as ``speaker: words``, its date as the peer's own metadata; a chat is whatever the peer scopes a search
with, and a pool is put into every chat that stands behind it. Vectors of passages are made before, so adding does not
hold the embedder's time; questions are embedded when they are asked.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.baseline import unit_document
from bench.dialogues import Dialogues
from bench.homes import disk_bytes
from bench.metrics import figures, in_per_cent, mean_figures, percentile
from bench.peers.environments import PEERS, python_of
from bench.peers.probes import probe_texts, probed_chinese, probed_tools
from bench.peers.process import Driver, PeerError
from bench.peers.vectors import VectorServer
from bench.progress import Progress, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.data import Conversation, Unit
    from bench.options import Options
    from bench.peers.environments import Package

__all__ = ["Bounds", "measured_peer", "peers_report", "peers_table"]

_FIGURES: Final = ("R@1", "R@5", "R@10", "MRR")
_RANKED: Final = 10
_BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which peers (none named: all), how many conversations of a set (None: all), where environments are kept."""

    names: tuple[str, ...]
    conversations: int | None
    environments: Path


def peers_report(options: Options, bounds: Bounds) -> dict[str, object]:
    """Return by set and peer what was measured, or ``{"error": ...}``."""
    chosen = [package for package in PEERS if not bounds.names or package.name in bounds.names]
    report: dict[str, object] = {}
    embedder = options.new_embedder()
    with VectorServer(embedder) as server:
        for name in options.sets.chosen(options.names or ("locomo",), options.sets.conversations):
            dialogues = Dialogues(options.sets, name)
            conversations = dialogues.conversations[: bounds.conversations]
            server.learn([_said(unit) for each in conversations for unit in _units(dialogues, each)])
            server.learn(probe_texts())
            report[name] = {
                package.name: _peer(package, bounds.environments, server, (dialogues, conversations))
                for package in chosen
            }
    return {"sets": report, "model": embedder.model_id}


def peers_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    lines: list[str] = []
    sets = report["sets"]
    for name, peers in sets.items() if isinstance(sets, dict) else ():
        for peer, found in peers.items():
            lines.append(f"{name}, {peer}: " + ", ".join(f"{key} {value}" for key, value in found.items()))
    return "\n".join(lines)


def measured_peer(
    driver: Driver, server: VectorServer, dialogues: Dialogues, conversations: Sequence[Conversation]
) -> dict[str, object]:
    """Return what a running driver's peer does with these conversations and with the probes."""
    with tempfile.TemporaryDirectory(prefix="homeagent-bench-") as folder:
        opened = driver.open(Path(folder), server.address)
        adding, units = _added(driver, dialogues, conversations)
        asked = _asked(driver, server, conversations)
        disk = disk_bytes(Path(folder))
        probes = {"tool_output": probed_tools(driver, server), "chinese": probed_chinese(driver, server)}
        driver.close()
    mean = in_per_cent(mean_figures(each for each, _ in asked))
    times = [1000 * seconds for _, seconds in asked]
    return {
        "version": opened.version,
        "our_vectors": opened.uses_vectors,
        "n": len(asked),
        **{figure: mean[figure] for figure in _FIGURES},
        "add_ms": round(1000 * adding / units, 2),
        "ask_ms": {"p50": round(percentile(times, 0.5), 2), "p95": round(percentile(times, 0.95), 2)},
        "disk_mb": round(disk / 1_000_000, 2),
        **probes,
    }


def _peer(
    package: Package, environments: Path, server: VectorServer, about: tuple[Dialogues, Sequence[Conversation]]
) -> dict[str, object]:
    say(f"{about[0].name}: {package.name}")
    server.asking = False
    try:
        python = python_of(package, environments)
        with (
            tempfile.TemporaryDirectory(prefix="homeagent-bench-") as folder,
            Driver(python, package.driver, Path(folder)) as driver,
        ):
            return measured_peer(driver, server, *about)
    except PeerError as error:
        say(f"{package.name} can't be measured: {error}")
        return {"error": str(error)}


def _added(driver: Driver, dialogues: Dialogues, conversations: Sequence[Conversation]) -> tuple[float, int]:
    """Keep everything; return the seconds that the peer took and how many units that were."""
    seconds, count = 0.0, 0
    progress = Progress("adding")
    for place, conversation in enumerate(conversations):
        units = _units(dialogues, conversation)
        for start in range(0, len(units), _BATCH):
            part = units[start : start + _BATCH]
            seconds += driver.add(conversation.id, [_as_request(unit) for unit in part]).seconds
        count += len(units)
        progress.at(place, len(conversations))
    return seconds, max(1, count)


def _asked(
    driver: Driver, server: VectorServer, conversations: Sequence[Conversation]
) -> list[tuple[dict[str, float], float]]:
    """Ask every question that has an answer; return the figures and seconds of each."""
    found: list[tuple[dict[str, float], float]] = []
    progress = Progress("asking")
    server.asking = True
    for place, conversation in enumerate(conversations):
        for question in conversation.queries:
            if not question.adversarial:
                answer = driver.ask(conversation.id, question.text, _RANKED)
                ranked = list(dict.fromkeys(answer.ids))
                found.append((figures(ranked, question.gold), answer.seconds))
        progress.at(place, len(conversations))
    server.asking = False
    if not found:
        raise PeerError("these conversations hold no question that has an answer")
    return found


def _units(dialogues: Dialogues, conversation: Conversation) -> list[Unit]:
    """Return the units of a conversation with the pool in front of it."""
    return [*dialogues.pools.get(conversation.haystack, ()), *conversation.units]


def _said(unit: Unit) -> str:
    return unit_document(unit, unit.id).text


def _as_request(unit: Unit) -> dict[str, object]:
    return {"id": unit.id, "date": unit.date, "messages": [{"role": "user", "content": _said(unit)}]}
