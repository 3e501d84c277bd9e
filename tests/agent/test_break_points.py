"""The seven places where an older system lost a tool's output on its way into memory, followed in one go.

agent (the call gives its output back) -> log (it is kept whole) -> context (the next turns see it, after a restart too)
-> archive (the document shows it whole) -> derive (its cleaned text is computed) -> recall (the turn is found by it)
-> export (another home has it, byte for byte).
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from homeagent.agent.events import ToolFinished
from homeagent.memory import Memory
from homeagent.memory.embed import NoEmbedder
from homeagent.memory.transfer import export_file, import_file
from homeagent.models import Say
from tests.agent.worlds import HERE, World, call, in_loop

if TYPE_CHECKING:
    from pathlib import Path

    from homeagent.models import ModelRequest

OUTPUT = json.dumps(
    {
        "ok": True,
        "path": "/srv/app",
        "etag": "zqetag4410",
        "encoding": "utf-8",
        "content": "main.py\nutils.py\ndeploy.py\n",
    }
)


@in_loop
async def test_a_tool_output_goes_whole_through_agent_log_context_archive_derive_recall_and_export(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    script = [Say("我看看", (call("files_read", path="/srv/app"),)), "有好几个呢～", "嗯", "是的"]
    async with World(home, script) as world:
        await world.say("服务器上的 Python 文件有哪些？")
        # 1, 2, 3: the call's output comes back to the agent, to the model and to whoever looks on
        assert [event.text for event in world.ui.of(ToolFinished)] == [OUTPUT]  # type: ignore[union-attr]
        assert OUTPUT in world.requests[1].messages[-1].text
        # 4: it is in the log, whole, with its tool, call and arguments
        turn = next(world.app.memory.turns())
        kept = world.raw()[0][2]
        assert (kept.text, kept.tool, kept.call_id) == (OUTPUT, "files_read", "c1")
        assert kept.arguments == '{"path": "/srv/app"}'
        # ... and in the context of the next turn
        await world.say("客厅的绿萝要几天浇一次水")
        assert OUTPUT in seen(world.requests[2])
    async with World(home, ["是的", "好"]) as world:
        await world.say("你还在吗")
        assert OUTPUT in seen(world.requests[0]), "after a restart too"
        # 5: what is computed of it is what its cleaner leaves, and its arguments
        computed = {row.role: row.text.text for row in world.app.memory.computed(turn.turn_id)}
        assert computed["tool"] == "files_read path=/srv/app\nmain.py\nutils.py\ndeploy.py\n"
        # 6: the turn is found by it, whether in view or not
        assert world.hits("deploy.py 在哪个目录")[0].turn == turn.turn_id
        # 7: what leaves the window is archived whole, and found and recalled all the same
        await world.app.agent.start_anew(HERE)
        (document,) = world.app.memory.documents()
        assert f'files_read {{"path": "/srv/app"}}: {OUTPUT}' in world.app.memory.document_text(document.document)
        await world.say("deploy.py 在哪个目录？")
        assert OUTPUT not in seen(world.requests[-1]), "it is out of view"
        assert "deploy.py" in world.requests[-1].messages[-1].text, "and recalled"
        export_file(world.app.memory, tmp_path / "all.jsonl")
        everything = world.raw()
    with Memory.open(tmp_path / "other", embedder=NoEmbedder()) as other:
        import_file(other, tmp_path / "all.jsonl")
        again = [[row.segment for row in other.segments(each)] for each in other.turns()]
        first = next(other.turns()).turn_id
    assert first in again[-1][-1].cites, "what is cited is found under its id in the other home"
    assert [[replace(each, cites=()) for each in turn] for turn in again] == [
        [replace(each, cites=()) for each in turn] for turn in everything
    ]


def seen(request: ModelRequest) -> str:
    return "\n".join(message.text for message in request.messages)
