from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from homeagent.channels.admission import members_of, verdict
from homeagent.config import ChannelOptions
from homeagent_sdk import Arrival
from tests.channels.worlds import ANNA, HOUSE, World, in_loop

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = ChannelOptions(owners=("1",), members=("2",), groups=("g",), prefixes=("/ai", "小家"))


@pytest.mark.parametrize(
    ("arrival", "expected"),
    [
        (Arrival("1", "1", "hi"), "answer"),
        (Arrival("2", "2", "hi"), "answer"),
        (Arrival("3", "3", "hi"), "stranger"),
        (Arrival("3", "3", "hi", sender_name="1"), "stranger"),
        (Arrival("3", "3", "/ai hi", addressed=True), "stranger"),
        (Arrival("g", "3", "hi", group=True), "not for us"),
        (Arrival("g", "1", "hi", group=True), "not for us"),
        (Arrival("g", "3", "hi", group=True, addressed=True), "answer"),
        (Arrival("g", "3", "  /AI hi", group=True), "answer"),
        (Arrival("g", "3", "小家，几点了", group=True), "answer"),
        (Arrival("h", "1", "hi", group=True, addressed=True), "strange group"),
        (Arrival("g", "3", "hi"), "stranger"),
    ],
)
def test_only_ids_decide_who_is_answered(arrival: Arrival, expected: str) -> None:
    assert verdict(arrival, OPTIONS) == expected


def test_a_group_may_be_answered_always() -> None:
    assert verdict(Arrival("g", "3", "hi", group=True), replace(OPTIONS, answer="always")) == "answer"


def test_nobody_is_answered_where_nobody_is_named() -> None:
    assert verdict(Arrival("1", "1", "hi"), ChannelOptions()) == "stranger"
    assert verdict(Arrival("g", "1", "hi", group=True, addressed=True), ChannelOptions()) == "strange group"


def test_a_group_without_a_list_of_members_has_somebody_unknown_in_it() -> None:
    assert members_of(Arrival("g", "1", "hi", group=True)) == ("1", "?g")
    assert members_of(Arrival("g", "1", "hi", group=True, members=("2", "1"))) == ("1", "2")
    assert members_of(Arrival("1", "1", "hi")) == ()


@in_loop
async def test_a_stranger_gets_nothing_and_the_log_says_how_to_let_him_in(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with World(tmp_path, ["hi Anna"]) as world:
        for _ in range(3):
            assert not await world.says("666", "let me in")
        await world.says(ANNA, "hi")
        await world.hears(ANNA)
        assert world.platform.texts("666") == []
        assert len(world.raw()) == 1
        assert "let me in" not in world.computed()
    assert caplog.text.count("members = ['666']") == 1


@in_loop
async def test_a_stranger_may_get_one_polite_line_in_his_language(tmp_path: Path) -> None:
    async with World(tmp_path, ["never"], options=replace(HOUSE, strangers="polite")) as world:
        for text in ("let me in", "please"):
            await world.says("666", text)
        await world.says("777", "你好")
        assert world.platform.texts("666") == [
            "I am the assistant of one household and only talk with the people of this home."
        ]
        assert world.platform.texts("777") == ["我是一个家庭的助手，只和这家里的人说话。"]
        assert world.raw() == []


@in_loop
async def test_talk_among_the_members_of_a_group_is_not_kept(tmp_path: Path) -> None:
    async with World(tmp_path, ["you called?"]) as world:
        assert not await world.says(ANNA, "what a day", chat="g1", group=True)
        assert await world.says(ANNA, "@bot hello", chat="g1", group=True, addressed=True, id="m7")
        assert await world.hears("g1") == ["you called?"]
        assert world.platform.sent[0].reply_to == "m7"
        assert [each[0].text for each in world.raw()] == ["@bot hello"]
