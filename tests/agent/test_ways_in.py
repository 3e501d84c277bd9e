"""Every way into facts and documents obeys the policies: no word of a hidden output, no envelope of a cleaned one.

A turn is said to the whole program, with a tool whose output states facts; it is distilled by rules, archived, and asked
about by a model. Then the policy is changed back and forth, and the home is rebuilt.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from homeagent.app.extraction import ModelFacts
from homeagent.memory import Viewer
from homeagent.memory.distil.model import ModelFact
from homeagent.models import ScriptedModel
from homeagent_sdk import MemoryPolicy, parse_cleaner, tool
from tests.agent.worlds import HERE, World, call, in_loop

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from homeagent.memory import Memory
    from homeagent.memory.compute import ComputeText

OUTPUT = "主机 zqnova 的系统盘是 512GB 固态硬盘"
ENVELOPE = "zqenvelope"


@tool
def look(name: str) -> str:
    """Look at a machine."""
    return json.dumps({"etag": f"主机 {ENVELOPE} 的系统盘是 9GB", "content": OUTPUT}, ensure_ascii=False)


class Greedy:
    """A model that takes every clause for a fact."""

    model_id = "greedy-1"

    def __init__(self) -> None:
        self.read: list[str] = []

    def extract(self, text: ComputeText, relations: Sequence[str]) -> list[ModelFact]:
        assert "has" in relations
        self.read.append(text.text)
        return [ModelFact("", "has", word, text.text) for word in text.text.split() if len(word) > 3]


def everything(memory: Memory) -> str:
    """All that facts, documents and recall say."""
    memory.distil()
    parts = [f"{each.subject_name} {each.value} {[said.text for said in each.said]}" for each in memory.graph.history()]
    for row in memory.documents():
        document = memory.document(row.document)
        parts += [*document.summary, *document.tags, *document.entities]
    parts += [hit.text for hit in memory.recall(f"zqnova {ENVELOPE} 系统盘", viewer=Viewer("owner", HERE)).hits]
    return "\n".join(parts)


def ids(memory: Memory) -> list[tuple[str, str, str]]:
    memory.distil()
    return sorted((each.fact, each.subject, each.value) for each in memory.graph.history())


CLEANED = MemoryPolicy(cleaner=parse_cleaner("json(content)"))
HIDDEN = MemoryPolicy(no_memory=True)


@pytest.mark.parametrize("archived", [False, True])
def test_no_way_in_passes_a_policy_by_and_what_comes_back_is_the_same(tmp_path: Path, archived: bool) -> None:
    @in_loop
    async def run() -> None:
        script = [call("look", 1, name="nova"), f"I looked: {OUTPUT}. It is a good machine."]
        async with World(tmp_path, ScriptedModel(script), look) as world:
            memory = world.app.memory
            memory.set_policies({"look": CLEANED})
            await world.say("what disk does that machine have? My cat is called zqbean.")
            if archived:
                await world.app.agent.start_anew(HERE)
            greedy = Greedy()
            memory.graph.extract(greedy)
            clean = everything(memory)
            assert ENVELOPE not in clean + "".join(greedy.read)
            assert "zqnova" in clean
            assert "zqbean" in clean
            first, digest = ids(memory), memory.digest()
            documents = [row.document for row in memory.documents()]
            assert len(documents) == archived

            memory.set_policies({"look": HIDDEN})
            assert not any("zqnova" in each.said[0].text for each in memory.graph.history()), "at once"
            memory.settle()
            hidden = everything(memory)
            assert "zqnova" not in hidden
            assert "512GB" not in hidden
            assert "zqbean" in hidden
            assert memory.rebuild(verify=True).equal
            memory.rebuild()
            assert everything(memory) == hidden
            again = Greedy()
            memory.graph.extract(again)
            assert again.read == [], "it was asked already"

            memory.set_policies({"look": CLEANED})
            memory.settle()
            assert ids(memory) == first
            memory.rebuild()
            assert ids(memory) == first
            assert [row.document for row in memory.documents()] == documents
            assert memory.digest() == digest

    run()


@in_loop
async def test_a_model_is_not_shown_what_is_hidden_when_it_is_asked(tmp_path: Path) -> None:
    key = "sk-" + "abcdefghijklmnop1234"
    script = [call("look", 1, name="nova"), f"I looked: {OUTPUT}. The key is {key}."]
    async with World(tmp_path, ScriptedModel(script), look) as world:
        memory = world.app.memory
        memory.set_policies({"look": HIDDEN})
        await world.say("what disk does that machine have?")
        model = ScriptedModel(lambda _request: "[]")
        facts = ModelFacts(model, asyncio.get_running_loop())
        assert await asyncio.to_thread(memory.graph.extract, facts) == 1
        read = "\n".join(message.text for request in model.requests for message in request.messages)
        assert "what disk" in read
        assert "zqnova" not in read
        assert key not in read
