"""A whole run: an event by the Chinese calendar, in the plugin's own process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from dev.plugin_tests.whole_run import call, whole_run

if TYPE_CHECKING:
    from pathlib import Path


def test_an_event_is_found_by_recall_and_its_reminder_waits_in_the_home(tmp_path: Path) -> None:
    async def run() -> None:
        event = call("calendar_add", title="外婆的寿宴在望江楼", lunar="八月十五", remind_minutes=[1440])
        listed = call("calendar_list", 2, first="2033-09-01", last="2033-09-30")
        script = [event, "记下了。", listed, "在九月八日。"]
        async with whole_run(tmp_path / "home", "calendar", script, settings={"zone": "Asia/Shanghai"}) as world:
            await world.say("帮我写进日历。")
            assert "望江楼" in world.found("寿宴在哪里办？")[0].text
            assert "日程提醒：外婆的寿宴在望江楼" in (tmp_path / "home" / "waiting.json").read_text()
            await world.say("2033 年是哪天？")
            assert world.outputs()[-1].startswith("2033-09-08 Thu 星期四 农历癸丑年八月十五: 外婆的寿宴在望江楼")

    asyncio.run(run())
