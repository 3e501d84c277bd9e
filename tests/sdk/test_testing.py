from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from homeagent_sdk import (
    DeclarationError,
    Plugin,
    PluginContext,
    Recollected,
    Recollection,
    ToolContext,
    ToolError,
    ToolResult,
    function_cleaner,
    parse_cleaner,
    tool,
)
from homeagent_sdk.calling import call_function
from homeagent_sdk.results import Attachment, as_result
from homeagent_sdk.testing import FakeHost, FakeMemory, check_cleaner, run_tool

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Settings:
    greeting: str = "hello"


@dataclass
class Counter:
    calls: int = 0


@tool
async def greet(context: ToolContext, name: str, loud: bool = False) -> str:
    """Greet someone."""
    context.state(Counter).calls += 1
    context.progress("thinking of words")
    if name == "nobody":
        raise ToolError("name", "nobody is there", "Name somebody")
    if not await context.ask(f"Greet {name}?"):
        return "not greeted"
    await context.memory.note(f"greeted {name}")
    number = await context.inject("greet again", at=None)
    text = f"{context.settings(Settings).greeting} {name} ({number})"
    return text.upper() if loud else text


@tool
def add(numbers: list[int]) -> dict[str, int]:
    """Add numbers."""
    return {"sum": sum(numbers)}


def start(context: PluginContext) -> Counter:
    (context.data_folder / "started").touch()
    return Counter()


PLUGIN = Plugin("greeter", "1.0.0", tools=[greet, add], settings=Settings, on_start=start)


def test_a_tool_alone_runs_with_json_values() -> None:
    assert run_tool(add, numbers=[1, "2"]) == ToolResult('{"sum": 3}', data={"sum": 3})


def test_arguments_that_do_not_fit_come_back_as_the_model_would_read_them() -> None:
    result = run_tool(add, numbers=["x"])
    assert result.error
    assert json.loads(result.text) == {
        "error": [{"field": "numbers.0", "reason": 'is "x"', "hint": "Give a whole number"}]
    }


def test_a_host_remembers_what_a_plugin_did(tmp_path: Path) -> None:
    async def scene() -> None:
        async with FakeHost(PLUGIN, settings={"greeting": "hi"}, consent=True, data_folder=tmp_path) as host:
            assert (await host.call("greet", name="Bo")).text == "hi Bo (injection-1)"
            assert (await host.call("greet", name="Bo", loud="true")).text == "HI BO (INJECTION-2)"
            assert host.questions == ["Greet Bo?", "Greet Bo?"]
            assert host.progress == ["thinking of words"] * 2
            assert host.memory.notes == ["greeted Bo"] * 2
            assert [each.text for each in host.injected] == ["greet again"] * 2
            assert host.state == Counter(2)
            refused = await host.call("greet", name="nobody")
            assert json.loads(refused.text)["error"][0]["hint"] == "Name somebody"
            host.consent = False
            assert (await host.call("greet", name="Bo")).text == "not greeted"

    asyncio.run(scene())
    assert (tmp_path / "started").exists()


def test_a_temporary_folder_is_gone_afterwards() -> None:
    async def scene() -> Path:
        async with FakeHost(PLUGIN) as host:
            return host.data_folder

    assert not asyncio.run(scene()).exists()


def test_a_tool_that_is_not_there_is_a_mistake_of_the_test() -> None:
    with pytest.raises(DeclarationError, match="it has no tool 'gret'"):
        asyncio.run(FakeHost(PLUGIN).call("gret"))


def test_a_fake_memory_knows_what_it_is_told() -> None:
    hit = Recollected("t1", "Bean is a cat", None, "owner", "cli", "main")
    memory = FakeMemory(Recollection((hit, hit), nothing=False))
    assert asyncio.run(memory.recall("cat", limit=1)) == Recollection((hit,), nothing=False)


class Bare:
    def __repr__(self) -> str:
        return "<bare>"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", ToolResult("text")),
        (None, ToolResult("")),
        ("中".encode(), ToolResult("中")),
        (5, ToolResult("5", data=5)),
        ({"a": "中"}, ToolResult('{"a": "中"}', data={"a": "中"})),
        (Settings(), ToolResult('{"greeting": "hello"}', data={"greeting": "hello"})),
        ({1, 2}, ToolResult("[1, 2]", data=[1, 2])),
        ([Settings()], ToolResult('[{"greeting": "hello"}]', data=[{"greeting": "hello"}])),
        (Bare(), ToolResult("<bare>")),
        (
            b"\xff\xd8",
            ToolResult(
                "[2 bytes that are no text, kept as an attachment]",
                attachments=(Attachment("application/octet-stream", b"\xff\xd8"),),
            ),
        ),
    ],
)
def test_whatever_a_tool_returns_becomes_a_result(value: object, expected: ToolResult) -> None:
    assert as_result(value) == expected


def test_a_sync_function_that_hangs_holds_up_nobody() -> None:
    async def scene() -> float:
        started = time.perf_counter()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await call_function(lambda: time.sleep(5), is_async=False)
        return time.perf_counter() - started

    started = time.perf_counter()
    assert asyncio.run(scene()) < 2
    assert time.perf_counter() - started < 3, "ending the loop waited for the thread"


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), StopIteration(1)])
def test_what_would_end_the_loop_is_an_ordinary_error(error: BaseException) -> None:
    def leave() -> None:
        raise error

    with pytest.raises(RuntimeError, match=type(error).__name__):
        asyncio.run(call_function(leave, is_async=False))


def doubling(text: str) -> str:
    return text * 9


@pytest.mark.parametrize(
    ("spec", "samples", "complaint"),
    [
        ("json(content)", ['{"content": "a"}'], None),
        ("json(content)", ["no json"], "sample 1: raises CleanerError"),
        ("head(99999)", ["a", "b"], "it leaves every sample as it is"),
        ("head(0)", ["a"], "it lets nothing of any sample through"),
    ],
)
def test_a_cleaner_is_tried_on_samples(spec: str, samples: list[str], complaint: str | None) -> None:
    found = check_cleaner(parse_cleaner(spec), samples)
    assert (found == []) if complaint is None else any(each.startswith(complaint) for each in found)


def test_a_cleaner_that_makes_too_much_is_named() -> None:
    assert "returns more than" in check_cleaner(function_cleaner(doubling), ["a" * 10_000])[0]
    assert "no cleaner" in check_cleaner(None, [])[0]


@tool(confirm=True)
def throw_out(who: str, why: str = "") -> str:
    """Throw somebody out."""
    return f"{who} is out"


def test_a_tool_with_confirm_asks_before_it_is_called_and_hides_nothing_of_its_arguments() -> None:
    async def run() -> None:
        async with FakeHost(Plugin("door", "1", tools=[throw_out]), consent=True) as host:
            assert (
                await host.call("throw_out", who="李四 \u202e", why="noise\nall night")
            ).text == "李四 \u202e is out"
            assert host.questions == [
                'May I do this? 可以这样做吗？ throw_out\n  who = "李四 \\u202e"\n  why = "noise\\nall night"'
            ]
            host.consent = False
            refused = await host.call("throw_out", who="李四")
            assert host.questions[1].splitlines()[1:] == ['  who = "李四"', '  why = ""']  # what is left out too
            assert refused.error
            assert "did not agree" in refused.text

    asyncio.run(run())
