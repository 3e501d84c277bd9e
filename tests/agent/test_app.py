"""The app as it is opened for a person: every built-in, no model at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from homeagent.agent import Incoming
from homeagent.app import App, AppParts
from homeagent.errors import ConfigError
from homeagent.memory.embed import NoEmbedder
from homeagent.models import ScriptedModel
from homeagent.plugins import PluginError
from homeagent_sdk import MemoryPolicy
from tests.agent.worlds import HERE, Ui, call, in_loop

if TYPE_CHECKING:
    from pathlib import Path


def opened(home: Path, **parts: object) -> App:
    return App.open(home, AppParts(embedder=NoEmbedder(), **parts))  # type: ignore[arg-type]


@in_loop
async def test_without_a_model_it_answers_from_memory_and_remembers_no_echo(tmp_path: Path) -> None:
    async with opened(tmp_path) as app:
        answer = await app.agent.respond(Incoming("Bean the cat sleeps on the boiler", HERE))
        assert answer == "I find nothing about that in my memory."
        await app.agent.start_anew(HERE)
        answer = await app.agent.respond(Incoming("where does Bean sleep?", HERE))
        assert "Bean the cat sleeps on the boiler" in answer
        assert sum("boiler" in row.text.text for row in app.memory.all_computed()) == 1


@in_loop
async def test_every_built_in_starts_with_its_policy_declared(tmp_path: Path) -> None:
    async with opened(tmp_path) as app:
        tools = app.registry.tools
        assert {"read_more", "memory_recall", "memory_note", "files_read", "cmd_run", "terminal_create"} <= set(tools)
        policies = {row["tool"]: row for row in app.memory.policies()}
        assert policies["cmd_run"]["treatment"] == "hidden"
        assert policies["memory_recall"]["treatment"] == "hidden"
        assert policies["files_read"]["treatment"] == "cleaner"
        assert tools["cmd_run"].policy == MemoryPolicy(no_memory=True)


@in_loop
async def test_a_tool_of_the_memory_sees_the_memory(tmp_path: Path) -> None:
    script = [
        call("memory_note", 1, text="the spare key is under the flowerpot"),
        "noted",
        call("memory_recall", 2, question="where is the spare key"),
        "under the flowerpot",
    ]
    async with opened(tmp_path, model=ScriptedModel(script)) as app:
        await app.agent.respond(Incoming("note that the spare key is under the flowerpot", HERE))
        await app.agent.respond(Incoming("and where is it?", HERE))
        turns = [[row.segment for row in app.memory.segments(turn)] for turn in app.memory.turns()]
    assert [each.text for each in turns[1]] == ["the spare key is under the flowerpot"]
    recalled = turns[-1][2]
    assert "the spare key is under the flowerpot" in recalled.text
    assert recalled.cites


@in_loop
async def test_a_command_typed_by_the_owner_asks_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as app:
        ui = Ui(consent=True)
        assert "typed" in await app.agent.respond(Incoming("/tool cmd_run command='echo typed'", HERE), ui)
        assert ui.questions
        refused = Ui(consent=False)
        assert "did not agree" in await app.agent.respond(Incoming("/tool cmd_run command='echo x'", HERE), refused)


def test_the_pinned_block_is_read_from_the_home(tmp_path: Path) -> None:
    (tmp_path / "about.md").write_text("Bean 是猫。", "utf-8")
    model = ScriptedModel(["hi"])

    @in_loop
    async def scene() -> None:
        async with opened(tmp_path, model=model) as app:
            await app.agent.respond(Incoming("hi", HERE))

    scene()
    assert "About the people of this home:\nBean 是猫。" in model.requests[0].messages[0].text
    (tmp_path / "about.md").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"about\.md: can't be read"):
        opened(tmp_path)


def test_settings_of_a_plugin_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"config\.toml \[plugins\.shel\]: there is no such plugin\. There are "):
        opened(tmp_path, plugin_settings={"shel": {}})
    with pytest.raises(PluginError, match=r"config\.toml \[plugins\.shell\]: allw: there is no such setting"):
        opened(tmp_path, plugin_settings={"shell": {"allw": []}})
    opened(tmp_path).memory.shutdown()
