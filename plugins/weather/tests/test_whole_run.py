"""A whole run: the agent calls the plugin in its own process; what the service said is kept and not computed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from dev.plugin_tests.whole_run import call, stand_in, whole_run

if TYPE_CHECKING:
    from pathlib import Path


def test_the_report_is_kept_and_only_the_words_about_it_are_computed(tmp_path: Path) -> None:
    async def run() -> None:
        script = [call("weather_now", place="上海"), "我们推迟了周五去植物园的计划。"]
        with stand_in("weather", "standin") as address:
            settings = {"forecast_url": address, "places_url": address}
            permissions = [f"net:{address.removeprefix('http://')}"]
            async with whole_run(
                tmp_path / "home", "weather", script, settings=settings, permissions=permissions
            ) as world:
                await world.say("上海下雨吗？")
                assert "小雨，14.2°C" in world.outputs()[0]
                assert "植物园" in world.found("去植物园的计划怎么样了？")[0].text
                for hidden in ("14.2", "体感", "Asia/Shanghai", "place="):
                    assert hidden not in world.computed()

    asyncio.run(run())
