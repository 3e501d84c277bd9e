"""The two scenes that HomeAgent was begun for, through the whole agent, over a real local server."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from homeagent.agent import Incoming
from homeagent.agent.events import Said, TextDelta
from homeagent.app import App, AppParts
from homeagent.builtin import files, shell
from homeagent.memory import OWNER, Viewer
from homeagent.memory.embed import NoEmbedder
from homeagent.models import Timeouts
from tests.agent.worlds import HERE, Ui, in_loop
from tests.models.server import Answer, FakeServer, calls, says

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from homeagent.memory import Hit


def asks_for(name: str, **arguments: object) -> Answer:
    """Return a stream that asks for a call, its arguments cut in two as servers do."""
    text = json.dumps(arguments, ensure_ascii=False)
    half = len(text) // 2
    return calls(
        [{"index": 0, "id": "c1", "type": "function", "function": {"name": name, "arguments": text[:half]}}],
        [{"index": 0, "function": {"arguments": text[half:]}}],
    )


def opened(home: Path, server: FakeServer, settings: Mapping[str, Mapping[str, object]]) -> App:
    patient = server.model(timeouts=Timeouts(20.0, 30.0, 30.0))  # importing the client takes a while
    parts = AppParts(patient, [files.PLUGIN, shell.PLUGIN], plugin_settings=settings, embedder=NoEmbedder())
    return App.open(home, parts)


def top(app: App, question: str) -> Hit:
    return app.memory.recall(question, viewer=Viewer(OWNER, HERE)).hits[0]


def values(database: Path) -> Iterator[str]:
    """Yield everything a database file holds, blobs as text."""
    connection = sqlite3.connect(database)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - the file's own names
            yield from (each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each) for each in row)
    connection.close()


@in_loop
async def test_scene_passwd_the_reply_is_remembered_and_the_output_is_not(tmp_path: Path) -> None:
    reply = "好的～第一行是 root，uid=0，它是超级管理员哦 (｀・ω・´)"
    server = FakeServer(asks_for("cmd_run", command="cat /etc/passwd"), says(reply[:9], reply[9:]), says("面馆不错。"))
    ui = Ui(consent=True)
    async with server, opened(tmp_path, server, {}) as app:
        answer = await app.agent.respond(Incoming("帮我看一下 /etc/passwd 里都有哪些账号", HERE), ui)
        assert answer == reply, ui.events
        await app.agent.respond(Incoming("今天午饭吃什么好", HERE))
        assert "cat /etc/passwd" in ui.questions[0]
        assert [type(event) for event in ui.events[-4:-1]] == [TextDelta, TextDelta, Said]
        # The model saw the whole output in the turn, and sees it still in the next.
        passwd = Path("/etc/passwd").read_text("utf-8")
        assert passwd in server.bodies[1]["messages"][-1]["content"]
        assert passwd in server.bodies[2]["messages"][3]["content"]
        first = next(app.memory.turns()).turn_id
        assert top(app, "谁是超级管理员").turn == first
        assert top(app, "root 是什么账号").turn == first
        raw = [row.segment for row in app.memory.raw(first)]
        assert [each.role for each in raw] == ["user", "assistant", "tool", "assistant"]
        assert raw[2].text == passwd
        assert raw[3].text == reply
        app.memory.settle()
    computed = list(values(tmp_path / "derived.db"))
    lines = [line for line in passwd.splitlines() if len(line) >= 8]
    assert len(lines) > 5
    assert not [line for line in lines if any(line in value for value in computed)]
    assert any("超级管理员" in value for value in computed)
    kept = "\n".join(values(tmp_path / "log.db"))
    assert passwd in kept


@in_loop
async def test_scene_deploy_py_the_turn_is_found_by_what_the_tool_returned(tmp_path: Path) -> None:
    server_folder = tmp_path / "srv" / "app"
    server_folder.mkdir(parents=True)
    listing = server_folder / "files.txt"
    listing.write_text("main.py\nutils.py\ndeploy.py\n", "utf-8")
    home = tmp_path / "home"
    server = FakeServer(asks_for("files_read", path=str(listing)), says("有好几个呢～"), says("三四天一次就够了。"))
    async with server, opened(home, server, {"files": {"roots": [str(tmp_path / "srv")]}}) as app:
        await app.agent.respond(Incoming("服务器上的 Python 文件有哪些？", HERE))
        await app.agent.respond(Incoming("客厅的绿萝要几天浇一次水", HERE))
        first = next(app.memory.turns()).turn_id
        output = json.loads(app.memory.raw(first)[2].segment.text)
        assert output["content"] == "main.py\nutils.py\ndeploy.py\n"
        assert top(app, "deploy.py 在哪个目录").turn == first
        assert top(app, "deploy").turn == first
        assert top(app, f"{server_folder} 里有什么").turn == first, "found by its arguments too"
        computed = "\n".join(row.text.text for row in app.memory.computed(first))
        assert "deploy.py" in computed
        assert str(listing) in computed
        others = [key for key in output if key != "content" and f'"{key}"' in computed]
        assert others == [], "the JSON around the content is not computed"


@in_loop
async def test_scene_the_second_day_the_reply_is_recalled_into_the_prompt(tmp_path: Path) -> None:
    reply = "好的～第一行是 root，uid=0，它是超级管理员哦"
    server = FakeServer(asks_for("cmd_run", command="head -1 /etc/passwd"), says(reply), says("root 呀。"))
    async with server:
        async with opened(tmp_path, server, {}) as app:
            await app.agent.respond(Incoming("帮我看一下 /etc/passwd", HERE), Ui(consent=True))
            await app.agent.start_anew(HERE)
        async with opened(tmp_path, server, {}) as app:
            assert await app.agent.respond(Incoming("谁是超级管理员？", HERE)) == "root 呀。"
    messages = server.bodies[-1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user"]
    assert reply in messages[-1]["content"]
    assert messages[-1]["content"].startswith("谁是超级管理员？")
