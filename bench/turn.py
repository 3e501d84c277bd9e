"""The agent's own share of a turn, and a conversation far longer than the model's window.

The model is a script, so what is measured is everything else: keeping, recall, stages, the window, deriving. Time that
the script takes is taken off. In the long conversation every request is looked at: is it within the window, how much of
it would a server's prefix cache hold, and does the prompt of the last questions hold the answers.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.metrics import percentile
from bench.progress import Progress
from bench.turn_talk import FACTS, small_talk
from homeagent.agent import AgentSettings, Incoming
from homeagent.agent.events import TurnEnded
from homeagent.app import App, AppParts
from homeagent.memory import Place
from homeagent.memory.embed import NoEmbedder, OfflineEmbedder
from homeagent.models import ScriptedModel, TokenEstimator, ToolCall
from homeagent_sdk import Plugin, tool

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from homeagent.agent import Event
    from homeagent.memory.embed import Embedder
    from homeagent.models import Model, ModelEvent, ModelRequest
    from homeagent.models.scripted import Step

__all__ = ["TurnPlan", "turn_report", "turn_table"]

_HERE: Final = Place("cli", "main")
_MISSED: Final = 0.1
"""At most so many of the facts may be missing in the prompts that ask for them."""

_TOOL_EVERY: Final = 4


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """``turns`` are timed; the long conversation is ``windows`` times as long as a window of ``window`` tokens."""

    turns: int = 200
    window: int = 4096
    windows: int = 10
    vectors: bool = True

    def embedder(self) -> Embedder:
        """Return what makes the vectors."""
        return OfflineEmbedder() if self.vectors else NoEmbedder()


class _TimedModel:
    """A scripted model that knows how long it took itself; ``requests`` are all it was asked."""

    def __init__(self, script: Sequence[Step], window: int) -> None:
        self._inner = ScriptedModel(script, window_tokens=window)
        self.name, self.window_tokens, self.takes = "scripted", window, frozenset[str]()
        self.seconds = 0.0

    @property
    def requests(self) -> Sequence[ModelRequest]:
        return self._inner.requests

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        started = time.perf_counter()
        async for event in self._inner.stream(request):
            self.seconds += time.perf_counter() - started
            yield event
            started = time.perf_counter()

    async def close(self) -> None:
        await self._inner.close()


@dataclass(slots=True)
class _Silent:
    """A face that shows nothing and keeps how each turn ended."""

    ended: list[TurnEnded] = field(default_factory=list)

    def show(self, event: Event) -> None:
        if isinstance(event, TurnEnded):
            self.ended.append(event)

    async def ask(self, question: str) -> bool:
        return bool(question)


@tool(cleaner="json(content)")
def bench_read(path: str) -> str:
    """Return a small envelope with a file in it."""
    return f'{{"ok": true, "path": "{path}", "content": "line one\\nline two of {path}\\n"}}'


def turn_report(plan: TurnPlan) -> dict[str, object]:
    """Return both measurements; ``passed`` says whether the long one kept its promises."""
    with tempfile.TemporaryDirectory(prefix="homeagent-bench-") as folder:
        overhead = asyncio.run(_overhead(plan, Path(folder) / "short"))
        long = asyncio.run(_long(plan, Path(folder) / "long"))
    return {"turns": plan.turns, "overhead_ms": overhead, "long": long, "passed": long["passed"]}


def turn_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{name}: {value}" for name, value in report.items())


async def _overhead(plan: TurnPlan, home: Path) -> dict[str, object]:
    """Return the milliseconds of a turn without those of the model, of plain turns and of turns with a tool call."""
    talk = list(islice(small_talk(), plan.turns))
    script: list[Step] = []
    for number, (_, reply) in enumerate(talk):
        if number % _TOOL_EVERY == 0:
            script.append(ToolCall(f"c{number}", "bench_read", f'{{"path": "notes-{number}.txt"}}'))
        script.append(reply)
    model = _TimedModel(script, 32_768)
    spent: dict[str, list[float]] = {"plain": [], "tool": []}
    progress = Progress("turns")
    async with _opened(home, model, plan) as app:
        await app.agent.respond(Incoming("/tool bench_read path=warm-up", _HERE), _Silent())  # loads the model
        for number, (said, _) in enumerate(talk):
            model.seconds, started = 0.0, time.perf_counter()
            await app.agent.respond(Incoming(said, _HERE), _Silent())
            taken = 1000 * (time.perf_counter() - started - model.seconds)
            spent["tool" if number % _TOOL_EVERY == 0 else "plain"].append(taken)
            progress.at(number, plan.turns)
    return {**_times([*spent["plain"], *spent["tool"]]), **{name: _times(taken) for name, taken in spent.items()}}


async def _long(plan: TurnPlan, home: Path) -> dict[str, object]:
    """Say the facts, talk for ``windows`` windows, ask for the facts."""
    talk, tokens = _talk_of(plan.window * plan.windows)
    before = [(fact.said, "Noted.") for fact in FACTS] + talk
    everything = before + [(fact.question, "Let me think.") for fact in FACTS]
    model = _TimedModel([reply for _, reply in everything], plan.window)
    ui = _Silent()
    progress = Progress("long conversation")
    async with _opened(home, model, plan) as app:
        for number, (said, _) in enumerate(everything):
            if number == len(before):
                await asyncio.to_thread(app.memory.settle)
            await app.agent.respond(Incoming(said, _HERE), ui)
            progress.at(number, len(everything))
    prompts = zip(FACTS, map(_prompt, model.requests[-len(FACTS) :]), strict=True)
    missing = [fact.question for fact, prompt in prompts if fact.answer not in prompt]
    usages = [each.usage for each in ui.ended if each.usage is not None]
    prompted = [usage.prompt_tokens for usage in usages]
    above = sum(tokens > plan.window for tokens in prompted)
    failed = sum(each.status != "done" for each in ui.ended)
    return {
        "window_tokens": plan.window,
        "turns": len(everything),
        "conversation_tokens": tokens,
        "facts": len(FACTS),
        "facts_found": len(FACTS) - len(missing),
        "missing": missing,
        "largest_prompt": max(prompted),
        "above_window": above,
        "failed": failed,
        "cached_share": round(sum(usage.cached_tokens for usage in usages) / sum(prompted), 4),
        "passed": not above and not failed and len(missing) <= _MISSED * len(FACTS),
    }


def _talk_of(tokens: int) -> tuple[list[tuple[str, str]], int]:
    """Return small talk of at least so many tokens, and of how many it is."""
    estimator = TokenEstimator()
    talk: list[tuple[str, str]] = []
    total = 0
    for said, reply in small_talk():
        if total >= tokens:
            break
        talk.append((said, reply))
        total += estimator.text(said) + estimator.text(reply)
    return talk, total


def _opened(home: Path, model: Model, plan: TurnPlan) -> App:
    settings = AgentSettings(reply_tokens=256)
    plugins = [Plugin("bench", "1.0.0", tools=[bench_read])]
    return App.open(home, AppParts(model, plugins, agent=settings, embedder=plan.embedder()))


def _prompt(request: ModelRequest) -> str:
    """Return everything a request says but for the question itself."""
    return "\n".join(message.text for message in request.messages)


def _times(values: Sequence[float]) -> dict[str, float]:
    return {"p50": round(percentile(values, 0.5), 2), "p95": round(percentile(values, 0.95), 2)}
