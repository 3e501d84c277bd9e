"""MCP servers in a running app: the agent uses their tools, the memory goes by their policies, changes are followed."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from homeagent.agent import Incoming
from homeagent.app import App, AppParts
from homeagent.errors import ConfigError
from homeagent.mcp_client import consents_of
from homeagent.memory import OWNER, Viewer
from homeagent.memory.embed import NoEmbedder
from homeagent.models import Say, ScriptedModel
from homeagent.plugins import Consent
from homeagent_sdk import MemoryPolicy
from tests.agent.worlds import HERE, Ui, call, in_loop
from tests.mcp_client.worlds import FRIENDLY, RAW, agreed, program, served, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from homeagent.config import McpSettings


@contextlib.asynccontextmanager
async def home_with(root: Path, steps: Sequence[object] = (), **servers: McpSettings) -> AsyncIterator[App]:
    """Open a home whose owner has agreed to these servers."""
    for name, settings in servers.items():
        consents_of(root).give(name, await agreed(name, settings, root))
    parts = AppParts(ScriptedModel(list(steps)), (), embedder=NoEmbedder(), mcp=servers)  # type: ignore[arg-type]
    async with App.open(root, parts) as app:
        yield app


async def say(app: App, text: str) -> str:
    return await app.agent.respond(Incoming(text, HERE), Ui(consent=True))


def computed(app: App) -> str:
    app.memory.settle()
    return "\n".join(row.text.text for row in app.memory.all_computed())


STEPS = [
    Say(calls=(call("friend__noise"), call("friend__wrapped", 2, said="The boiler was serviced in May."))),
    "zqnoise8841 zqnoise8841 - noted, the boiler is fine.",
    call("friend__greet", 3, name="Bean"),
    "Done.",
]


@in_loop
async def test_the_agent_uses_its_tools_and_its_policies_decide_what_is_computed(tmp_path: Path) -> None:
    async with home_with(tmp_path, STEPS, friend=program(FRIENDLY)) as app:
        await say(app, "The spare key hangs behind the boiler.")
        await say(app, "Greet Bean.")
        offered = {tool.name for tool in app.model.requests[0].tools}  # type: ignore[attr-defined]
        assert {"friend__noise", "friend__wrapped"} <= offered
        raw = [row.segment for turn in app.memory.turns() for row in app.memory.segments(turn)]
        kept = {each.tool: each for each in raw if each.role == "tool"}
        assert kept["mcp.friend.noise"].text == "zqnoise8841 " * 40
        assert (kept["mcp.friend.noise"].plugin, kept["mcp.friend.noise"].plugin_version) == ("mcp.friend", "1.2.3")
        assert "\x1b[31m" in kept["mcp.friend.greet"].text
        text = computed(app)
        assert "zqnoise8841" not in text
        assert "zqetag7719" not in text
        assert "The boiler was serviced in May." in text
        assert "Hello Bean, 你好 red" in text
        hits = app.memory.recall("where is the spare key", viewer=Viewer(OWNER, HERE)).hits
        assert "behind the boiler" in hits[0].text
        why = {each["tool"]: each["treatment"] for each in app.memory.policies()}
        assert why["mcp.friend.noise"] == "hidden"
        assert why["mcp.friend.wrapped"] == "cleaner"
        assert why["mcp.friend.greet"] == "default"


@in_loop
async def test_the_owner_has_the_last_word_by_tool_then_by_glob(tmp_path: Path) -> None:
    async with home_with(tmp_path, STEPS, friend=program(FRIENDLY)) as app:
        app.memory.set_policies({"mcp.friend.*": MemoryPolicy(no_memory=True), "mcp.friend.noise": MemoryPolicy()})
        await say(app, "Look.")
        text = computed(app)
        assert "zqnoise8841" in text
        assert "serviced in May" not in text
        app.memory.set_policies({"mcp.friend.*": None, "mcp.friend.noise": None})
        text = computed(app)
        assert "zqnoise8841" not in text
        assert "serviced in May" in text


@in_loop
async def test_what_a_server_says_otherwise_is_derived_again_and_one_that_is_gone_keeps_its_policy(
    tmp_path: Path,
) -> None:
    async with home_with(tmp_path, STEPS, friend=program(FRIENDLY)) as app:
        await say(app, "Look.")
        assert "zqnoise8841" not in computed(app)
        await app.use_mcp({})
        assert not [name for name in app.registry.tools if name.startswith("friend__")]
        assert "zqnoise8841" not in computed(app)
        app.memory.declare_policies({"mcp.friend.noise": None})  # it says nothing of it any more
        assert "zqnoise8841" in computed(app)
        app.memory.declare_policies({"mcp.friend.noise": MemoryPolicy(no_memory=True)})
        assert "zqnoise8841" not in computed(app)


@in_loop
async def test_servers_come_and_go_with_the_settings_and_with_what_is_agreed_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    friend, raw = program(FRIENDLY), program(RAW)
    async with home_with(tmp_path) as app:
        await app.use_mcp({"friend": friend, "raw": raw})
        assert not [name for name in app.registry.tools if "__" in name]
        lines = [each for each in caplog.messages if "look and agree with homeagent mcp consent" in each]
        assert len(lines) == 2
        consents_of(tmp_path).give("raw", await agreed("raw", raw, tmp_path))
        await until(lambda: "raw__say" in app.registry.tools)
        consents_of(tmp_path).give("friend", await agreed("friend", friend, tmp_path))
        await until(lambda: "friend__greet" in app.registry.tools)
        await app.use_mcp({"friend": friend, "raw": program(RAW, enabled=False)})
        assert "raw__say" not in app.registry.tools
        assert "friend__greet" in app.registry.tools
        consents_of(tmp_path).take_back("friend")
        await until(lambda: "friend__greet" not in app.registry.tools)
        with pytest.raises(ConfigError, match="there is no such plugin"):
            await app.use_plugins({"mcp.raw": {"speed": 9}})


@in_loop
async def test_one_that_can_not_start_is_named_in_one_line_and_the_others_are_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bad = program(RAW, "exits")
    consents_of(tmp_path).give("bad", Consent("1", True, {}, (f"runs {bad.command} {RAW} exits",)))
    async with home_with(tmp_path, ["Yes."], friend=program(RAW)) as app:
        await app.use_mcp({"friend": program(RAW), "bad": bad})
        assert "friend__say" in app.registry.tools
        assert await say(app, "Are you there?") == "Yes."
        (line,) = [each for each in caplog.messages if "'bad'" in each]
        assert line.startswith("mcp server 'bad': it did not start (its process ended (exit code 2)). See ")
        assert "I have no licence" in (tmp_path / "logs" / "mcp-bad.txt").read_text()


@in_loop
async def test_tools_that_change_while_it_runs_reach_the_agent_and_the_memory(tmp_path: Path) -> None:
    friend = program(FRIENDLY)
    whole = await agreed("friend", friend, tmp_path)
    steps = [call("friend__learn", name="trick"), "Learned.", call("friend__trick", 2), "There."]
    async with home_with(tmp_path, steps, friend=friend) as app:
        agreed_now = Consent("1", True, {**whole.tools, "trick": "default"}, whole.permissions)
        consents_of(tmp_path).give("friend", agreed_now)
        await until(lambda: "friend__greet" not in app.registry.tools)
        await until(lambda: "friend__greet" in app.registry.tools)
        await say(app, "Learn a trick.")
        await until(lambda: "friend__trick" in app.registry.tools)
        await say(app, "Do the trick.")
        (*_, newest) = app.memory.turns()
        last = [row.segment for row in app.memory.segments(newest) if row.segment.role == "tool"]
        assert [(each.tool, each.text) for each in last] == [("mcp.friend.trick", "tada")]


@in_loop
async def test_a_server_at_an_address_joins_as_well(tmp_path: Path) -> None:
    from homeagent.config import McpSettings

    with served() as (url, _):
        async with home_with(tmp_path, STEPS, friend=McpSettings(url=url)) as app:
            await say(app, "The spare key hangs behind the boiler.")
            text = computed(app)
            assert "zqnoise8841" not in text
            assert "The boiler was serviced in May." in text
