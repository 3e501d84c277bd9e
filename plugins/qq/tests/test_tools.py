"""The tools against a stand-in of NapCat on this machine (see standin.py); no QQ account is used."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from typing import TYPE_CHECKING

import docx
import openpyxl
import pytest
from qq import plugin
from standin import BOT, FAMILY, MING, OWNER, TOKEN, WORK, World, standing_in

from homeagent_sdk import ToolError
from homeagent_sdk.calling import call_tool
from homeagent_sdk.convert import convert_arguments
from homeagent_sdk.testing import FakeContext, FakeHost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

TOOLS = {each.name: each for each in plugin.tools}
GROUP = f"group:{FAMILY}"


@pytest.fixture
def world() -> Iterator[World]:
    with standing_in() as running:
        yield running


class Place:
    """Where a call is made from, and by whom."""

    def __init__(self, host: FakeHost, channel: str = "cli", chat: str = "main", person: str = "owner") -> None:
        self.context = FakeContext(host, channel)
        self.context.chat, self.context.person = chat, person

    async def call(self, tool: str, **arguments: object) -> str:
        found = TOOLS[tool]
        return (await call_tool(found, self.context, convert_arguments(found, arguments))).text

    async def refused(self, tool: str, **arguments: object) -> str:
        with pytest.raises(ToolError) as caught:
            await self.call(tool, **arguments)
        return str(caught.value)


def run_with(world: World, folder: Path, run: Callable[[FakeHost], Awaitable[None]], **settings: object) -> None:
    given = {"http_url": world.url, "ws_url": world.ws_url, "token": TOKEN, "owner": OWNER, **settings}

    async def start() -> None:
        async with FakeHost(plugin, settings=given, consent=True, data_folder=folder) as host:
            await run(host)

    asyncio.run(start())


def word_file() -> bytes:
    made = docx.Document()
    made.add_paragraph("装修报价")
    table = made.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "厨房", "12000 元"
    made.add_paragraph("valid until June")
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


def test_messages_are_read_whole(world: World, tmp_path: Path) -> None:
    long = "长" * 20_000
    world.messages[101]["raw_message"] = long

    async def run(host: FakeHost) -> None:
        here = Place(host)
        one = json.loads(await here.call("qq_get_message", message_id=101))
        assert one["raw_message"] == long
        assert one["sender"] == {"user_id": MING, "nickname": "小明", "card": "明明", "role": "member"}
        history = json.loads(await here.call("qq_get_history", chat=GROUP, count=50))
        assert [each["message_id"] for each in history["messages"]] == [101, 102, 103, 105]
        assert history["messages"][0]["raw_message"] == long
        two = json.loads(await here.call("qq_get_history", chat=GROUP, count=2, before=103))
        assert [each["message_id"] for each in two["messages"]] == [102, 103]
        friend = json.loads(await here.call("qq_get_history", chat=f"private:{OWNER}"))
        assert [each["message_id"] for each in friend["messages"]] == [104, 106]
        assert "消息不存在" in await here.refused("qq_get_message", message_id=9)
        assert "is no chat of QQ" in await here.refused("qq_get_history", chat="家庭群")

    run_with(world, tmp_path, run)


def test_another_chat_is_looked_into_by_the_owner_alone_only(world: World, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        in_group = Place(host, "qq", GROUP, str(MING))
        assert "密码" in await in_group.call("qq_get_history")
        assert "密码" in await in_group.call("qq_get_message", message_id=101)
        for place in (
            in_group,
            Place(host, "qq", GROUP, str(OWNER)),  # the others read along
            Place(host, "qq", f"private:{MING}", str(MING)),
            Place(host, "irc", "main", "owner"),  # anyone can call himself owner there
        ):
            assert "another chat" in await place.refused("qq_get_history", chat=f"private:{OWNER}")
            assert "another chat" in await place.refused("qq_get_message", message_id=104)
            assert "only the owner" in await place.refused("qq_list_chats")
            assert "only the owner" in await place.refused("qq_get_download_tasks")
        alone = Place(host, "qq", f"private:{OWNER}", str(OWNER))
        assert "密码" in await alone.call("qq_get_history", chat=GROUP)

    run_with(world, tmp_path, run)


def test_names_are_told_with_their_numbers(world: World, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        here = Place(host)
        assert (await here.call("qq_get_groups")).splitlines() == [
            f"{GROUP} 家庭群, 4 members",
            f"group:{WORK} Work 项目组, 31 members",
        ]
        assert (await here.call("qq_get_friends")).splitlines() == [
            f"private:{OWNER} Anna",
            f"private:{MING} 小明 (Cousin Ming)",
        ]
        chats = (await here.call("qq_list_chats")).splitlines()
        assert chats[0].startswith(f"{GROUP} 家庭群, last 2026-05-01")
        assert chats[1].startswith(f"private:{OWNER} Anna")
        assert await here.call("qq_resolve_name", name="项目") == f"group:{WORK} Work 项目组"
        assert await here.call("qq_resolve_name", name="cousin") == f"private:{MING} 小明 (Cousin Ming)"
        assert await here.call("qq_resolve_name", name="nobody") == "There are none."
        both = await here.call("qq_resolve_nickname", group=FAMILY, nickname="anna")
        assert both.splitlines() == [f"{OWNER} Anna", "66666 Anna"]
        member = await here.call("qq_get_group_member_info", group=FAMILY, user=MING)
        assert member.startswith(f"{MING} 明明 (小明), admin 管理员, title 大厨, level 12, joined 2020-09-1")
        files = json.loads(await here.call("qq_get_group_files", group=FAMILY))
        assert files["files"][0]["file_name"] == "春游路线.pdf"
        assert json.loads(await here.call("qq_get_group_files", group=FAMILY, folder_id="/a1b2")) == {
            "folders": [],
            "files": [],
        }

    run_with(world, tmp_path, run)


def test_a_document_is_read_whole_and_a_video_fetched(world: World, tmp_path: Path) -> None:
    world.files["quote.docx"] = word_file()
    world.files["holiday.mp4"] = b"not really" * 1_000

    async def run(host: FakeHost) -> None:
        here = Place(host)
        read = json.loads(await here.call("qq_read_document", message_id=105))
        assert (read["name"], read["content"]) == ("装修报价.docx", "装修报价\n厨房\t12000 元\nvalid until June")
        video = json.loads(await here.call("qq_video_download", message_id=106))
        assert (video["name"], video["bytes"]) == ("holiday.mp4", 10_000)
        assert (tmp_path / "downloads" / "2-holiday.mp4").read_bytes() == world.files["holiday.mp4"]
        assert "no file came" in await here.refused("qq_read_document", message_id=104)
        world.files["quote.docx"] = b"broken"
        assert "can't be read" in await here.refused("qq_read_document", message_id=105)
        del world.files["quote.docx"]
        assert "answers 404" in await here.refused("qq_read_document", message_id=105)

    run_with(world, tmp_path, run)


def test_other_kinds_of_documents(tmp_path: Path) -> None:
    from qq.documents import document_words

    book = openpyxl.Workbook()
    book.active.title = "预算"
    book.active.append(["厨房", 12000])
    book.active.append([None, None])
    book.active.append(["=1+1", "x"])
    book.save(tmp_path / "a.xlsx")
    assert document_words(tmp_path / "a.xlsx", "a.xlsx") == "[预算]\n厨房\t12000\n\tx"  # a formula is not worked out
    (tmp_path / "b").write_bytes("中文文本".encode("gb18030"))
    assert document_words(tmp_path / "b", "b.TXT") == "中文文本"
    (tmp_path / "b").write_bytes("\ufeffutf".encode())
    assert document_words(tmp_path / "b", "b.md") == "utf"
    for name in ("c.exe", "c"):
        with pytest.raises(ToolError, match="a kind of file that can't be read"):
            document_words(tmp_path / "b", name)
    (tmp_path / "d.pdf").write_bytes(_pdf("Boiler manual"))
    assert document_words(tmp_path / "d.pdf", "d.pdf") == "Boiler manual"


def _pdf(words: str) -> bytes:
    stream = f"BT /F1 12 Tf 20 100 Td ({words}) Tj ET".encode()
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(parts) + 1, table)
    return data + head + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(parts) + 1, len(data))


def test_downloads_go_on_in_the_background_and_are_listed_after_a_restart(world: World, tmp_path: Path) -> None:
    world.files["quote.docx"] = word_file()

    async def begin(host: FakeHost) -> None:
        here = Place(host)
        assert (await here.call("qq_download_file", message_id=105)).startswith("Download 1 has begun: 装修报价.docx")
        assert "done in this turn already" in await here.refused("qq_download_file", message_id=105)
        await host.state.downloads.finish(host.state.downloads.tasks[0])

    async def look(host: FakeHost) -> None:
        (task,) = json.loads(await Place(host).call("qq_get_download_tasks"))["tasks"]
        assert (task["state"], task["bytes"]) == ("done", len(world.files["quote.docx"]))
        assert task["path"].endswith("1-装修报价.docx")

    run_with(world, tmp_path, begin)
    run_with(world, tmp_path, look)


def test_nothing_is_fetched_from_elsewhere(world: World, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        here = Place(host)
        for address in ("http://192.168.1.1/x", "http://evilqq.com/x", f"{world.url}/files/away"):
            world.messages[106]["message"] = []
            world.messages[106]["raw_message"] = f"[CQ:file,file=../../x.txt,url={address}]"
            reason = await here.refused("qq_read_document", message_id=106)
            assert "no host of QQ" in reason, address
        assert not list(tmp_path.rglob("*x.txt"))

    run_with(world, tmp_path, run)


def test_a_file_name_leads_into_no_other_folder(world: World, tmp_path: Path) -> None:
    world.files["x"] = b"words"
    world.messages[106]["message"] = []
    world.messages[106]["raw_message"] = f"[CQ:file,file=..\\..\\a/../../pass:wd.txt,url={world.url}/files/x]"

    async def run(host: FakeHost) -> None:
        assert json.loads(await Place(host).call("qq_read_document", message_id=106))["content"] == "words"
        assert (tmp_path / "downloads" / "1-pass_wd.txt").read_bytes() == b"words"

    run_with(world, tmp_path, run)


def test_what_changes_something_is_asked_about_is_the_owners_and_is_done_once_a_turn(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "card.txt").write_text("hello")
    coded = f"base64://{base64.b64encode(b'hello').decode()}"
    cases: list[tuple[str, dict[str, object], str, dict[str, object]]] = [
        (
            "qq_group_manage",
            {"group": FAMILY, "action": "kick", "user": MING},
            "set_group_kick",
            {"group_id": FAMILY, "user_id": MING},
        ),
        (
            "qq_group_manage",
            {"group": FAMILY, "action": "mute", "user": MING, "minutes": 5},
            "set_group_ban",
            {"group_id": FAMILY, "user_id": MING, "duration": 300},
        ),
        (
            "qq_group_manage",
            {"group": FAMILY, "action": "recall", "value": "101"},
            "delete_msg",
            {"message_id": 101},
        ),
        (
            "qq_friend_action",
            {"action": "remark", "user": MING, "value": "Ming"},
            "set_friend_remark",
            {"user_id": MING, "remark": "Ming"},
        ),
        ("qq_send_like", {"user": MING, "times": 3}, "send_like", {"user_id": MING, "times": 3}),
        (
            "qq_send_file",
            {"chat": GROUP, "path": str(tmp_path / "card.txt")},
            "send_group_msg",
            {"group_id": FAMILY, "message": [{"type": "file", "data": {"file": coded, "name": "card.txt"}}]},
        ),
        (
            "qq_upload_group_file",
            {"group": FAMILY, "path": str(tmp_path / "card.txt"), "name": "卡片.txt", "folder_id": "/a1b2"},
            "upload_group_file",
            {"group_id": FAMILY, "file": coded, "name": "卡片.txt", "folder": "/a1b2"},
        ),
    ]

    async def run(host: FakeHost) -> None:
        for tool, arguments, action, given in cases:
            assert TOOLS[tool].confirm
            assert TOOLS[tool].policy.no_memory
            for place in (Place(host, "qq", GROUP, str(MING)), Place(host, "irc", "main", "owner")):
                assert "only the owner" in await place.refused(tool, **arguments)
            host.consent = False
            assert "did not agree" in await Place(host).refused(tool, **arguments)
            assert all(name != action for name, _ in world.calls)
            host.consent = True
            host.questions.clear()
            await Place(host).call(tool, **arguments)
            assert host.questions[0].startswith(f"May I do this? 可以这样做吗？ {tool}\n")
            assert world.calls[-1] == (action, given)
            assert "done in this turn already" in await Place(host).refused(tool, **arguments)
            world.calls.clear()
            other = Place(host, "qq", GROUP, str(OWNER))
            other.context.turn_id = "another"
            await other.call(tool, **arguments)
            world.calls.clear()

    run_with(world, tmp_path, run)
    assert TOOLS["qq_download_file"].confirm


def test_what_was_refused_may_be_tried_again_in_the_same_turn(world: World, tmp_path: Path) -> None:
    world.refuse["send_like"] = (200, "今日同一好友点赞数已达上限")

    async def run(host: FakeHost) -> None:
        for _ in range(2):
            assert "点赞数已达上限" in await Place(host).refused("qq_send_like", user=MING)
        world.refuse.clear()
        await Place(host).call("qq_send_like", user=MING)

    run_with(world, tmp_path, run)


def test_a_server_that_is_away_or_refuses_the_token_is_named(world: World, tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        assert "the token in the plugin's settings is not right" in await Place(host).refused("qq_get_groups")

    async def away(host: FakeHost) -> None:
        assert "QQ can't be reached" in await Place(host).refused("qq_get_groups")

    run_with(world, tmp_path, run, token="wrong")
    run_with(world, tmp_path, away, http_url="http://127.0.0.1:9")
    assert BOT not in (OWNER, MING)
