"""Many chats at once against a real server, with a scripted model: what is kept, and what time is our own.

Every client sends its whole conversation each time, as OpenAI's clients do; every other one streams. Our own time of a
turn is what the client waited less what the model server took for it. Then the server is killed with ``kill -9`` while
all chats talk, started again, and every turn whose answer had arrived whole has to be there, once.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, Final

import httpx2

from bench.load_model import MARK, TimedModel
from bench.progress import say
from dev.served import Served

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LoadPlan", "load_report", "load_table"]

_SETTINGS: Final = '[memory]\nembedder = "{embedder}"\n[models.timed]\nbase_url = "{url}"\nmodel = "timed"\n'
_MANY: Final = 10_000
_LONGEST_SECONDS: Final = 120.0


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """How many chats, how many turns in each, and how long the model takes."""

    chats: int = 50
    turns: int = 6
    model_seconds: float = 1.5
    embedder: str = "offline"


@dataclass(slots=True)
class _Seen:
    """What the clients saw: marks whose answer arrived whole, with the seconds it took; and what went wrong."""

    answered: dict[str, float] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)


def load_report(plan: LoadPlan) -> dict[str, object]:
    """Run the plan in a home of its own and return what came of it; ``ok`` says whether all is as it should be."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="bench-load-") as folder, TimedModel(plan.model_seconds) as model:
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        (home / "config.toml").write_text(_SETTINGS.format(embedder=plan.embedder, url=model.url))
        with Served(home) as served:
            say(f"{plan.chats} chats at once, {plan.turns} turns in each")
            asyncio.run(_warm(served))
            seen = asyncio.run(_talked(served, plan, plan.turns))
            kept = asyncio.run(_kept(served))
        report = _figures(plan, seen, kept, model)
        report["killed"] = _killed(home, plan)
    report["seconds"] = round(time.monotonic() - began, 1)
    report["ok"] = _is_right(report)
    return report


def load_table(report: dict[str, object]) -> str:
    """Return the report for a person."""
    return "\n".join(f"{name:<16}{value}" for name, value in report.items())


def _killed(home: Path, plan: LoadPlan) -> dict[str, object]:
    say("kill -9 while all talk, then a new start")
    with Served(home) as served:
        seen = asyncio.run(_talked_until_killed(served, plan))
    with Served(home) as served:
        kept = asyncio.run(_kept(served))
    counts = Counter(mark for mark, _ in kept)
    return {
        "sent": len(seen.sent),
        "acknowledged": len(seen.answered),
        "lost": sum(not counts[mark] for mark in seen.answered),
        "doubled": sum(counts[mark] > 1 for mark in seen.sent),
        "left_open": sum(status == "open" for _, status in kept),
    }


async def _warm(served: Served) -> None:
    """Let the server load what it loads on first use."""
    async with _client(served) as client:
        for number in range(2):
            body = {"messages": [{"role": "user", "content": f"What was said before? {number}"}]}
            (await client.post("/v1/chat/completions", json=body)).raise_for_status()


async def _talked(served: Served, plan: LoadPlan, turns: int) -> _Seen:
    seen, run = _Seen(), secrets.token_hex(3)
    async with _client(served) as client, asyncio.TaskGroup() as tasks:
        for number in range(plan.chats):
            tasks.create_task(_chat(client, number, turns, run, seen))
    return seen


async def _talked_until_killed(served: Served, plan: LoadPlan) -> _Seen:
    seen, run = _Seen(), secrets.token_hex(3)
    async with _client(served) as client:
        chats = [asyncio.create_task(_chat(client, number, _MANY, run, seen)) for number in range(plan.chats)]
        await _until_talked(seen, plan)
        await asyncio.to_thread(served.kill)
        for each in chats:
            each.cancel()
        await asyncio.gather(*chats, return_exceptions=True)
    return seen


async def _until_talked(seen: _Seen, plan: LoadPlan) -> None:
    """Wait until everybody was answered about twice, and for a moment more: then all are in the middle of something."""
    end = time.monotonic() + _LONGEST_SECONDS
    while len(seen.answered) < 2 * plan.chats and time.monotonic() < end:
        await asyncio.sleep(0.05)
    await asyncio.sleep(plan.model_seconds / 2)


async def _chat(client: httpx2.AsyncClient, number: int, turns: int, run: str, seen: _Seen) -> None:
    history: list[dict[str, str]] = []
    for turn in range(turns):
        mark = f"c{number}-{turn}-{run}"
        history.append({"role": "user", "content": f"[{mark}] Chat {number} keeps the number {turn * 37 + number}."})
        seen.sent.add(mark)
        began = time.monotonic()
        try:
            answer = await _answer(client, history, stream=bool(number % 2))
        except httpx2.HTTPError as error:
            seen.errors.append(f"{mark}: {type(error).__name__} {error}")
            return
        seen.answered[mark] = time.monotonic() - began
        history.append({"role": "assistant", "content": answer})


async def _answer(client: httpx2.AsyncClient, history: Sequence[dict[str, str]], *, stream: bool) -> str:
    body = {"model": "homeagent", "messages": list(history), "stream": stream}
    if not stream:
        answer = await client.post("/v1/chat/completions", json=body)
        answer.raise_for_status()
        return str(answer.json()["choices"][0]["message"]["content"])
    text, whole = "", False
    async with client.stream("POST", "/v1/chat/completions", json=body) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            whole = whole or line == "data: [DONE]"
            if line.startswith("data: {"):
                text += _delta(line)
    if not whole:
        raise httpx2.RemoteProtocolError("the stream ended before its end")
    return text


def _delta(line: str) -> str:
    chunk: dict[str, Any] = json.loads(line.removeprefix("data: "))
    if "error" in chunk:
        raise httpx2.RemoteProtocolError(str(chunk["error"]))
    return str(chunk["choices"][0]["delta"].get("content") or "") if chunk["choices"] else ""


async def _kept(served: Served) -> list[tuple[str, str]]:
    """Return mark and status of every turn that is in the log."""
    found: list[tuple[str, str]] = []
    async with _client(served) as client:
        before: int | None = None
        while True:
            query = {"limit": 200} | ({"before": before} if before else {})
            page = (await client.get("/api/memory/turns", params=query)).json()
            for turn in page["turns"]:
                mark = MARK.search(turn["text"])
                if mark is not None:
                    found.append((mark[1], turn["status"]))
            before = page["next"]
            if before is None:
                return found


def _figures(plan: LoadPlan, seen: _Seen, kept: list[tuple[str, str]], model: TimedModel) -> dict[str, object]:
    counts = Counter(mark for mark, _ in kept)
    own = [1000 * (seconds - model.took[mark]) for mark, seconds in seen.answered.items() if mark in model.took]
    return {
        "chats": plan.chats,
        "turns": plan.chats * plan.turns,
        "errors": len(seen.errors),
        "first_errors": seen.errors[:3],
        "kept_once": sum(counts[mark] == 1 for mark in seen.sent),
        "lost": sum(not counts[mark] for mark in seen.sent),
        "doubled": sum(counts[mark] > 1 for mark in seen.sent),
        "not_done": sum(status != "done" for mark, status in kept),
        "model_ms": round(1000 * plan.model_seconds),
        "own_ms": _spread(own),
        "whole_ms": _spread([1000 * seconds for seconds in seen.answered.values()]),
    }


def _spread(values: list[float]) -> dict[str, float]:
    if len(values) < 2:
        return {}
    return {
        "p50": round(median(values), 1),
        "p95": round(quantiles(values, n=20)[-1], 1),
        "max": round(max(values), 1),
    }


def _is_right(report: dict[str, object]) -> bool:
    killed = report["killed"]
    assert isinstance(killed, dict)  # noqa: S101 - see _killed
    wrong = [report[name] for name in ("errors", "lost", "doubled", "not_done")]
    wrong += [killed[name] for name in ("lost", "doubled", "left_open")]
    return not any(wrong) and report["kept_once"] == report["turns"] and bool(killed["acknowledged"])


def _client(served: Served) -> httpx2.AsyncClient:
    limits = httpx2.Limits(max_connections=200, max_keepalive_connections=100)
    headers = {"authorization": f"Bearer {served.token}"}
    return httpx2.AsyncClient(base_url=served.url, headers=headers, timeout=120, limits=limits)
