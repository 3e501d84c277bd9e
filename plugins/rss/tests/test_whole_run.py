"""A whole run: a feed is subscribed to with consent, a new item comes into the home once and is not computed."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from typing import TYPE_CHECKING

from dev.plugin_tests.whole_run import call, stand_in, whole_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FEED = """<rss version="2.0"><channel><title>社区新闻</title>{}</channel></rss>"""
ITEM = (
    "<item><title>{0}</title><guid>{0}</guid><link>https://example.org/{1}</link><description>{2}</description></item>"
)


def put(address: str, *items: str) -> None:
    request = urllib.request.Request(f"{address}/put/news", data=FEED.format("".join(items)).encode(), method="POST")  # noqa: S310
    urllib.request.urlopen(request).close()  # noqa: S310


async def until(found: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not found():
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


def test_a_new_item_comes_once_is_kept_and_not_computed(tmp_path: Path) -> None:
    async def run() -> None:
        with stand_in("rss", "standin") as address:
            put(address, ITEM.format("旧闻", 1, "早就有了"))
            settings = {"allow_private": True, "shortest_minutes": 0.005}
            script = [
                call("rss_subscribe", address=f"{address}/news", minutes=0.01),
                "订阅好了。",
                call("rss_list", 2),
                "一个。",
            ]
            permissions = [f"net:{address.removeprefix('http://')}"]
            async with whole_run(
                tmp_path / "home", "rss", script, settings=settings, permissions=permissions, consent=True
            ) as world:
                await world.say("订阅社区新闻。")
                assert f'address = "{address}/news"' in world.questions[0]
                assert "旧闻" in world.outputs()[0]
                assert "旧闻" not in world.computed()
                assert "rss_subscribe" not in world.computed()
                put(address, ITEM.format("停水通知", 2, "周三上午停水"), ITEM.format("旧闻", 1, "早就有了"))
                inbox = tmp_path / "home" / "waiting.json"
                await until(lambda: inbox.exists() and "停水通知" in inbox.read_text())
                (waiting,) = json.loads(inbox.read_text())
                assert waiting["text"] == (
                    "「社区新闻」有 1 条新内容：\n\n1. 停水通知\nhttps://example.org/2\n周三上午停水"
                )
                assert (waiting["channel"], waiting["chat"], waiting["no_memory"]) == ("cli", "main", True)
                await asyncio.sleep(1.5)  # it is looked at twice more
                assert len(json.loads(inbox.read_text())) == 1
                await world.say("我订阅了什么？")
                assert "社区新闻" in world.found("订阅了哪些新闻？")[0].text

    asyncio.run(run())
