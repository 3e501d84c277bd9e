"""A whole run: a memo and its reminder, in the plugin's own process, over a restart of the home."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from dev.plugin_tests.whole_run import call, whole_run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_memo_is_found_by_recall_and_its_reminder_waits_in_the_home(tmp_path: Path) -> None:
    async def run() -> None:
        memo = call("memo_add", text="备用钥匙在三号花盆下面", remind_at="2035-05-02T09:00")
        script = [memo, "记下了。", call("memo_list", 2), "就这一条。"]
        async with whole_run(tmp_path / "home", "memo", script, settings={"zone": "Asia/Shanghai"}) as world:
            await world.say("帮我记一下。")
            assert "三号花盆" in world.found("备用钥匙在哪里？")[0].text
            waiting = (tmp_path / "home" / "waiting.json").read_text()
            assert "备忘提醒：备用钥匙在三号花盆下面" in waiting
            assert "2035-05-02T09:00:00+08:00" in waiting
            await world.say("有哪些备忘？")
            assert "三号花盆" in world.outputs()[-1]
            assert "2035-05-02 09:00" in world.outputs()[-1]

    asyncio.run(run())
