"""Memos and their reminders, over restarts, kept apart by chat."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from memo import plugin

from homeagent_sdk import SettingsError
from homeagent_sdk.calling import call_tool
from homeagent_sdk.convert import convert_arguments
from homeagent_sdk.testing import FakeContext, FakeHost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

ZONE = {"zone": "Asia/Shanghai"}
TOMORROW = (datetime.now(ZoneInfo("Asia/Shanghai")) + timedelta(days=1)).replace(second=0, microsecond=0, tzinfo=None)


def with_host(folder: Path, run: Callable[[FakeHost], Awaitable[None]]) -> None:
    async def start() -> None:
        async with FakeHost(plugin, settings=ZONE, data_folder=folder) as host:
            await run(host)

    asyncio.run(start())


async def in_chat(host: FakeHost, chat: str, name: str, **arguments: object) -> str:
    context = FakeContext(host)
    context.chat = chat
    tool = next(each for each in plugin.tools if each.name == name)
    return (await call_tool(tool, context, convert_arguments(tool, arguments))).text


def test_a_memo_is_kept_word_for_word_and_over_a_restart(tmp_path: Path) -> None:
    words = "WiFi 密码在冰箱门上；the  spare key\nis under the third pot"

    async def write(host: FakeHost) -> None:
        assert (await host.call("memo_add", text=words)).text == f"Memo 1 written: {words}"
        await host.call("memo_add", text="buy oat milk")

    async def read(host: FakeHost) -> None:
        listed = (await host.call("memo_list")).text
        assert words in listed
        assert listed.startswith("2. (")
        assert "oat milk" not in (await host.call("memo_list", containing="密码 冰箱")).text
        assert (await host.call("memo_list", containing="nothing like it")).text == "No memo holds these words."
        assert (await host.call("memo_list", count=1)).text.endswith("1 more are older.")
        assert "changed: buy soy milk" in (await host.call("memo_edit", number=2, text="buy soy milk")).text
        assert "removed: buy soy milk" in (await host.call("memo_remove", number=2)).text
        assert (await host.call("memo_remove", number=2)).error
        assert (await host.call("memo_add", text="new")).text.startswith("Memo 3")  # a number is not given twice

    with_host(tmp_path, write)
    with_host(tmp_path, read)


def test_a_reminder_is_put_into_the_home_changed_and_taken_back(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        added = await host.call("memo_add", text="给妈妈打电话", remind_at=TOMORROW.isoformat())
        assert f"to be brought up {TOMORROW:%Y-%m-%d %H:%M}" in added.text
        (waiting,) = host.injected
        assert (waiting.text, waiting.channel, waiting.chat, waiting.no_memory) == (
            "备忘提醒：给妈妈打电话",
            "test",
            "main",
            False,
        )
        assert waiting.at == TOMORROW.replace(tzinfo=ZoneInfo("Asia/Shanghai"))
        assert "to be brought up" in (await host.call("memo_list")).text
        await host.call("memo_edit", number=1, text="call mum")
        (waiting,) = host.injected
        assert waiting.text == "Memo reminder: call mum"
        later = TOMORROW + timedelta(hours=1)
        await host.call("memo_edit", number=1, remind_at=later.isoformat())
        (waiting,) = host.injected
        assert waiting.at == later.replace(tzinfo=ZoneInfo("Asia/Shanghai"))
        await host.call("memo_edit", number=1, no_reminder=True)
        assert host.injected == []
        await host.call("memo_edit", number=1, remind_at=later.isoformat())
        await host.call("memo_remove", number=1)
        assert host.injected == []

    with_host(tmp_path, run)


def test_a_reminder_that_has_come_is_shown_no_more_and_does_not_come_back_with_a_change(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        await host.call("memo_add", text="water the plants", remind_at=TOMORROW.isoformat())
        host.injected.clear()  # it was due and was told
        assert "brought up" not in (await host.call("memo_list")).text
        await host.call("memo_edit", number=1, text="water the ferns")
        assert host.injected == []

    with_host(tmp_path, run)


def test_a_memo_is_seen_in_its_own_chat_only(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        await in_chat(host, "private", "memo_add", text="the present is in the attic")
        assert await in_chat(host, "family", "memo_list") == "There are no memos in this chat."
        for name, arguments in (("memo_remove", {}), ("memo_edit", {"text": "mine"})):
            with pytest.raises(Exception, match="this chat has no memo 1"):
                await in_chat(host, "family", name, number=1, **arguments)
        assert "attic" in await in_chat(host, "private", "memo_list")

    with_host(tmp_path, run)


def test_nothing_is_written_in_a_private_turn(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        tool = next(each for each in plugin.tools if each.name == "memo_add")
        context = FakeContext(host)
        context.private = True
        with pytest.raises(Exception, match="leaves nothing behind"):
            await call_tool(tool, context, {"text": "secret"})
        assert (await host.call("memo_list")).text == "There are no memos in this chat."

    with_host(tmp_path, run)


def test_what_can_not_be_is_refused_with_what_to_do(tmp_path: Path) -> None:
    async def run(host: FakeHost) -> None:
        for arguments, reason in (
            ({"text": "  "}, "is empty"),
            ({"text": "x" * 8_001}, "8,001 characters"),
            ({"text": "x", "remind_at": "2020-01-01T10:00"}, "is over"),
            ({"text": "x", "remind_at": "2099-01-01T10:00"}, "ten years"),
        ):
            result = await host.call("memo_add", **arguments)
            assert reason in json.loads(result.text)["error"][0]["reason"]
        await host.call("memo_add", text="x")
        assert "nothing is to be changed" in (await host.call("memo_edit", number=1)).text
        assert (await host.call("memo_list")).text.count("\n") == 0

    with_host(tmp_path, run)
    with pytest.raises(SettingsError, match="no time zone 'Mars/Base'"):
        FakeHost(plugin, settings={"zone": "Mars/Base"})
