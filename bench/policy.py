"""A change of policy over a long life: how soon what is hidden is hidden, and how fast what is shown comes back.

Another process asks for hidden words all the time. ``in_effect_seconds`` counts from the call that sets the policy to
the end of its last answer that still holds one. Vectors are synthetic: `HashedEmbedder`.
"""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bench.homes import fill, home_folder
from bench.policy_turns import EVERY, TOOL, marker, policy_turns
from bench.progress import Progress, say
from bench.vectors import HashedEmbedder
from homeagent.memory import Memory
from homeagent_sdk import MemoryPolicy

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.synchronize import Event
    from pathlib import Path

__all__ = ["Asked", "in_effect", "policy_report", "policy_table"]

_ALLOWED_SECONDS: Final = 2.0
_ASKED: Final = 20
_AFTER_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of the other process: when it was asked and answered (monotonic seconds), and whether it leaked."""

    began: float
    ended: float
    leaked: bool


def policy_report(turns: int, home: Path | None) -> dict[str, object]:
    """Fill a home with ``turns`` turns, hide the outputs of 1 % of them, show them again; return the figures."""
    with home_folder(home, f"policy-{turns}") as folder, Memory.open(folder, embedder=HashedEmbedder()) as memory:
        memory.declare_policies({TOOL: MemoryPolicy()})
        built = fill(memory, list(policy_turns(turns)), f"{turns:,} turns")
        digest, before = memory.digest(), _text_of(memory)
        trial = _trial(memory)
        hide = _hidden(memory, folder, turns)
        hide["trial_agrees"] = trial["segments"] == hide["changed"]
        unchanged = memory.digest() == digest
        show = _shown(memory, turns)
        same = _text_of(memory) == before
        unchanged = unchanged and memory.digest() == digest
    passed = bool(unchanged and same and hide["passed"] and show["found_again"])
    return {
        "turns": turns,
        "hidden_turns": turns // EVERY,
        "build_seconds": round(built, 1),
        "trial": trial,
        "hide": hide,
        "show": show,
        "raw_digest_unchanged": unchanged,
        "computed_as_before": same,
        "passed": passed,
    }


def in_effect(asked: list[Asked], since: float) -> float:
    """Return how many seconds after ``since`` the last answer that leaked was given; 0 when none did."""
    return max((each.ended - since for each in asked if each.leaked and each.ended > since), default=0.0)


def policy_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    lines: list[str] = []
    for name, value in report.items():
        if isinstance(value, dict):
            lines += [f"{f'{name}.{inner}':<28}{found}" for inner, found in value.items()]
        else:
            lines.append(f"{name:<28}{value}")
    return "\n".join(lines)


def _text_of(memory: Memory) -> int:
    """Return a number for all compute text."""
    return hash(tuple((row.segment, row.decision, row.text.text) for row in memory.all_computed()))


def _trial(memory: Memory) -> dict[str, object]:
    started = time.monotonic()
    told = memory.try_policies({TOOL: MemoryPolicy(no_memory=True)})
    return {
        "seconds": round(time.monotonic() - started, 2),
        "segments": told.segments,
        "characters_going": told.characters_before - told.characters_after,
        "replies": told.replies,
        "facts_going": told.facts_going,
    }


def _hidden(memory: Memory, folder: Path, turns: int) -> dict[str, object]:
    """Hide the outputs while another process asks for them."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    stop = context.Event()
    other = context.Process(target=_ask, args=(folder, turns, theirs, stop), daemon=True)
    other.start()
    try:
        ours.recv()  # it is warm, and has found them
        since = time.monotonic()
        memory.set_policies({TOOL: MemoryPolicy(no_memory=True)})
        returned = time.monotonic()
        progress = Progress("hiding")
        memory.settle(progress=progress.step)
        settled = progress.done("derived")
        time.sleep(max(0.0, _AFTER_SECONDS - (time.monotonic() - returned)))
        stop.set()
        asked: list[Asked] = ours.recv()
    finally:
        stop.set()
        other.join(30)
    took = in_effect(asked, since)
    late = sum(each.leaked for each in asked if each.began > returned)
    return {
        "in_effect_seconds": round(took, 3),
        "allowed_seconds": _ALLOWED_SECONDS,
        "returned_seconds": round(returned - since, 3),
        "settled_seconds": round(returned - since + settled, 2),
        "asked": sum(each.began > since for each in asked),
        "leaked_before_return": sum(each.leaked for each in asked if since < each.ended and each.began <= returned),
        "leaked_after_return": late,
        "changed": sum(row.tool == TOOL and row.decision == "hidden" for row in memory.all_computed()),
        "passed": took <= _ALLOWED_SECONDS and not late and any(each.leaked for each in asked),
    }


def _shown(memory: Memory, turns: int) -> dict[str, object]:
    """Show them again; count what that queues, and how fast it is derived."""
    started = time.monotonic()
    memory.overrides.note({TOOL: None})
    queued = memory.pending().get("door", 0)
    noted = time.monotonic() - started
    progress = Progress("showing")
    memory.settle(progress=progress.step)
    progress.done("derived")
    seconds = time.monotonic() - started
    wanted = range(0, turns, max(EVERY, turns // _ASKED // EVERY * EVERY))
    return {
        "queued": queued,
        "noted_seconds": round(noted, 3),
        "seconds": round(seconds, 2),
        "rows_per_second": round(queued / seconds, 1),
        "found_again": all(_leaks(memory, number) for number in wanted),
    }


def _ask(folder: Path, turns: int, answers: Connection, stop: Event) -> None:
    """Ask for one hidden word after the other until told to stop: the other process."""
    asked: list[Asked] = []
    wanted = list(range(0, turns, max(EVERY, turns // _ASKED // EVERY * EVERY)))
    with Memory.open(folder, embedder=HashedEmbedder()) as memory:
        _leaks(memory, 0)
        while not stop.is_set():
            began = time.monotonic()
            leaked = _leaks(memory, wanted[len(asked) % len(wanted)])
            asked.append(Asked(began, time.monotonic(), leaked))
            if len(asked) == len(wanted):
                say(f"asking: {sum(each.leaked for each in asked)} of {len(asked)} found")
                answers.send(True)
        answers.send(asked)


def _leaks(memory: Memory, number: int) -> bool:
    """Whether recall, asked for a word of the output of a turn, shows the word anywhere."""
    word = marker(number)
    hits = memory.recall(f"{word} counter", limit=5).hits
    shown = [text for hit in hits for text in (hit.text, *(each.text for each in hit.neighbours))]
    return any(word in text for text in shown)
