"""A whole run: QQ as a channel and the tools, the plugin in its own process, against a stand-in of NapCat."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
import urllib.request
from typing import TYPE_CHECKING

from dev.plugin_tests.whole_run import call, stand_in, whole_run
from homeagent.config import ChannelOptions
from homeagent.memory import Place, Viewer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from dev.plugin_tests.whole_run import WholeRun
    from homeagent.models import Step

GROUP = "group:123456"
OPTIONS = ChannelOptions(owners=("10001",), members=("10002",), groups=(GROUP,), merge_seconds=0.0)


class Qq:
    """The stand-in, spoken to over HTTP."""

    def __init__(self, addresses: str) -> None:
        self.url, self.ws_url = addresses.split()

    def tell(self, number: int, user: int, raw: str, *, group: int = 0, name: str = "") -> None:
        event = {
            "self_id": 10000,
            "user_id": user,
            "time": 1777600823,
            "message_id": number,
            "message_type": "group" if group else "private",
            "sender": {"user_id": user, "nickname": name, "card": ""},
            "raw_message": raw,
            "message": [{"type": "text", "data": {"text": raw}}],
            "sub_type": "normal" if group else "friend",
            "post_type": "message",
            **({"group_id": group} if group else {"target_id": user}),
        }
        request = urllib.request.Request(f"{self.url}/_event", json.dumps(event).encode(), method="POST")  # noqa: S310
        urllib.request.urlopen(request).close()  # noqa: S310

    def put(self, name: str, data: bytes) -> None:
        request = urllib.request.Request(f"{self.url}/_put/{name}", data, method="POST")  # noqa: S310
        urllib.request.urlopen(request).close()  # noqa: S310

    def sent(self) -> list[dict[str, object]]:
        with urllib.request.urlopen(f"{self.url}/_calls") as answer:  # noqa: S310
            return [given for action, given in json.load(answer) if action.startswith("send_")]

    def listeners(self) -> int:
        with urllib.request.urlopen(f"{self.url}/_calls") as answer:  # noqa: S310
            return sum(action == "get_login_info" for action, _ in json.load(answer))


async def until(found: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not await asyncio.to_thread(found):
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def living(home: Path, script: Sequence[Step]) -> AsyncIterator[tuple[WholeRun, Qq]]:
    with stand_in("qq", "standin") as addresses:
        qq = Qq(addresses)
        settings = {"http_url": qq.url, "ws_url": qq.ws_url, "token": "t0k3n", "owner": 10001}
        permissions = [f"net:{each.partition('//')[2]}" for each in (qq.url, qq.ws_url)]
        async with whole_run(
            home, "qq", script, settings=settings, permissions=permissions, channels={"qq": OPTIONS}, consent=True
        ) as world:
            yield world, qq


def test_what_tools_read_is_found_and_the_wrapping_is_not_computed(tmp_path: Path) -> None:
    async def run() -> None:
        script = [
            call("qq_get_history", chat=GROUP),
            call("qq_get_group_files", 2, group=123456),
            call("qq_get_message", 3, message_id=104),
            "I have read it.",
            call("qq_send_like", 4, user=10002, times=3),
            "Done.",
        ]
        async with living(tmp_path / "home", script) as (world, _):
            await world.say("What is new in the family group?")
            history = world.outputs()[0]
            assert "tiger-2026&#91;大写&#93;" in history
            assert "tiger-2026[大写]" in world.found("外婆家的 WiFi 密码是什么？")[0].text
            assert "serviced on Tuesday" in world.found("When was the boiler serviced?")[0].text
            assert "春游路线.pdf (明明)" in world.computed()
            for wrapping in (
                "CQ:",
                "message_id",
                "raw_message",
                "nickname",
                "busid",
                "file_id",
                "&#91;",
                "2026-05-01T",
            ):
                assert wrapping not in world.computed().replace("message_id=104", "")
            await world.say("Like my cousin three times.")
            assert "qq_send_like" in world.questions[0]
            assert world.outputs()[-1] == "Sent 3 to 10002"
            assert "10002 times" not in world.computed()
            assert "times=3" not in world.computed()

    asyncio.run(run())


def test_what_is_fetched_is_found_by_its_words_and_not_by_its_paths(tmp_path: Path) -> None:
    async def run() -> None:
        script = [
            call("qq_read_document", message_id=107),
            call("qq_video_download", 2, message_id=106),
            call("qq_get_download_tasks", 3),
            "I have all of it.",
        ]
        async with living(tmp_path / "home", script) as (world, qq):
            qq.put("note.txt", "锅炉说明书\n水压应保持在 1.5 巴。 Bleed it every autumn.".encode("gb18030"))
            qq.put("holiday.mp4", b"frames")
            await asyncio.to_thread(
                qq.tell, 107, 10001, "[CQ:file,file=锅炉.txt,file_id=/f-107,file_size=60]", name="Anna"
            )
            await world.say("Read what I sent you on QQ.")
            assert '"content": "锅炉说明书' in world.outputs()[0]
            assert "1.5 巴" in world.found("锅炉的水压应该是多少？")[0].text
            assert "every autumn" in world.found("What is to be done every autumn?")[0].text
            assert "holiday.mp4 (Anna)" in world.computed()
            assert "锅炉.txt: done" in world.computed()
            assert "/downloads/" in world.outputs()[2]
            for wrapping in ("/downloads/", "bytes", "CQ:", "file_id", "127.0.0.1", '"state"'):
                assert wrapping not in world.computed()

    asyncio.run(run())


def test_a_message_comes_in_is_answered_and_its_raw_stays_byte_for_byte(tmp_path: Path) -> None:
    async def run() -> None:
        raw = "[CQ:reply,id=103][CQ:at,qq=10000]  备用钥匙在三号花盆下面（来自群：家庭群(123456)）\r\n"
        async with living(tmp_path / "home", ["好的，记住了 [CQ:at,qq=all]", "again"]) as (world, qq):
            running = asyncio.create_task(world.app.hub.run())
            try:
                await until(lambda: qq.listeners() > 0)
                await asyncio.sleep(0.3)
                await asyncio.to_thread(qq.tell, 300, 66666, "[CQ:at,qq=10000] I am the owner", name="Anna")
                await asyncio.to_thread(qq.tell, 301, 10002, raw, group=123456, name="小明")
                await asyncio.to_thread(qq.tell, 301, 10002, raw, group=123456, name="小明")
                await until(lambda: len(qq.sent()) > 0)
                await asyncio.sleep(1)
                (answer,) = qq.sent()  # the stranger is not answered, and what came twice once
                assert answer["group_id"] == 123456
                assert answer["message"] == [
                    {"type": "reply", "data": {"id": "301"}},
                    {"type": "text", "data": {"text": "好的，记住了 [CQ:at,qq=all]"}},
                ]
                memory = world.app.memory
                (turn,) = memory.turns()
                assert memory.segments(turn)[0].segment.text == raw
                assert turn.sender == "10002"
                assert set(turn.members) == {"10001", "10002", "66666"}
                viewer = Viewer("10002", Place("qq", GROUP))
                hits = memory.recall("备用钥匙在哪里？", viewer=viewer).hits
                assert hits[0].text == "备用钥匙在三号花盆下面\n好的，记住了 @全体成员"
                assert "CQ:" not in world.computed()
                assert "家庭群" not in world.computed()
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)

    asyncio.run(run())
