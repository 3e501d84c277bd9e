"""Facts by a model through the whole program: which model is asked, when, about what, and what stays of it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from homeagent.agent import AgentSettings
from homeagent.app import App, AppParts, distiller_of
from homeagent.app.extraction import Extraction
from homeagent.config import Config, MemorySettings, ModelSettings
from homeagent.errors import ConfigError
from homeagent.memory import Segment, Turn
from homeagent.memory.embed import NoEmbedder
from homeagent.models import ModelRequest, ScriptedModel, ServerDownError
from homeagent_sdk import MemoryPolicy
from tests.agent.worlds import HERE, START, World, cmd_run, in_loop

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from homeagent.memory import Memory

CAT = {"subject": "", "relation": "has", "value": "a grey cat", "evidence": "a grey cat sleeps on my bed"}
HIDDEN = "zqhidden5512"


def finder(*facts: dict[str, object]) -> ScriptedModel:
    return ScriptedModel(lambda _request: "Here you are:\n" + json.dumps(list(facts)), name="finder-1")


def keep(memory: Memory, *segments: Segment) -> str:
    return memory.keep(Turn(HERE, "owner", segments, at=START))


async def until(condition: Callable[[], object]) -> None:
    for _ in range(400):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError


def values(memory: Memory) -> list[str]:
    return [fact.value for fact in memory.graph.facts()]


def asked(model: ScriptedModel) -> str:
    return "\n".join(message.text for request in model.requests for message in request.messages[1:])


async def extracted(memory: Memory, model: ScriptedModel, count: int) -> None:
    """Let an extraction run until the log holds so many outcomes."""
    task = asyncio.create_task(Extraction(memory, model, lambda: False, quiet=0.01).run())
    await until(lambda: sum(row.kind == "model-facts" for row in memory._log.outcomes()) >= count)
    task.cancel()
    await asyncio.wait({task})


@in_loop
async def test_a_model_that_is_configured_is_asked_and_a_rebuild_asks_no_more(tmp_path: Path) -> None:
    model = finder(CAT, {**CAT, "value": "two cats"}, {"relation": 3}, "nonsense")  # type: ignore[arg-type]
    parts = AppParts(ScriptedModel([]), [], embedder=NoEmbedder(), distiller=model)
    async with App.open(tmp_path, parts) as app:
        keep(app.memory, Segment("user", "Well, a grey cat sleeps on my bed."))
        await until(lambda: values(app.memory) == ["a grey cat"])
        (fact,) = app.memory.graph.facts(subject="me")
        assert fact.said[0].span == (6, 33)
        seen = len(model.requests)
        before = [(each.fact, each.value) for each in app.memory.graph.history()]
        app.memory.rebuild()
        assert [(each.fact, each.value) for each in app.memory.graph.history()] == before
        assert len(model.requests) == seen == 1
        assert "allergic_to" in model.requests[0].messages[0].text
    async with App.open(tmp_path, parts) as app:
        await asyncio.sleep(0.1)
        assert values(app.memory) == ["a grey cat"]


@in_loop
async def test_it_is_asked_about_what_the_door_lets_through_and_follows_the_policies_after(tmp_path: Path) -> None:
    model = finder(CAT, {**CAT, "evidence": HIDDEN, "value": HIDDEN})
    async with World(tmp_path, [], cmd_run) as world:
        memory = world.app.memory
        memory.set_policies({"cmd_run": MemoryPolicy(no_memory=True)})
        keep(
            memory,
            Segment("user", "Well, a grey cat sleeps on my bed."),
            Segment("tool", f"{HIDDEN} is in the output", tool="cmd_run"),
            Segment("assistant", f"It says {HIDDEN} is in the output, so it is fine."),
        )
        await extracted(memory, model, 1)
        assert HIDDEN not in asked(model)
        assert values(memory) == ["a grey cat"]
        memory.set_policies({"cli": MemoryPolicy(no_memory=True)}, kind="channel")
        assert memory.graph.history() == [], "at once"
        assert memory.rebuild(verify=True).equal
        memory.set_policies({"cli": None}, kind="channel")
        memory.settle()
        assert values(memory) == ["a grey cat"]


@in_loop
async def test_it_waits_for_the_conversation_and_stops_with_the_program(tmp_path: Path) -> None:
    started = asyncio.Event()

    def slow(_request: ModelRequest) -> str:
        started.set()
        return "[]"

    model = ScriptedModel(slow)
    async with World(tmp_path, [], cmd_run) as world:
        keep(world.app.memory, Segment("user", "a grey cat sleeps on my bed"))
        busy = asyncio.create_task(Extraction(world.app.memory, model, lambda: True, quiet=0.01).run())
        await asyncio.sleep(0.2)
        assert not started.is_set()
        busy.cancel()
        idle = asyncio.create_task(Extraction(world.app.memory, model, lambda: False, quiet=0.01).run())
        await started.wait()
        idle.cancel()
        await asyncio.wait({busy, idle})


@in_loop
async def test_a_model_that_is_down_costs_nothing_and_is_asked_again_later(tmp_path: Path) -> None:
    model = ScriptedModel(lambda _request: ServerDownError("home", "is down", "Start it"))
    async with World(tmp_path, [], cmd_run) as world:
        keep(world.app.memory, Segment("user", "a grey cat sleeps on my bed"))
        task = asyncio.create_task(Extraction(world.app.memory, model, lambda: False, quiet=0.01).run())
        await until(lambda: model.requests)
        await asyncio.sleep(0.1)
        assert len(model.requests) == 1, "it rests"
        assert not task.done()
        task.cancel()
        await asyncio.wait({task})
        assert all(row.kind != "model-facts" for row in world.app.memory._log.outcomes())
        await extracted(world.app.memory, finder(CAT), 1)
        assert values(world.app.memory) == ["a grey cat"]


NEAR = ModelSettings("http://127.0.0.1:11434/v1", "qwen3:8b")
FAR = ModelSettings("https://api.example.com/v1", "big")
PAID = ModelSettings("http://192.168.1.5/v1", "resold", prompt_price=1.0, completion_price=2.0)


@pytest.mark.parametrize(
    ("distil", "models", "expected"),
    [
        ("auto", {}, None),
        ("auto", {"near": NEAR}, "near"),
        ("auto", {"far": FAR}, None),
        ("auto", {"paid": PAID}, None),
        ("auto", {"far": FAR, "near": NEAR}, "near"),
        ("model", {"far": FAR}, "far"),
        ("rules", {"near": NEAR}, None),
    ],
)
def test_nothing_leaves_the_house_or_costs_money_unless_it_is_set(
    distil: str, models: dict[str, ModelSettings], expected: str | None
) -> None:
    config = Config(memory=MemorySettings(distil=distil), models=models)  # type: ignore[arg-type]
    found = distiller_of(config)
    assert (found.name if found is not None else None) == expected


def test_the_setting_takes_three_words(tmp_path: Path) -> None:
    from homeagent.config import load

    path = tmp_path / "config.toml"
    path.write_text('[memory]\ndistil = "model"\n')
    assert load(path).memory.distil == "model"
    path.write_text('[memory]\ndistil = "magic"\n')
    with pytest.raises(ConfigError, match="distil"):
        load(path)


@in_loop
async def test_another_model_can_be_set_while_it_runs(tmp_path: Path) -> None:
    first, second = finder(), finder(CAT)
    offline = ScriptedModel([])
    async with App.open(tmp_path, AppParts(offline, [], embedder=NoEmbedder(), distiller=first)) as app:
        app.use(offline, AgentSettings(), second)
        keep(app.memory, Segment("user", "Well, a grey cat sleeps on my bed."))
        await until(lambda: values(app.memory) == ["a grey cat"])
        assert first.requests == []
        app.use(offline, AgentSettings())
        keep(app.memory, Segment("user", "And a grey cat sleeps on my bed now."))
        await asyncio.sleep(0.1)
        assert len(second.requests) == 1
