from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from homeagent.plugins import PluginError
from homeagent_sdk import MemoryPolicy, Message, Plugin, PluginContext, stage, tool
from tests.plugins.worlds import World, in_loop

if TYPE_CHECKING:
    from pathlib import Path


@tool(no_memory=True)
def cmd_run(command: str) -> str:
    """Run a command."""
    return command


@tool(cleaner="json(content)", timeout=5)
def files_read(path: str) -> str:
    """Read a file."""
    return path


@tool(returns_memory=True, parallel=True)
def memory_recall(question: str) -> str:
    """Recall."""
    return question


@tool(name="cmd_run")
def other_run(command: str) -> str:
    """Run a command elsewhere."""
    return command


@stage.on_input.decide
def first(message: Message) -> bool:
    return True


@stage.on_input.decide
def second(message: Message) -> bool:
    return True


def test_a_registry_knows_every_tool_and_its_policy(tmp_path: Path) -> None:
    shell, files = Plugin("shell", "1", tools=[cmd_run]), Plugin("files", "2", tools=[files_read, memory_recall])
    registry = World(tmp_path, shell, files).registry
    assert list(registry.tools) == ["cmd_run", "files_read", "memory_recall"]
    assert registry.policies()["cmd_run"] == MemoryPolicy(no_memory=True)
    assert registry.policies()["files_read"] == files_read.policy
    assert registry.returning_memory() == ("memory_recall",)
    declared = registry.tools["files_read"]
    assert (declared.plugin, declared.plugin_version, declared.timeout) == ("files", "2", 5)
    assert registry.tools["memory_recall"].parallel
    assert registry.plugins == ("shell", "files")


def test_two_tools_of_one_name_are_refused_with_both_plugins_named(tmp_path: Path) -> None:
    world = World(tmp_path, Plugin("shell", "1", tools=[cmd_run]))
    with pytest.raises(PluginError) as caught:
        World.__init__(world, tmp_path, *[Plugin("shell", "1", tools=[cmd_run]), Plugin("box", "1", tools=[other_run])])
    assert "plugin 'box': its tool 'cmd_run' is also a tool of plugin 'shell'" in str(caught.value)
    assert list(world.registry.tools) == ["cmd_run"]


def test_a_plugin_of_a_known_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="there is a plugin of that name already"):
        World(tmp_path, Plugin("shell", "1"), Plugin("shell", "2"))


def test_handlers_come_in_the_order_of_registration(tmp_path: Path) -> None:
    registry = World(tmp_path, Plugin("b", "1", stages=[second]), Plugin("a", "1", stages=[first])).registry
    assert [(each.plugin, each.name) for each in registry.handlers("on_input", "decide")] == [
        ("b", "second"),
        ("a", "first"),
    ]
    assert registry.handlers("after_output", "observe") == ()


@in_loop
async def test_after_the_start_nothing_can_be_registered(tmp_path: Path) -> None:
    world = World(tmp_path, Plugin("shell", "1"))
    await world.registry.start()
    late = World(tmp_path, Plugin("late", "1")).registry.runner("late")
    with pytest.raises(PluginError, match=r"plugin 'late': the plugins are running, so none can be added\. Register"):
        world.registry.register(late)


@in_loop
async def test_plugins_stop_in_the_reverse_order_and_a_failure_stops_no_other(tmp_path: Path) -> None:
    events: list[str] = []

    def starting(context: PluginContext) -> None:
        events.append(f"start {context.plugin}")

    def stopping(context: PluginContext) -> None:
        events.append(f"stop {context.plugin}")
        if context.plugin == "b":
            raise RuntimeError("no")

    plugins = [Plugin(name, "1", on_start=starting, on_stop=stopping) for name in ("a", "b", "c")]
    registry = World(tmp_path, *plugins).registry
    await registry.start()
    await registry.stop()
    assert events == ["start a", "start b", "start c", "stop c", "stop b", "stop a"]
    await registry.stop()
    assert len(events) == 6


@in_loop
async def test_a_plugin_that_does_not_start_is_named_and_the_others_are_stopped(tmp_path: Path) -> None:
    stopped: list[str] = []

    async def failing(context: PluginContext) -> None:
        await asyncio.sleep(0)
        raise OSError("no socket")

    def stop(context: PluginContext) -> None:
        stopped.append(context.plugin)

    registry = World(tmp_path, Plugin("a", "1", on_stop=stop), Plugin("b", "1", on_start=failing)).registry
    with pytest.raises(PluginError, match=r"plugin 'b': it did not start \(OSError: no socket\)"):
        await registry.start()
    assert stopped == ["a"]


@dataclass(frozen=True)
class Settings:
    days: int = 1


def test_settings_that_can_not_be_used_name_the_key_in_the_configuration(tmp_path: Path) -> None:
    with pytest.raises(PluginError) as caught:
        World(tmp_path, Plugin("weather", "1", settings=Settings), weather={"days": "many"})
    assert str(caught.value) == 'config.toml [plugins.weather]: days: is "many". Give a whole number'
    with pytest.raises(PluginError, match="the plugin has no settings, got days"):
        World(tmp_path, Plugin("weather", "1"), weather={"days": 1})
