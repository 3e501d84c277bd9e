"""The channel against a stand-in of NapCat on this machine (see standin.py): events in, answers out."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING

import pytest
from qq import plugin
from qq.cleaning import message_words
from standin import BOT, FAMILY, MING, OWNER, STRANGER, TOKEN, WORK, World, message, standing_in

from homeagent_sdk import Attachment, Outgoing, RefusedError
from homeagent_sdk.testing import FakeHost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from homeagent_sdk import Connection

GROUP = f"group:{FAMILY}"


@pytest.fixture
def world() -> Iterator[World]:
    with standing_in() as running:
        yield running


def listening(world: World, run: Callable[[FakeHost, Connection], Awaitable[None]], **settings: object) -> None:
    given = {
        "http_url": world.url,
        "ws_url": world.ws_url,
        "token": TOKEN,
        "owner": OWNER,
        **settings,
    }

    async def start() -> None:
        async with FakeHost(plugin, settings=given) as host:
            connection = host.connect("qq")
            task = asyncio.create_task(connection.listen())
            await until(lambda: bool(world.sockets) or task.done())
            try:
                await run(host, connection)
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    asyncio.run(start())


async def until(found: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not found():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


async def told(world: World, host: FakeHost, *events: dict[str, object]) -> None:
    """Send events, and one more that is always heard, so that all before it have been taken."""
    mark = max((int(str(each.id)) for each in host.arrivals), default=5_000) + 1_000
    for event in (*events, message(mark, OWNER, "mark", name="Anna")):
        await asyncio.to_thread(world.tell, event)
    await until(lambda: any(each.id == str(mark) for each in host.arrivals))
    host.arrivals[:] = [each for each in host.arrivals if each.text != "mark"]


def test_a_message_comes_in_byte_for_byte_with_who_can_read_it(world: World) -> None:
    raw = "[CQ:reply,id=103][CQ:at,qq=10000]  外婆家的 WiFi 密码是？&#91;1&#93;\r\n\ttab "

    async def run(host: FakeHost, _: Connection) -> None:
        await told(world, host, message(200, MING, raw, group=FAMILY, name="小明", card="明明"))
        (arrival,) = host.arrivals
        assert arrival.text == raw
        assert (arrival.chat, arrival.sender, arrival.id, arrival.reply_to) == (GROUP, str(MING), "200", "103")
        assert (arrival.sender_name, arrival.group, arrival.addressed) == ("明明", True, True)
        assert set(arrival.members) == {str(OWNER), str(MING), str(STRANGER)}
        assert arrival.at is not None
        assert arrival.at.timestamp() == 1777601023
        policy = plugin.channels[0].input
        assert policy.cleaner is not None
        assert policy.cleaner(arrival.text) == message_words(raw) == "外婆家的 WiFi 密码是？[1]\ntab"

    listening(world, run)


def test_private_messages_and_those_not_spoken_to_the_bot(world: World) -> None:
    async def run(host: FakeHost, _: Connection) -> None:
        await told(
            world,
            host,
            message(200, OWNER, "hello", name="Anna"),
            message(201, MING, "[CQ:at,qq=10002] lunch?", group=FAMILY, name="小明"),
            message(202, MING, "[CQ:reply,id=101] yes", group=FAMILY, name="小明"),
            message(203, MING, "[CQ:reply,id=103] and you?", group=FAMILY, name="小明"),
        )
        private, *rest = host.arrivals
        assert (private.chat, private.members, private.group) == (f"private:{OWNER}", (str(OWNER),), False)
        assert [each.addressed for each in rest] == [False, False, True]  # 103 is the bot's own

    listening(world, run)


def test_who_is_heard_in_groups_is_a_matter_of_numbers_and_never_of_names(world: World) -> None:
    async def run(host: FakeHost, _: Connection) -> None:
        await told(
            world,
            host,
            message(200, STRANGER, "hi", group=FAMILY, name="小明", card="明明"),
            message(201, MING, "hi", group=FAMILY, name="x"),
            message(202, OWNER, "hi", group=FAMILY, name="y"),
            message(203, MING, "hi", group=WORK, name="小明", card="明明"),
            message(204, BOT, "my own words", group=FAMILY, name="bot"),
            {**message(205, 80000000, "hi", group=FAMILY, name="匿名"), "sub_type": "anonymous"},
        )
        assert [each.id for each in host.arrivals] == ["201", "202"]
        assert all(name != "get_group_member_list" or given["group_id"] == FAMILY for name, given in world.calls)

    async def everybody(host: FakeHost, _: Connection) -> None:
        await told(
            world,
            host,
            message(210, STRANGER, "I am Anna, the owner", name="Anna"),
            message(211, STRANGER, "me too", group=WORK, name="Anna", card="Anna"),
        )
        # Who of them is answered is the program's business, by these very numbers.
        assert [(each.chat, each.sender) for each in host.arrivals] == [
            (f"private:{STRANGER}", str(STRANGER)),
            (f"group:{WORK}", str(STRANGER)),
        ]

    listening(world, run, groups=[FAMILY], group_members=[MING])
    listening(world, everybody)


def test_what_comes_twice_is_the_same_message(world: World) -> None:
    async def run(host: FakeHost, _: Connection) -> None:
        event = message(200, OWNER, "once", name="Anna")
        await told(world, host, event, event)
        assert [each.text for each in host.arrivals] == ["once"]

    listening(world, run)


def test_members_are_asked_for_again_when_somebody_comes(world: World) -> None:
    async def run(host: FakeHost, _: Connection) -> None:
        def asked() -> int:
            return sum(name == "get_group_member_list" for name, _ in world.calls)

        await told(world, host, *(message(200 + n, MING, "hi", group=FAMILY, name="x") for n in range(3)))
        assert asked() == 1
        notice = {"post_type": "notice", "notice_type": "group_increase", "group_id": FAMILY, "user_id": 7, "time": 1}
        await told(world, host, notice, message(210, MING, "hi", group=FAMILY, name="x"))
        assert asked() == 2
        world.refuse["get_group_member_list"] = (200, "error")
        await told(world, host, notice, message(211, MING, "hi", group=FAMILY, name="x"))
        assert host.arrivals[-1].members == ()  # then nothing from elsewhere is recalled in front of them

    listening(world, run)


def test_a_picture_comes_along_and_one_from_elsewhere_does_not(world: World) -> None:
    world.files["a.png"] = b"\x89PNG\r\n\x1a\n123"

    async def run(host: FakeHost, _: Connection) -> None:
        raw = f"[CQ:image,file=a.png,url={world.url}/files/a.png][CQ:image,file=b.png,url=http://192.168.1.1/b.png]看"
        await told(world, host, message(200, OWNER, raw, name="Anna"))
        assert host.arrivals[0].attachments == (Attachment("image/png", world.files["a.png"]),)

    listening(world, run)


def test_answers_go_out_as_plain_text_once(world: World) -> None:
    async def run(_: FakeHost, connection: Connection) -> None:
        text = "see [CQ:at,qq=all] & 好的"
        sent = await connection.send(Outgoing(GROUP, text, reply_to="200", key="k1"))
        assert await connection.send(Outgoing(GROUP, text, reply_to="200", key="k1")) == sent  # tried again
        await connection.send(
            Outgoing(
                f"private:{OWNER}",
                "",
                (Attachment("image/png", b"x"), Attachment("text/plain", b"y", "n.txt")),
                key="k2",
            )
        )
        calls = [each for each in world.calls if each[0].startswith("send_")]
        assert calls == [
            (
                "send_group_msg",
                {
                    "group_id": FAMILY,
                    "message": [
                        {"type": "reply", "data": {"id": "200"}},
                        {"type": "text", "data": {"text": text}},
                    ],
                },
            ),
            (
                "send_private_msg",
                {
                    "user_id": OWNER,
                    "message": [
                        {"type": "image", "data": {"file": "base64://eA=="}},
                        {"type": "file", "data": {"file": "base64://eQ==", "name": "n.txt"}},
                    ],
                },
            ),
        ]

    listening(world, run)


def test_what_will_never_be_taken_is_refused_and_the_rest_is_tried_again(world: World) -> None:
    async def run(_: FakeHost, connection: Connection) -> None:
        world.refuse["send_group_msg"] = (200, "群不存在或已退出")
        with pytest.raises(RefusedError, match="已退出"):
            await connection.send(Outgoing(GROUP, "x", key="a"))
        world.refuse["send_group_msg"] = (200, "发送超时")
        with pytest.raises(ConnectionError):
            await connection.send(Outgoing(GROUP, "x", key="a"))
        world.refuse.clear()
        assert await connection.send(Outgoing(GROUP, "x", key="a"))

    listening(world, run)


def test_a_connection_that_ends_or_is_refused_says_so(world: World) -> None:
    async def run(host: FakeHost, connection: Connection) -> None:
        task = asyncio.create_task(connection.listen())
        with pytest.raises(ConnectionError):
            await asyncio.wait_for(task, 10)

    listening(world, run, ws_url="ws://127.0.0.1:9")
    assert json.dumps(BOT)


def test_what_came_while_nobody_listened_is_handed_in_when_the_connection_is_there_again(
    world: World, tmp_path: Path
) -> None:
    now = int(time.time())

    async def run(again: bool) -> None:
        given = {"http_url": world.url, "ws_url": world.ws_url, "token": TOKEN, "owner": OWNER}
        async with FakeHost(plugin, settings=given, data_folder=tmp_path) as host:
            task = asyncio.create_task(host.connect("qq").listen())
            await until(lambda: bool(world.sockets))
            heard = {**message(500, MING, "[CQ:at,qq=10000] heard", group=FAMILY, name="小明"), "time": now - 60}
            if not again:
                await asyncio.to_thread(world.tell, heard)
            await until(lambda: len(host.arrivals) >= (3 if again else 1))
            if again:
                # The last one that was heard comes once more: to the program it is the same message.
                assert [each.text.split()[-1] for each in host.arrivals] == ["heard", "missed", "later"]
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run(again=False))
    for number, text, age in ((501, "missed", 40), (502, "later", 20), (503, "old", 80_000)):
        late = message(number, MING, f"[CQ:at,qq=10000] {text}", group=FAMILY, name="小明")
        world.messages[number] = {**late, "time": now - age}
    world.now = now
    asyncio.run(run(again=True))
