"""The memory under other agents: the examples run as they stand, and what tools said obeys its policies."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LISTING = "total 8\n-rw-r--r-- 1 root root 61 quarzuhr-5512.txt"
WEATHER = json.dumps(
    {"summary": "Sleet until noon in Innsbruck.", "raw": {"sensor": "pt100-88af3", "values": [1] * 40}}
)


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """Lend a loop to an agent that takes the thread's and leaves it open."""
    made = asyncio.new_event_loop()
    asyncio.set_event_loop(made)
    yield
    asyncio.set_event_loop(None)
    made.close()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", embedder=NoEmbedder()) as opened:
        yield opened


def check(memory: Memory) -> None:
    """Hold what both examples leave behind against the policies they declare."""
    rows = list(memory.turns())
    assert [row.status for row in rows] == ["done", "done"]
    first = {each.segment.tool or each.segment.role: each.segment for each in memory.segments(rows[0])}
    assert first["directory_listing"].text == LISTING  # raw is whole, byte for byte
    assert first["weather"].text == WEATHER
    assert json.loads(first["weather"].arguments or "") == {"city": "Innsbruck"}
    decisions = {each.tool or each.role: each.decision for each in memory.explain(rows[0].turn_id).segments}
    assert decisions["directory_listing"] == "hidden"
    assert decisions["weather"] == "cleaned"
    computed = " ".join(each.text.text for each in memory.computed(rows[0].turn_id))
    assert "Sleet until noon" in computed
    assert "pt100-88af3" not in computed
    assert "quarzuhr-5512" not in computed


def test_pydantic_ai_recalls_what_it_was_told_and_keeps_what_its_tools_said(memory: Memory) -> None:
    pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from examples.pydantic_ai_memory import Remembering

    def directory_listing() -> str:
        """List the files."""
        return LISTING

    def weather(city: str) -> str:
        """Tell the weather."""
        return WEATHER

    seen: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.instructions or "")
        if len(seen) == 1:
            calls = [ToolCallPart("directory_listing", {}), ToolCallPart("weather", {"city": "Innsbruck"})]
            return ModelResponse(parts=calls)
        return ModelResponse(parts=[TextPart("There is one file, and bad weather.")])

    agent = Remembering(memory, FunctionModel(model), [directory_listing, weather])
    assert agent.ask("lea", "My rabbit is called Mopsi. What is here?") == "There is one file, and bad weather."
    memory.settle()
    agent.ask("lea", "What is my rabbit called?")
    assert "Mopsi" in seen[-1]
    check(memory)


@pytest.mark.parametrize("kind", ["function", "chat model"])
def test_langgraph_recalls_what_it_was_told_and_keeps_what_its_tools_said(memory: Memory, kind: str) -> None:
    pytest.importorskip("langgraph")
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.tools import BaseTool, tool

    from examples.langgraph_memory import remembering

    @tool
    def directory_listing() -> str:
        """List the files."""
        return LISTING

    @tool
    def weather(city: str) -> str:
        """Tell the weather."""
        return WEATHER

    seen: list[list[AnyMessage]] = []

    def model(messages: list[AnyMessage]) -> AIMessage:
        seen.append(list(messages))
        if len(seen) == 1:
            calls = [
                {"name": "directory_listing", "args": {}, "id": "1"},
                {"name": "weather", "args": {"city": "Innsbruck"}, "id": "2"},
            ]
            return AIMessage("", tool_calls=calls)
        return AIMessage("There is one file, and bad weather.")

    class Scripted(BaseChatModel):
        """What a package of a provider brings: a class with the method, and with what it was told of tools."""

        told: tuple[str, ...] = ()

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: list[BaseTool], **_: object) -> Scripted:  # type: ignore[override]
            return Scripted(told=tuple(each.name for each in tools))

        def _generate(self, messages: list[AnyMessage], *_: object, **__: object) -> ChatResult:  # type: ignore[override]
            assert self.told == ("directory_listing", "weather")
            return ChatResult(generations=[ChatGeneration(message=model(messages))])

    used = Scripted() if kind == "chat model" else model
    graph = remembering(memory, used, [directory_listing, weather])
    first = graph.invoke({"messages": [HumanMessage("My rabbit is called Mopsi.")], "person": "lea", "chat": "one"})
    assert first["messages"][-1].text == "There is one file, and bad weather."
    memory.settle()
    graph.invoke({"messages": [HumanMessage("What is my rabbit called?")], "person": "lea", "chat": "two"})
    assert isinstance(seen[-1][0], SystemMessage)
    assert "Mopsi" in str(seen[-1][0].content)
    check(memory)


def test_what_one_person_says_to_such_an_agent_is_not_recalled_before_another(memory: Memory) -> None:
    pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from examples.pydantic_ai_memory import Remembering

    seen: list[str] = []

    def model(_messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.instructions or "")
        return ModelResponse(parts=[TextPart("Yes.")])

    Remembering(memory, FunctionModel(model), chat="lea").ask("lea", "My locker code word is tarragon-17.")
    Remembering(memory, FunctionModel(model), chat="max").ask("max", "What is the locker code word?")
    assert "tarragon-17" not in seen[-1]
